"""What the house has set for one table: the part of its configuration that decisions depend on.

It enters the state as an input at each start of the daemon (`DaemonStarted`), so that a replay of the journal
needs no file. No secrets in it: PIN hashes and keys stay at the rim.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tableside.cards import CARDS_PER_DECK
from tableside.games.blackjack_settings import BlackjackSettings
from tableside.jackpot.settings import JackpotSettings


class Role(StrEnum):
    """Who a person is at the table (rules: *Roles*)."""

    DEALER = "dealer"
    FLOOR_SUPERVISOR = "floor supervisor"
    TABLE_INSPECTOR = "table inspector"
    PIT_MANAGER = "pit manager"
    ROOM_MANAGEMENT = "room management"
    TECHNICIAN = "technician"
    SURVEILLANCE = "surveillance"
    INSPECTION_SERVICE = "inspection service"


class TableKind(StrEnum):
    """What cards come from: a continuous shuffler, an electronic shoe that is observed only, a batch machine, hands."""

    SHUFFLER = "shuffler"
    SHOE = "shoe"
    BATCH = "batch"
    HAND_SHOE = "hand-shoe"


class Person(msgspec.Struct, frozen=True):
    """A member of staff; validity in UTC ns, None is open. Badge numbers stay at the rim (badges.py).

    `badge` is the keyed digest of the one that the file names, empty where it names none.
    """

    staff: str
    name: str
    roles: tuple[Role, ...]
    valid_from_ns: int | None = None
    valid_until_ns: int | None = None
    is_revoked: bool = False
    badge: str = ""

    def is_valid_at(self, wall_ns: int) -> bool:
        """Whether the house lets this person act at this UTC instant."""
        is_begun = self.valid_from_ns is None or self.valid_from_ns <= wall_ns
        return is_begun and (self.valid_until_ns is None or wall_ns < self.valid_until_ns)


class DeckGroup(msgspec.Struct, frozen=True):
    """So many decks of 52 with one back colour (SHOE-1); `reserve` decks replace damaged cards (CSM-1)."""

    back: str
    decks: int
    reserve: int = 1


class SpecialCards(msgspec.Struct, frozen=True):
    """The colours of the two cards that are none of a deck, the same on both sides (SHOE-1)."""

    cut: str
    warning: str


class Jurisdiction(msgspec.Struct, frozen=True):
    """The rules of a place as data (semantics §4)."""

    name: str
    damaged: str = "card"  # machine: card, deck or set is replaced
    damaged_in_shoe: str = "deck"
    deck_rules_adopted: bool = False  # else they are poker custom, and the house decides
    reinsert: str = "before"  # the cards of a round go back before or after the next deal
    full_count_after_jam: bool = False
    bank_draws_soft_17: bool = False  # BJ-6, BJ-7; elsewhere a soft 17 is drawn on
    swap_allowed: bool = True
    incident_reload_allowed: bool = True


class Section(msgspec.Struct, frozen=True):
    """Who answers for the tables of one section, in the order in which they are asked (semantics §5)."""

    name: str
    supervisor: str = ""  # staff id; empty: room management
    neighbour: str = ""  # the next section's supervisor
    pit_manager: str = ""
    room_management: str = ""
    technician: str = ""  # who carries the technicians' pager; empty: the supervisor calls one
    rank: int = 0  # of this table among those of the section at its host: who calls first for all


class Display(msgspec.Struct, frozen=True):
    """A jackpot display: its driver, and how many characters stand on it at once."""

    name: str
    driver: str
    characters: int


class Maintenance(msgspec.Struct, frozen=True):
    """What is to be done at machines of a model (empty: at any) after so many cards or hours; 0 is no such limit.

    `what` is a part, *cleaning*, or *cards*: the set that is in play.
    """

    what: str
    model: str = ""
    after_cards: int = 0
    after_hours: int = 0


class ChipSlots(msgspec.Struct, frozen=True):
    """Jackpot chip slots: at which seats; `collects`: a window is emptied by command, else a chip falls through."""

    name: str
    seats: tuple[int, ...]
    collects: bool = True


class House(msgspec.Struct, frozen=True):
    """Settings of one table. Times in seconds, counts in cards."""

    table: str
    profile: str  # production, training or lab
    section: Section
    decks: tuple[DeckGroup, ...]
    seats: int
    persons: tuple[Person, ...]
    shuffler: str  # device names
    switch_box: str
    readers: tuple[str, ...]
    jurisdiction: Jurisdiction
    rounds_are_sensed: bool = False  # the dealer has no DONE key, or does not use it
    spare_shufflers: tuple[str, ...] = ()
    displays: tuple[Display, ...] = ()
    chip_slots: tuple[ChipSlots, ...] = ()
    chip_value: int = 0  # JP-10: of one jackpot chip, in the smallest unit of its currency
    chip_currency: str = ""
    kind: TableKind = TableKind.SHUFFLER
    shoe: str = ""
    face_up_antennas: tuple[str, ...] = ()  # above these cards lie open, as the house has it
    special_cards: SpecialCards | None = None  # None: no cards are dealt by hand here
    card_readers: tuple[str, ...] = ()  # they read cards as they are dealt, and hold nothing
    jackpot: JackpotSettings | None = None  # JP-1: optional; in force from the next start on where one runs already
    blackjack: BlackjackSettings | None = None  # hands are followed there
    dealer_decides: bool = True  # what an advice leaves to the dealer; else all decisions are the supervisor's
    jackpot_ledger: str = ""  # the linked jackpot's name in its ledger; empty: the table's own, in its own meters
    lamps: tuple[str, ...] = ()  # warning lamps that are devices of their own
    others: tuple[str, ...] = ()  # devices on which neither cards nor presence nor guests rest
    epoch: int = 0  # TDL 4.2: made with the journal
    min_packets: int = 2  # CSM-5
    max_packet_cards: int = 156
    machine_capacity_cards: int = 380  # 38 compartments of 10
    presence_s: int = 60  # semantics §2.1: 10 to 180, the inspection service's to approve
    presence_approved_by: str = ""
    presence_lapsed_class_2_s: int = 60  # semantics §2.1.4: paused so long calls somebody …
    presence_lapsed_class_1_s: int = 600  # … and so long is urgent
    lid_open_alert_s: int = 120
    jam_advice_count: int = 3  # third jam at one place …
    jam_advice_minutes: int = 60  # … within this: advise a swap
    device_silent_s: int = 8  # shorter losses are lines, not alerts
    held_over_alert_rounds: int = 3
    class_1_neighbour_s: int = 30  # semantics §5: not taken, an alert goes to the neighbour and the pit manager …
    class_1_management_s: int = 120  # … and to room management
    class_2_neighbour_s: int = 300
    maintenance: tuple[Maintenance, ...] = ()  # nothing is decided by it: `tableside diag pm` reads it
    languages: tuple[str, ...] = ("en",)
    time_zone: str = "UTC"  # of the tz database: what people read in reports; rows are in UTC

    @property
    def cards_at_table(self) -> int:
        """Cards of the playing decks, without the reserve deck."""
        return sum(group.decks for group in self.decks) * CARDS_PER_DECK

    @property
    def cards_in_reserve(self) -> int:
        """Cards of the reserve decks."""
        return sum(group.reserve for group in self.decks) * CARDS_PER_DECK

    def person(self, staff: str) -> Person | None:
        """Who has this staff id."""
        return next((person for person in self.persons if person.staff == staff), None)
