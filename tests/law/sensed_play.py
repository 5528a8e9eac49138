"""Shifts at a machine whose dealer has no DONE key: what happened, and apart from it what sensors told.

Cards, rollers and counters are the simulator's world with its pinned faults. The dealer here is quick (no event loop);
what she does wrong is drawn at the rates of `HABITS`, which no source pins (assumed). Only `Shift` knows the truth.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from simulator.blackjack import Player, bank_draws, is_blackjack, is_bust
from simulator.world import hands
from simulator.world.cards import Back, Card
from simulator.world.happenings import CardsIn, CardsOut, Jammed, LidMoved, Spot, TrayRead, TroubleBegan, TroubleGone
from simulator.world.hazards import PINNED, Rates
from simulator.world.table import BANK, HOLE, SEATS, SPLIT, SPREAD, TRAY, TableWorld
from tableside.games.round_signals import Sign, Signal

NS = 1_000_000_000
SERIAL = "000123"
PACKET = 104
# Play rate is 60 rounds an hour with 23 cards each (semantics 7): most seats are taken, and bets take their time.
BETS_S = (10, 30)
# How often in a round (assumed).
HABITS = {
    "inserts early": 1 / 200,
    "inserts in two goes": 1 / 50,
    "leaves a card on the table": 1 / 200,
    "thinks for long": 1 / 50,
    "complaint": 1 / 300,
    "held over": 1 / 2_500,
    "interrupted in the deal": 1 / 2_500,
    "deals while cards go in": 1 / 100,
    "draws by mistake": 1 / 2_000,
    "cable out": 1 / 480,
}
# A session has ended when nothing was heard for so long (TDL 5).
HEARD_LOST_S = 3.0
ROUNDS_A_DAY = 600  # semantics 7
# So many in the tray, and what stands for a shoe is mixed anew between two rounds (the tray counts up to 104).
SHOES_END = 60


class Returns(StrEnum):
    """When the cards of a round go back."""

    AT_ONCE = "at once"
    AFTER_NEXT_DEAL = "after the next deal"
    AT_SHOES_END = "at the end of the shoe"


@dataclass
class Round:
    """One true round: when it was begun, when its first counted card came, when it was settled; the faults it had."""

    number: int
    began_ns: int
    first_ns: int = 0
    settled_ns: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Told:
    """A signal; `rounds` says of each of its cards out in which true round it came, 0: in none."""

    signal: Signal
    rounds: tuple[int, ...] = ()


class Shift:
    """Plays rounds. `told` is what sensors told, in the order in which it became known; `rounds` is the truth."""

    def __init__(
        self,
        seed: int,
        *,
        rates: Rates = PINNED,
        habits: dict[str, float] = HABITS,
        sweeps_to_tray: bool = False,
        returns: Returns = Returns.AT_ONCE,
    ) -> None:
        self.rng = random.Random(f"shift {seed}")
        self.world = TableWorld(seed, serials=(SERIAL,), rates=rates)
        self.habits = habits
        self.sweeps_to_tray = sweeps_to_tray
        self.returns = returns
        self.told: list[Told] = []
        self.rounds: list[Round] = []
        self.faults: Counter[str] = Counter()
        self.now_ns = 0
        self._round = 0  # the true one that a card drawn now belongs to
        self._cut_ns: int | None = None
        self._back_ns = 0
        self._kept: dict[Sign, list[int]] = {Sign.CARDS_OUT: [], Sign.CARDS_IN: []}
        self._open()

    def _open(self) -> None:
        world, machine = self.world, self.world.machine
        world.bring([Back.RED] * 3 + [Back.BLUE] * 3)
        world.wash()
        world.box.power_on()
        machine.power_on(None)
        self._gates()
        while len(world.felt[SPREAD]) or len(machine.carousel.hopper):
            hands.put_packet(machine, list(world.felt[SPREAD])[: PACKET - len(machine.carousel.hopper)])
            self._wait(10)
            self._mend()
        self._wait(10)
        self.told.clear()

    # --- time, sensors ----------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        end_ns = self.now_ns + round(seconds * NS)
        self.world.update(self.now_ns)
        while True:
            due_ns = self._next_ns()
            self._listen()
            if due_ns is None or due_ns >= end_ns:
                break
            self.now_ns = max(self.now_ns, due_ns)
        self.now_ns = end_ns
        self.world.update(end_ns)
        self._listen()

    def _next_ns(self) -> int | None:
        """When something comes that is told: while no card goes in, the tray alone."""
        carousel = self.world.machine.carousel
        if carousel.hopper or carousel.feed_path or carousel.throat:
            return self.world.update(self.now_ns)
        return self.world.box.update(self.now_ns)

    def _listen(self) -> None:
        self._cable()
        for happening in self.world.machine.take_happenings():
            if isinstance(happening, CardsOut):
                if self._round and not self.rounds[-1].first_ns:
                    self.rounds[-1].first_ns = self.now_ns
                self._tell(Sign.CARDS_OUT, happening.cards, (self._round,) * happening.cards)
            elif isinstance(happening, CardsIn):
                self._tell(Sign.CARDS_IN, happening.cards)
            elif isinstance(happening, Jammed | LidMoved | TroubleBegan | TroubleGone):
                self._tell(Sign.DISTURBED)
        for seen in self.world.box.take_happenings():
            if isinstance(seen, TrayRead):
                self.told.append(Told(Signal(Sign.TRAY, self.now_ns, seen.cards)))

    def _tell(self, sign: Sign, cards: int = 0, rounds: tuple[int, ...] = ()) -> None:
        if not self._is_cut:
            self.told.append(Told(Signal(sign, self.now_ns, cards), rounds))
        elif sign in self._kept:
            self._kept[sign] += rounds or (0,) * cards

    @property
    def _is_cut(self) -> bool:
        return self._cut_ns is not None and self._cut_ns <= self.now_ns

    def _cable(self) -> None:
        """A device keeps its meters, and tells the last one, while nobody listens (TDL 8.4)."""
        if self._cut_ns is None or self.now_ns < self._back_ns:
            return
        was_lost = self._back_ns - self._cut_ns > HEARD_LOST_S * NS
        if was_lost:
            lost_ns = self._cut_ns + round(HEARD_LOST_S * NS)
            place = next((at for at, told in enumerate(self.told) if told.signal.at_ns > lost_ns), len(self.told))
            self.told.insert(place, Told(Signal(Sign.AWAY, lost_ns)))
        self._cut_ns = None
        for sign, rounds in self._kept.items():
            if rounds:
                labels = tuple(rounds) if sign is Sign.CARDS_OUT else ()
                self.told.append(Told(Signal(sign, self.now_ns, len(rounds)), labels))
            rounds.clear()
        if was_lost:
            self.told.append(Told(Signal(Sign.ALL_TOLD, self.now_ns)))

    def _happens(self, habit: str) -> bool:
        if self.rng.random() >= self.habits.get(habit, 0.0):
            return False
        self._note(habit)
        return True

    def _note(self, fault: str) -> None:
        self.faults[fault] += 1
        if self.rounds:
            self.rounds[-1].faults.append(fault)

    def _dawdle(self, low_s: float, high_s: float) -> None:
        self._wait(self.rng.uniform(low_s, high_s))

    # --- the machine ------------------------------------------------------------------------------------------

    def _gates(self) -> None:
        self.world.machine.feed_gate.open(None)
        self.world.machine.deal_gate.open(None)

    def _mend(self, to: str = "") -> None:
        """Whatever stands: somebody comes, opens the lid, takes out what is stuck, shuts it. `to`: who waits for it."""
        machine = self.world.machine
        for trouble, spot in tuple(machine.standing.troubles):
            self._dawdle(5, 20)
            machine.standing.clear(trouble, spot)
        while machine.standing.jams:
            self._note(f"jam at {min(machine.standing.jams)}")
            self._dawdle(20, 90)
            machine.is_lid_released = True
            hands.open_lid(machine)
            self._dawdle(5, 30)
            for spot in sorted(machine.standing.jams):
                where = self.world.felt[to] if to and spot == "exit" else machine.carousel.hopper
                hands.take_stuck(machine, spot, where, hands.Skill.TECHNICIAN)
            hands.close_lid(machine)
            self._wait(1)
        self._gates()

    def _card(self, to: str) -> list[str]:
        """The next card as its face is read; two may come at once, and the second is laid away."""
        pile = self.world.felt[to]
        before = len(pile)
        while len(pile) == before:
            hands.draw(self.world.machine, pile)
            self._listen()
            if len(pile) == before:
                self._wait(0.5)
                self._mend(to)
        self._dawdle(0.7, 1.3)
        cards = [_said(card) for card in pile]
        if len(pile) > before + 1:
            list(pile)[-1].move_to(self.world.felt[TRAY])
        return cards[before : before + 1]

    # --- a round ----------------------------------------------------------------------------------------------

    def play(self, rounds: int) -> None:
        """So many rounds. Raises AssertionError where the world itself lost a card."""
        for _ in range(rounds):
            self._play_round()
        self._wait(30)
        self.world.assert_conserved()

    def _play_round(self) -> None:
        if len(self.rounds) % ROUNDS_A_DAY == 0:
            self._new_day()
        self._dawdle(*BETS_S)
        players = max(self.rng.randint(1, SEATS) for _ in range(3))
        seats = sorted(self.rng.sample(range(1, SEATS + 1), players))
        guests = [Player.sits_down(f"seat {seat}", self.rng) for seat in seats]
        self._round = len(self.rounds) + 1
        self.rounds.append(Round(self._round, self.now_ns))
        if self._happens("cable out"):
            self._cut_ns = self.now_ns + round(self.rng.uniform(0, 40) * NS)
            self._back_ns = self._cut_ns + round(self.rng.uniform(1, 20) * NS)
        self._deal(guests)
        self._settle()
        self._round = 0
        if self._happens("held over"):
            self.world.felt.gather().move_all(self.world.felt[TRAY])
        elif self.returns is Returns.AT_ONCE:
            self._give_back()
        elif self.returns is Returns.AT_SHOES_END and len(self.world.felt[TRAY]) > SHOES_END:
            self._dawdle(5, 10)
            self._insert(TRAY)
        if self._happens("draws by mistake"):
            self._dawdle(3, 6)
            self._card(SPREAD)
            self._insert()

    def _new_day(self) -> None:
        """Sensors are wiped, bent cards exchanged."""
        for spot in (Spot.FEED, Spot.EXIT):
            hands.clean(self.world.machine, spot)
        for card in self.world.cards:
            card.bend_um = 0

    def _deal(self, guests: list[Player]) -> None:
        """BJ-2 to BJ-9, as far as cards move."""
        dealt = {guest.seat: self._card(guest.seat) for guest in guests}
        bank = self._card(BANK)
        if self.returns is Returns.AFTER_NEXT_DEAL and len(self.rounds) > 1:
            self._insert(TRAY, is_waited_for=False)
        interrupted_at = self.rng.choice(guests) if self._happens("interrupted in the deal") else None
        for guest in guests:
            if guest is interrupted_at:
                self._dawdle(10, 60)
            dealt[guest.seat] += self._card(guest.seat)
        self._card(HOLE)
        slow = self.rng.choice(guests) if self._happens("thinks for long") else None
        still_in = 0
        for guest in guests:
            if guest is slow:
                self._dawdle(20, 90)
            still_in += self._serve(guest, dealt[guest.seat])
        bank += [_said(card) for card in self.world.felt[HOLE]]
        self.world.felt[HOLE].move_all(self.world.felt[BANK])
        while still_in and bank_draws(bank):
            bank += self._card(BANK)

    def _serve(self, guest: Player, hand: list[str]) -> int:
        """One guest's hand, or two after a split; returns how many are still in."""
        self._dawdle(0.4, 1.2)
        if is_blackjack(hand):
            return 1
        if not guest.wants_split(hand):
            return self._serve_hand(guest, guest.seat, hand)
        second = f"{guest.seat} {SPLIT}"
        self.world.felt[guest.seat].bottom.move_to(self.world.felt[second])
        first_hand = hand[:1] + self._card(guest.seat)
        second_hand = hand[1:] + self._card(second)
        return self._serve_hand(guest, guest.seat, first_hand) + self._serve_hand(guest, second, second_hand)

    def _serve_hand(self, guest: Player, place: str, hand: list[str]) -> int:
        """Cards as wished; a bust goes to the tray at once (CSM-9), and sometimes on into the machine."""
        if guest.wants_double(hand):
            hand = hand + self._card(place)
        else:
            while guest.wants_card(hand):
                hand = hand + self._card(place)
                self._dawdle(0.4, 1.2)
        if not is_bust(hand):
            return 1
        self.world.felt.discard(place)
        if self.returns is Returns.AT_ONCE and self._happens("inserts early"):
            self._dawdle(1, 3)
            self._insert(TRAY, is_waited_for=False)
        return 0

    def _settle(self) -> None:
        """Hands are paid and taken one after another; the round is over with the last one."""
        places = [place for place in self.world.felt.hands_in_play if len(place) and place.name != BANK]
        for place in (*places, self.world.felt[BANK]):
            self._dawdle(0.5, 1.5)
            if self.sweeps_to_tray:
                self.rounds[-1].settled_ns = self.now_ns
                place.move_all(self.world.felt[TRAY])
        if not self.sweeps_to_tray:
            self.rounds[-1].settled_ns = self.now_ns

    def _give_back(self) -> None:
        """Gather the cards and insert them (CSM-10)."""
        if self._happens("complaint"):
            self._dawdle(30, 180)
        self._dawdle(2, 4)
        felt = self.world.felt
        felt.gather()
        if self._happens("leaves a card on the table"):
            felt[SPREAD].bottom.move_to(felt[BANK])
        if self._happens("inserts in two goes"):
            self._insert(cards=self.rng.randint(1, len(felt[SPREAD])))
            self._dawdle(5, 40)
        self._insert(is_waited_for=not self._happens("deals while cards go in"))

    def _insert(self, source: str = SPREAD, cards: int = 0, *, is_waited_for: bool = True) -> None:
        pile, hopper = self.world.felt[source], self.world.machine.carousel.hopper
        hands.put_packet(self.world.machine, list(pile)[: cards or len(pile)])
        while is_waited_for and (len(hopper) or not self.world.machine.carousel.is_still):
            self._wait(1)
            self._mend()


def _said(card: Card) -> str:
    """As people say it."""
    return card.face.replace("T", "10")
