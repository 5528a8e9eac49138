"""Jackpot displays: signs, TDL displays, browser pages. One contract for all (docs/howto/jackpot-display.md)."""
