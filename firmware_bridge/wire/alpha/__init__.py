"""The ALPHA sign protocol (Adaptive Micro Systems, form 9708-8061F, 2006): LED signs of the BetaBrite family.

`docs/protocols/alpha.md` says what of it is documented, observed or assumed.
"""
