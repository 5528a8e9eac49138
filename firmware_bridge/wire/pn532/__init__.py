"""The PN532's host protocol over its high-speed UART (NXP UM0701-02): one chip, one antenna, one serial link.

`docs/protocols/pn532.md` says what of it is documented, observed or assumed.
"""
