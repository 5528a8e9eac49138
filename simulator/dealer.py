"""The dealer: deals rounds that differ, keeps the tray, gathers and inserts, and does as refusals say.

She sees the cards that lie open, the lamp, and whether the machine gives a card or takes one; no more.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from .blackjack import Player, bank_draws, is_blackjack, is_bust, total
from .hands_voice import CannotDo
from .machine_keys import MachineKeys
from .people import CastMember, Person, Scene
from .sorting import sorted_groups
from .staff import Supervisor
from .telling import TWENTY_ONE, Mistake, Telling
from .world.table import ASIDE, BANK, CABINET, HOLE, RESERVE, SPLIT, SPREAD, TRAY

# People's times, in seconds of a table at play rate: about 23 cards and some words in a minute.
CARD_S = (0.7, 1.3)
ASK_S = (0.4, 1.2)
PAY_S = (3.0, 7.0)
GATHER_S = (2.0, 4.0)
TRY_AGAIN_S = 0.5
# How many of the guests bet on the jackpot too (assumed).
JACKPOT_CHANCE = 0.5
# How the dealer shows that a round is over (see `ENDINGS`).
DONE = "done"
# Nothing comes out and the lamp is dark: the dealer presses CALL.
CALL_AFTER_S = 120.0
# Nothing goes in and the lamp is dark: the cards are held over (CSM-11).
HOLD_OVER_AFTER_S = 30.0
# A round that is over by itself is known within so long after DONE.
DONE_KNOWN_S = 20.0
# All cards are in the machine, and still the table waits for one: it is said that none is left.
NOTHING_LEFT_AFTER_S = 75.0
# The last card has gone in: a glance whether the hopper is empty.
LOOK_BACK_S = 1.0
HANDS_FULL = 110
# What a hopper takes at once (two decks).
PACKET = 104
# The next step that the table names when it knows of no round under way.
DEAL_NEXT = "deal the next round"
# One card is looked at and laid down in so long when decks are built.
SORT_CARD_S = 0.4


class RoundIsOver(Exception):
    """The round ended under the dealer's hands: a supervisor has ruled so."""


