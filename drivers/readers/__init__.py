"""Readers of cards: shoes, what reads a card as it is dealt, and antennas under the felt."""
