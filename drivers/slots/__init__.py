"""Jackpot chip slots, one a seat: TDL slots, ccTalk acceptors. One seam for both (drivers/slot_events.py)."""
