"""A jackpot's settings for the cases: a bet of 1.00, five prizes, the top one four aces of one suit (of six decks)."""

from __future__ import annotations

import datetime

from tableside.jackpot.combinations import Combination, Ranks, Suits
from tableside.jackpot.settings import JackpotSettings, Prize

SETTINGS = JackpotSettings(
    currency="EUR",
    bet=100,
    increment=7_500,
    start=1_000_000,
    counted_cards=4,
    approved_by="Inspection service, dispatch 12",
    approved_on=datetime.date(2026, 11, 1),
    prizes=(
        Prize(name="two aces", combination=Combination(cards=2, ranks=("A", "A")), amount=5_000),
        Prize(name="suited aces", combination=Combination(cards=2, ranks=("A", "A"), suits=Suits.SAME), amount=20_000),
        Prize(name="three aces", combination=Combination(cards=3, ranks=("A", "A", "A")), share=500),
        Prize(name="four of a kind", combination=Combination(cards=4, rule=Ranks.SAME), share=1_000),
        Prize(
            name="four suited aces",
            combination=Combination(cards=4, ranks=("A", "A", "A", "A"), suits=Suits.SAME),
        ),
    ),
)
