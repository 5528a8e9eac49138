"""Readers of cards: shoes, and what reads a card as it is dealt."""
