"""The protocol of the Angel Eye II-EX electronic baccarat shoe (Angel Playing Cards), RS-232.

`docs/protocols/angel-eye.md` says what of it is documented, observed or assumed.
"""
