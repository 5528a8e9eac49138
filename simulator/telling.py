"""What a dealer says of a round at a table that follows its hands, and the mistakes that hands make at blackjack.

A card reader sees which cards come; who has a bet, what players decide, and that the bank's second card is turned,
the dealer enters. What the table refuses by a rule of the game the dealer does not do.
"""

from __future__ import annotations

import random

from .people import Person
from .world.table import BANK, HOLE, TRAY

TWENTY_ONE = 21
# A card is opened at once, its reader's notice may take a moment on the way: an entry before it is said again.
AGAIN_S = 0.5
TRIES = 10
NOT_KNOWN = "BJ-7"
# Guests bet up to so many times the minimum, and so often insure (assumed).
HIGHEST_BET = 10
INSURES = 0.5


class Mistake:
    """What goes wrong in one round, by the words of a scenario."""

    SECOND_TURNED = "the bank's second card turned"  # BJ-3
    NOT_ASKED = "a card that nobody asked for"  # BJ-5
    TOO_MANY = "the bank draws too many"  # BJ-6
    TOO_FEW = "the bank draws too few"  # BJ-6
    ALL = (SECOND_TURNED, NOT_ASKED, TOO_MANY, TOO_FEW)


class Telling:
    """Of one dealer. Does nothing unless the round `is_told`."""

    def __init__(self, dealer: Person) -> None:
        self._dealer = dealer
        self.is_told = False
        self.mistake = ""
        self._least_bet = 0
        self._chance = random.Random(f"bets {dealer.name}")  # of its own: no round goes otherwise for it
        self.loose = ""  # where a card waits that nobody had asked for

    def begin(self, *, is_told: bool, mistake: str, least_bet: int = 0) -> None:
        """A new round. `least_bet`: the table's minimum where amounts are entered too, in the smallest unit; or 0."""
        self.is_told, self.mistake, self.loose = is_told, mistake, ""
        self._least_bet = least_bet

    async def seats(self, seats: list[int]) -> None:
        """These guests have bet."""
        if not self.is_told:
            return
        await self._enter("tell-seats", seats=seats)
        for seat in seats if self._least_bet else ():
            await self._enter("place-bet", seat=seat, amount=self._least_bet * self._chance.randint(1, HIGHEST_BET))

    async def insurance(self, seats: list[str], bank: str) -> None:
        """The bank shows an ace: some put up the half of the least bet (BJ-12)."""
        if not self.is_told or not self._least_bet or not bank.startswith("A"):
            return
        for place in seats:
            if self._chance.random() < INSURES:
                await self._enter("add-to-bet", seat=seat_and_hand(place)[0], insurance=self._least_bet // 2)

    async def choice(self, place: str, choice: str) -> bool:
        """What a guest wants; whether the rules let him, as far as anybody asks them."""
        if not self.is_told:
            return True
        seat, hand = seat_and_hand(place)
        return await self._enter("tell-choice", seat=seat, hand=hand, choice=choice)

    async def bank_turned(self) -> None:
        """The bank's second card lies open."""
        if self.is_told:
            await self._enter("turn-bank-card")

    async def second_turned(self) -> bool:
        """The bank's second card was turned as it was dealt: it goes to the tray (BJ-3). Whether that was so."""
        if self.mistake != Mistake.SECOND_TURNED:
            return False
        await self._dealer.do("move", source=HOLE, to=TRAY)
        await self._enter("turn-bank-card", while_dealing=True)
        return True

    async def _enter(self, act: str, **fields: object) -> bool:
        for _ in range(TRIES):
            said = await self._dealer.say(act, **fields)
            if said["answer"] == "accepted" or said.get("rule") != NOT_KNOWN:
                break
            await self._dealer.scene.wait(AGAIN_S)
        if said["answer"] != "accepted":
            self._dealer.scene.tell(f"{self._dealer.name} hears: {said.get('text')}: {said.get('next_step')}")
        return bool(said["answer"] == "accepted")


def seat_and_hand(place: str) -> tuple[int, int]:
    """A place of the felt as the table numbers it: `seat 3 split` is the second hand of seat 3."""
    if place == BANK:
        return 0, 1
    words = place.split()
    return int(words[1]), 2 if len(words) > 2 else 1
