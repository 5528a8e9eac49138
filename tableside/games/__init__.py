"""The games as far as cards, bets and duties go. Pure: nothing here knows a device, a clock or a file."""