class Dealer(Person):
    """The dealer of a table. `seats` are those of the table."""

    skills: ClassVar[dict[str, str]] = Person.skills | {
        "bring the cards": "bring_cards",
        "play": "play",
        "deal a round": "deal_round",
        "return the cards": "give_back",
        "hold the cards over": "hold_over",
        "load": "load",
        "load a packet": "load_packet",
        "load what lies aside": "load_aside",
        "take the cards out": "take_out",
        "sort": "sort",
        "put the cards away": "put_away",
    }

    def __init__(self, member: CastMember, scene: Scene) -> None:
        super().__init__(member, scene)
        self.seats = 7
        self.machine_keys = MachineKeys(self)
        self.telling = Telling(self)
        self._mark = 0  # the row up to which things belong to earlier rounds

    async def run(self) -> None:
        """Be there until cancelled; what the table asks of the machine's own keys is done meanwhile."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.line.run(), name=f"line of {self.name}")
            tasks.create_task(self.machine_keys.run(), name=f"keys of {self.name}")

    # --- opening and load -----------------------------------------------------------------------------------

    async def bring_cards(self) -> None:
        """Take the decks out of the cabinet and spread them."""
        await self.do("move", source=CABINET, to=SPREAD)
        await self.dawdle(10, 20)

    async def load(self, packets: list[int], pauses_s: float = 5) -> None:
        """Load packet after packet, once the load has begun."""
        for cards in packets:
            await self.load_packet(cards)
            await self.dawdle(pauses_s / 2, pauses_s)
        left = (await self.scene.look())["heaps"].get(SPREAD, 0)
        if left:  # it came out at a jam: a packet more, in the supervisor's name
            await self.load_packet(left, by=self.scene.first(Supervisor))

    async def load_aside(self) -> None:
        """Load all that was counted out of another machine, in packets that a hopper takes."""
        left = (await self.scene.look())["heaps"].get(ASIDE, 0)
        while left:
            packet = min(left, PACKET, max(left - 1, 1))
            await self.load_packet(packet, source=ASIDE)
            await self.dawdle(2, 5)
            left -= packet

    async def load_packet(self, cards: int, source: str = SPREAD, by: Person | None = None) -> None:
        """Count a packet, lay it into the hopper, say how many; wait until it is in. Raises `CannotDo`."""
        mark = self.scene.watch.last_seq
        await self.do("lay-in-hopper", source=source, cards=cards)
        said = await (by or self).say("load-packet", cards=cards)
        if said["answer"] != "accepted":
            await self.do("take-from-hopper", to=source)
            raise CannotDo(f"{said.get('text')}: {said.get('next_step')}")
        await self.until(lambda: self.scene.watch.has("PacketLoaded", mark), 1_200)

    # --- rounds ---------------------------------------------------------------------------------------------

    async def play(
        self,
        rounds: int = 0,
        until_round: int = 0,
        players: int = 0,
        tells: bool = False,
        ends_with: str = DONE,
        least_bet: int = 0,
    ) -> None:
        """So many rounds, or up to this one; with so many players, or as many as come. `tells`: enters the hands.

        `ends_with`: one of `ENDINGS`. `least_bet`: the table's minimum, where she enters the guests' bets too.
        """
        end = until_round or self.scene.watch.round + rounds
        while self.scene.watch.round < end:
            await self._lamp_not_red()
            await self.deal_round(players, tells=tells, ends_with=ends_with, least_bet=least_bet)
            await self.give_back()
            await self.dawdle(*GATHER_S)

    async def deal_round(
        self, players: int = 0, tells: bool = False, mistake: str = "", ends_with: str = DONE, least_bet: int = 0
    ) -> None:
        """One round up to its end; with a mistake, where its moment comes. Raises `CannotDo` where nobody knows it."""
        if mistake and mistake not in Mistake.ALL:
            raise CannotDo(f"{mistake!r} is no mistake; those that are: {', '.join(Mistake.ALL)}")
        self.telling.begin(is_told=tells or bool(mistake), mistake=mistake, least_bet=least_bet)
        self._mark = self.scene.watch.last_seq
        seats = sorted(self.rng.sample(range(1, self.seats + 1), players or self.rng.randint(1, self.seats)))
        guests = [Player.sits_down(f"seat {seat}", self.rng) for seat in seats]
        await self.telling.seats(seats)
        await self._no_more_bets([guest.seat for guest in guests])
        try:
            await self._deal(guests)
            await self.dawdle(*PAY_S)
            await ENDINGS[ends_with](self)
        except RoundIsOver:
            self.scene.tell(f"{self.name}: the round is over by ruling")

    async def _no_more_bets(self, seats: list[str]) -> None:
        """JP-11, at a table with chip slots: some guests have bet on the jackpot; said once, then cards are dealt."""
        slots = (await self.scene.look())["slots"]
        if not slots:
            return
        for seat in (seat.removeprefix("seat ") for seat in seats):
            if seat in slots and not slots[seat]["window"] and self.rng.random() < JACKPOT_CHANCE:
                await self.do("drop-chip", seat=int(seat))
        await self.dawdle(*ASK_S)
        await self.press("no more bets")

    async def _deal(self, guests: list[Player]) -> None:
        """BJ-2 to BJ-9, as far as cards move."""
        hands: dict[str, list[str]] = {guest.seat: await self._card(guest.seat) for guest in guests}
        bank = await self._card(BANK)
        for guest in guests:
            hands[guest.seat] += await self._card(guest.seat)
        await self._card(HOLE)
        if await self.telling.second_turned():
            await self._card(HOLE)
        await self.telling.insurance([guest.seat for guest in guests], bank[0])
        still_in = 0
        for guest in guests:
            still_in += await self._serve(guest, hands[guest.seat])
        bank += (await self.do("move", source=HOLE, to=BANK))["cards"]
        await self.telling.bank_turned()
        await self._look_at_cards()
        while still_in and bank_draws(bank) and self.telling.mistake != Mistake.TOO_FEW:
            bank += await self._card(BANK)
        if still_in and self.telling.mistake == Mistake.TOO_MANY:
            await self._card(TRAY)

    async def _serve(self, guest: Player, hand: list[str]) -> int:
        """One guest's hand, or two after a split; returns how many are still in."""
        await self.dawdle(*ASK_S)
        if is_blackjack(hand):
            return 0 if self.telling.is_told else 1  # for a blackjack alone the bank draws nothing (BJ-9)
        if not guest.wants_split(hand) or not await self.telling.choice(guest.seat, "split"):
            return await self._serve_hand(guest, guest.seat, hand)
        if self.telling.is_told:
            return await self._serve_split(guest, hand)
        second = f"{guest.seat} {SPLIT}"
        await self.do("move", source=guest.seat, to=second, cards=1)
        first_hand = hand[:1] + await self._card(guest.seat)
        second_hand = hand[1:] + await self._card(second)
        return await self._serve_hand(guest, guest.seat, first_hand) + await self._serve_hand(
            guest, second, second_hand
        )

    async def _serve_split(self, guest: Player, hand: list[str]) -> int:
        """Hand by hand: the second gets its card when its turn has come (BJ-10)."""
        still_in = 0
        second = f"{guest.seat} {SPLIT}"
        await self.do("move", source=guest.seat, to=second, cards=1)
        for place, first in ((guest.seat, hand[:1]), (second, hand[1:])):
            still_in += await self._serve_hand(guest, place, first + await self._card(place))
        return still_in

    async def _serve_hand(self, guest: Player, place: str, hand: list[str]) -> int:
        """Cards as wished; a bust goes to the tray at once (CSM-9)."""
        if guest.wants_double(hand) and await self.telling.choice(place, "double"):
            hand = hand + await self._card(place)
        else:
            while guest.wants_card(hand) and await self.telling.choice(place, "draw"):
                hand = hand + await self._card(place)
                await self.dawdle(*ASK_S)
            if total(hand) < TWENTY_ONE:
                await self._stands(place)
        if is_bust(hand):
            await self.do("move", source=place, to=TRAY)
            return 0
        return 1

    async def _stands(self, place: str) -> None:
        """He wants no card more; where one is drawn all the same it waits, face down, for who asks next (BJ-5)."""
        if self.telling.mistake == Mistake.NOT_ASKED and SPLIT not in place:
            self.telling.mistake, loose = "", f"{place} {SPLIT}"
            await self._card(loose)
            self.telling.loose = loose
        await self.telling.choice(place, "stand")

    async def _card(self, to: str) -> list[str]:
        """The next card, as soon as the machine gives one. Raises `RoundIsOver`."""
        if self.telling.loose:
            loose, self.telling.loose = self.telling.loose, ""
            waits: list[str] = (await self.do("move", source=loose, to=to, cards=1))["cards"]
            return waits
        waited = 0.0
        while True:
            cards: list[str] = (await self.do("draw", to=to))["cards"]
            if cards:
                await self.dawdle(*CARD_S)
                return cards
            if self.scene.watch.has("RoundEnded", self._mark):
                raise RoundIsOver
            await self.scene.wait(TRY_AGAIN_S)
            waited += TRY_AGAIN_S
            if waited >= CALL_AFTER_S:
                waited = 0.0
                if (await self.scene.look())["lamp"] == "off":
                    await self.press("call")

    async def _look_at_cards(self) -> None:
        """A folded card is seen before the bank draws: the damaged-card key, and nothing moves until it is out."""
        if not (await self.scene.look())["spoiled"]:
            return
        await self.press("damaged card")
        while (await self.scene.look())["spoiled"]:
            await self.scene.wait(2)

    async def _done(self) -> None:
        """Press DONE until the round is known to be over, or the table says that none is being dealt."""
        while not self._is_round_over():
            await self.press("done")
            await self.until(self._is_round_over, DONE_KNOWN_S)

    async def _lay_into_tray(self) -> None:
        """All cards of the round lie in the tray: a table without a DONE key sees it, or is told."""
        await self.do("gather")
        await self.do("move", source=SPREAD, to=TRAY)
        while not await self.until(self._is_round_over, DONE_KNOWN_S):
            await self.say("end-round")

    async def _say_nothing(self) -> None:
        """Whoever wants to know sees the cards go in."""

    def _is_round_over(self) -> bool:
        """A machine whose cable is out tells its cards late: the table may know of no round to end."""
        watch = self.scene.watch
        return watch.has("RoundEnded", self._mark) or watch.has("RequestAnswered", self._mark, next_step=DEAL_NEXT)

    async def _lamp_not_red(self) -> None:
        """No round is begun under a red lamp."""
        while (await self.scene.look())["lamp"].startswith("red"):
            await self.scene.wait(1)

    # --- return ---------------------------------------------------------------------------------------------

    async def give_back(self, leave: int = 0) -> None:
        """Gather the cards and insert them; what cannot go in is held over. `leave`: so many stay on the table."""
        await self.dawdle(*GATHER_S)
        await self._keep_cards_out()
        await self.do("gather")
        if leave:
            await self.do("move", source=SPREAD, to=BANK, cards=leave)
        idle_s = 0.0
        before = -1
        while not self.scene.watch.has("CardsReturned", self._mark):
            seen = await self.scene.look()
            machine = next(each for each in seen["machines"].values() if each["in play"])
            in_hand = seen["heaps"].get(SPREAD, 0)
            is_panel_dark = not self.scene.watch.line.is_open
            is_stopped = machine["lid open"] or seen["lamp"].startswith("red") or is_panel_dark
            if in_hand and machine["in hopper"] < HANDS_FULL and not is_stopped:
                await self.do("lay-in-hopper", source=SPREAD)
            left = in_hand + machine["in hopper"]
            idle_s = idle_s + TRY_AGAIN_S if left == before and not is_stopped else 0.0
            before = left
            if idle_s >= HOLD_OVER_AFTER_S and left:
                await self.hold_over()
                return
            if idle_s >= NOTHING_LEFT_AFTER_S:
                await self._count_outside(0)
            await self.until(lambda: self.scene.watch.has("CardsReturned", self._mark), TRY_AGAIN_S)
        await self._look_into_hopper()

    async def _look_into_hopper(self) -> None:
        """All are counted in: what the hopper still holds came out uncounted, and lies in the tray until next time."""
        await self.scene.wait(LOOK_BACK_S)
        machines = (await self.scene.look())["machines"].values()
        if any(machine["in hopper"] for machine in machines if machine["in play"]):
            await self._count_outside((await self.do("take-from-hopper", to=TRAY))["count"])

    async def _count_outside(self, cards: int) -> None:
        """Say how many lie outside, where the table expects others. Raises `CannotDo`."""
        said = await self.say("count-held-over", cards=cards)
        if said["answer"] != "accepted":
            raise CannotDo(f"{said.get('text')}: {said.get('next_step')}")

    async def hold_over(self, why: str = "the machine takes no cards") -> None:
        """Lay what cannot go in into the tray, and say so (CSM-11)."""
        await self.do("take-from-hopper", to=TRAY)
        await self.do("move", source=SPREAD, to=TRAY)
        said = await self.say("hold-over", why=why)
        if said["answer"] != "accepted" and said.get("next_step") != DEAL_NEXT:
            raise CannotDo(f"{said.get('text')}: {said.get('next_step')}")

    async def _keep_cards_out(self) -> None:
        """While the table's panel says so: a complaint is to be decided first (CSM-12)."""
        while self.scene.watch.find_alert("COMPLAINT-HOLD") is not None:
            await self.scene.wait(1)

    # --- closing --------------------------------------------------------------------------------------------

    async def take_out(self) -> None:
        """Take what the machine gives out, until it is proved empty (CSM-6)."""
        mark = self.scene.watch.last_seq
        while not self.scene.watch.has("UnloadCompleted", mark):
            await self.do("take-from-mouth", to=SPREAD)
            await self.machine_keys.prove_when_empty()
            if self.scene.watch.find_alert("PATH-NOT-CLEAR") is not None:
                await self.do("take-from-hopper", to=SPREAD)
                await self.say("prove-empty")
            await self.until(lambda: self.scene.watch.has("UnloadCompleted", mark), 2)
        await self.do("take-from-mouth", to=SPREAD)

    async def sort(self, decks: dict[str, int]) -> None:
        """Gather all, build decks by back colour, and enter what is whole and what is not. Raises `CannotDo`."""
        await self.do("gather")
        cards = (await self.do("look-through", source=SPREAD))["cards"]
        await self.scene.wait(len(cards) * SORT_CARD_S)
        said = await self.say("enter-sort", groups=sorted_groups(cards, decks))
        if said["answer"] != "accepted":
            raise CannotDo(f"{said.get('text')}: {said.get('next_step')}")

    async def put_away(self) -> None:
        """Lay the decks into the cabinet; what is left of the reserve, and the envelopes, go to the storeroom."""
        await self.do("move", source=SPREAD, to=CABINET)
        for name in (await self.scene.look())["heaps"]:
            if name == RESERVE or name.startswith("envelope"):
                await self.do("move", source=name, to="storeroom")


# Her key; her tray, where a table has no such key; nothing at all, where the machine takes cards unasked.
ENDINGS = {DONE: Dealer._done, "tray": Dealer._lay_into_tray, "nothing": Dealer._say_nothing}  # her own ways
