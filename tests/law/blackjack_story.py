"""A round told in words: the cards as they come, what players decide, and what must be so then.

Steps are separated by blanks or `;`: `9♣` a card where it is due, `(9♣)` one that is not turned, `?` one that passed
unread, `9♣@3` one that was seen at seat 3 (0: the bank), `1=draw` a decision of seat 1 (`1.2=draw`: of its second
hand), `hole=9♣` the bank's second card is turned, `1.1:2=9♣` the second card of a hand is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tableside.cards import Card, parse_card
from tableside.games import blackjack
from tableside.games.advice import Advice, Against
from tableside.games.blackjack import Choice, Round
from tableside.games.blackjack_hands import BANK, UNREAD_RANK, Spot

BACK = "red"
_NAMED = re.compile(r"(\d)(?:\.(\d))?:(\d)=(.+)")
_DECIDED = re.compile(r"(\d)(?:\.(\d))?=([a-z-]+)")


@dataclass
class Story:
    """The round after the steps, all advice by its order, and what was refused."""

    played: Round
    advice: list[Advice] = field(default_factory=list)
    refused: list[Advice] = field(default_factory=list)

    @property
    def rules(self) -> list[str]:
        """Rule ids of the advice."""
        return [advice.rule for advice in self.advice]


def card(text: str) -> Card:
    """`9♣`, red; `?` unread."""
    return Card(UNREAD_RANK, UNREAD_RANK, BACK) if text == "?" else parse_card(f"{text} {BACK}")


def tell(seats: str, steps: str, *, draws_soft_17: bool = False) -> Story:
    """Play the steps for the seats, such as "1 3 7"."""
    taken = tuple(int(seat) for seat in seats.split())
    story = Story(blackjack.begin(taken, draws_soft_17=draws_soft_17))
    for step in steps.replace(";", " ").split():
        try:
            story.played, advice = _step(story.played, step)
        except Against as against:
            story.refused.append(against.advice)
        else:
            story.advice.extend(advice)
    return story


def _step(played: Round, step: str) -> blackjack.Told:
    if (named := _NAMED.fullmatch(step)) is not None:
        spot = Spot(int(named[1]), int(named[2] or 1) - 1)
        return blackjack.name(played, spot, int(named[3]) - 1, card(named[4]))
    if (decided := _DECIDED.fullmatch(step)) is not None:
        spot = Spot(int(decided[1]), int(decided[2] or 1) - 1)
        return blackjack.decide(played, spot, Choice(decided[3].replace("-", " ")))
    if step.startswith("hole="):
        return blackjack.turn_hole(played, card(step.removeprefix("hole=")))
    if step.startswith("("):
        return blackjack.deal(played, card(step.strip("()")), is_turned=False)
    text, _, seen = step.partition("@")
    at = None if not seen else BANK if seen == "0" else Spot(int(seen))
    return blackjack.deal(played, card(text), at=at)
