"""One table as it stands in the room: felt, shufflers (one in play, others beside it), switch box.

Where each physical card lies is known here, so a test can hold the journal's account against the truth.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable

from .batch import Rest
from .cards import RANK_SIGNS, SUIT_SIGNS, Back, Card, Pile, Rank, Suit, assert_conserved, new_deck
from .figures import BATCH, Figures
from .happenings import Spot
from .hazards import PINNED, Hazards, Rates
from .jobs import Play
from .machine import ShufflerMachine
from .switch_box import SwitchBox
from .waking import earliest

SEATS = 7
BANK = "bank"
TRAY = "tray"
RESERVE = "reserve"
# In the dealer's hands, or spread on the felt to be shown, mixed or sorted.
SPREAD = "spread"
# The bank's second card, face down until its turn (BJ-2).
HOLE = "bank, face down"
# The second hand of a split pair lies beside the first one (BJ-10).
SPLIT = "split"
# Beside the dealer: what was counted out of a machine and goes into another one.
ASIDE = "aside"
# Decks before a session and after it.
CABINET = "cabinet"
# Away from the table: pockets, the floor.
ELSEWHERE = "elsewhere"


class Felt:
    """Places on the table, by name. Envelopes and hands come into being when something is laid there."""

    def __init__(self, seats: int = SEATS) -> None:
        self.seats = tuple(f"seat {number}" for number in range(1, seats + 1))
        self.hands = (*self.seats, *(f"{seat} {SPLIT}" for seat in self.seats), BANK, HOLE)
        names = (*self.hands, TRAY, RESERVE, SPREAD, ASIDE, CABINET, ELSEWHERE)
        self.piles = {name: Pile(name) for name in names}

    def __getitem__(self, name: str) -> Pile:
        """The place with this name."""
        return self.piles.setdefault(name, Pile(name))

    def envelope(self, number: int) -> Pile:
        """A sealed envelope with a damaged card."""
        return self[f"envelope {number}"]

    @property
    def hands_in_play(self) -> list[Pile]:
        """Cards of the round that lie before the players and the bank."""
        return [self.piles[name] for name in self.hands]

    def gather(self) -> Pile:
        """The dealer gathers the round's cards and those of the tray. Returns where they are now."""
        for pile in (*self.hands_in_play, self.piles[TRAY]):
            pile.move_all(self.piles[SPREAD])
        return self.piles[SPREAD]

    def discard(self, name: str) -> int:
        """A hand is out of play: its cards go to the tray. Returns how many."""
        return self.piles[name].move_all(self.piles[TRAY])


class TableWorld:
    """Everything physical at one table. `machine` is in play; `spares` stand beside it, switched off.

    `batch`: the serial numbers of those that are batch shufflers.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        seats: int = SEATS,
        serials: tuple[str, ...] = ("000123", "000124"),
        rates: Rates = PINNED,
        figures: Figures | None = None,
        batch: Collection[str] = (),
    ) -> None:
        self.felt = Felt(seats)
        self.cards: list[Card] = []
        self.machines = {
            serial: ShufflerMachine(
                f"shuffler {serial}",
                seed + place,
                figures=BATCH if serial in batch else figures,
                hazards=Hazards(seed + place, rates),
                rest=Rest if serial in batch else Play,
            )
            for place, serial in enumerate(serials)
        }
        self.in_play = serials[0] if serials else ""  # a table with a shoe has no machine
        self.box = SwitchBox(
            "switch box", self.felt[TRAY], lambda: bool(self.machines) and self.machine.carousel.is_lid_open
        )
        self._rng = random.Random(f"hands {seed}")

    @property
    def machine(self) -> ShufflerMachine:
        """The shuffler in play."""
        return self.machines[self.in_play]

    def is_in_machine(self, card: Card) -> bool:
        """It lies in some machine, its mouth apart."""
        return any(
            card.pile in machine.piles and card.pile is not machine.carousel.mouth for machine in self.machines.values()
        )

    def _is_lid_open(self) -> bool:
        return bool(self.machines) and self.machine.carousel.is_lid_open

    def exchange_machine(self, serial: str) -> ShufflerMachine:
        """Put another shuffler into the table's opening. The old one keeps its cards. Raises KeyError: none such."""
        self.machines[serial]
        self.in_play = serial
        return self.machine

    def update(self, now_ns: int) -> int | None:
        """Play everything that is due, in machines and switch box."""
        wakes = [machine.update(now_ns) for machine in self.machines.values()]
        return earliest(*wakes, self.box.update(now_ns))

    # Cards come and go

    def bring(self, backs: Iterable[Back], *, to: str = SPREAD) -> list[Card]:
        """Sealed decks from the cabinet, one for each back named."""
        brought: list[Card] = []
        for back in backs:
            number = 1 + len({card.deck for card in self.cards})
            deck = new_deck(number, back, self.felt[to])
            self.cards += deck
            brought += deck
        return brought

    def slip_in(self, face: str, back: Back, *, to: str = SPREAD) -> Card:
        """A card that belongs to no deck of this table comes to lie there (deck 0)."""
        rank, suit = RANK_SIGNS.index(face[0]) + 1, SUIT_SIGNS.index(face[1]) + 1
        card = Card(0, Rank(rank), Suit(suit), back, self.felt[to])
        self.cards.append(card)
        return card

    def lose(self, face: str, back: Back, *, source: str = "") -> Card | None:
        """A card of this face and back leaves the table, from there or from wherever it lies. None: none does."""
        for name, pile in self.felt.piles.items():
            card = pile.find(face, back) if name != ELSEWHERE and source in ("", name) else None
            if card is not None:
                card.move_to(self.felt[ELSEWHERE])
                return card
        return None

    def wash(self, name: str = SPREAD) -> None:
        """Mix what lies there by hand."""
        self.felt[name].wash(self._rng)

    # Truth

    @property
    def piles(self) -> list[Pile]:
        return [*self.felt.piles.values(), *(pile for machine in self.machines.values() for pile in machine.piles)]

    def assert_conserved(self) -> None:
        """Every card brought lies in exactly one place. Raises `ConservationError`."""
        assert_conserved(self.cards, self.piles)

    def census(self) -> Counter[str]:
        """How many cards lie where, in the words of a card account; nothing is counted twice."""
        found: Counter[str] = Counter()
        for name, pile in self.felt.piles.items():
            is_on_table = name in (*self.felt.hands, SPREAD, ASIDE)
            found["table" if is_on_table else name] += len(pile)
        for serial, machine in self.machines.items():
            carousel = machine.carousel
            found["hopper"] += len(carousel.hopper)
            found["table"] += len(carousel.mouth)
            inside = machine.cards_inside
            found["machine" if serial == self.in_play else f"left in {serial}"] += inside
        return +found

    def identities(self, *names: str) -> Counter[tuple[str, Back]]:
        """Which faces and backs lie in these places of the felt: what a sort would find."""
        return Counter((card.face, card.back) for name in names for card in self.felt[name])

    def stuck_spots(self) -> list[Spot]:
        """Where a card is stuck in the machine in play, as one sees it at an open lid."""
        return sorted(self.machine.carousel.jammed)
