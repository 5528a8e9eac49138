"""What happens to a session's cards on their way in and out: proof, load, unload, sort. Rows of the journal."""

from __future__ import annotations

from drivers.events import Holding
from tableside.cards import Card
from tableside.happenings import Happening


class CutSkipped(Happening, frozen=True, kw_only=True):
    """With an automatic shuffler the cards are not cut (CSM-3)."""

    why: str


class EmptyProved(Happening, frozen=True, kw_only=True):
    """Content 0 in all areas and path clear, as the machine told; `purpose`: load, unload, swap.

    `by`: who looked into a machine that cannot tell; empty where it told itself. `held` says how CSM-5 was held:
    *enforces* or *observes*, as far as the machine states that it counts what it holds; *cannot* where people looked.
    """

    device: str
    purpose: str
    by: str = ""
    held: Holding | None = None  # the first rows do not say


class EmptyWanted(Happening, frozen=True, kw_only=True):
    """A procedure needs a machine proved empty; `purpose` comes back with the proof."""

    device: str
    purpose: str


class EmptyDisproved(Happening, frozen=True, kw_only=True):
    """The machine is not empty, or does not tell, or something lies in its hopper or path."""

    device: str
    purpose: str
    content: int | None
    is_path_clear: bool = False  # rows of before 0.2 do not say


class LoadWanted(Happening, frozen=True, kw_only=True):
    """A swap or an incident reload is ready for its load; `operation` names whose presence it is made under."""

    kind: str
    operation: str
    device: str
    packets: int


class LoadStarted(Happening, frozen=True, kw_only=True):
    """`kind`: session, card change, swap or incident."""

    kind: str
    packets: int
    by: str


class PacketDiffered(Happening, frozen=True, kw_only=True):
    """The machine counted another number of cards than was declared."""

    packet: int
    declared: int
    counted: int


class PacketCorrected(Happening, frozen=True, kw_only=True):
    """The supervisor said how many cards a packet really had."""

    packet: int
    cards: int
    by: str


class PacketLoaded(Happening, frozen=True, kw_only=True):
    packet: int
    cards: int


class LoadPaused(Happening, frozen=True, kw_only=True):
    why: str
    cards: int  # meter at that moment
    of: int


class LoadResumed(Happening, frozen=True, kw_only=True):
    cards: int
    by: str


class LoadCompleted(Happening, frozen=True, kw_only=True):
    kind: str
    cards: int
    packets: int


class UnloadWanted(Happening, frozen=True, kw_only=True):
    """An incident reload needs the machine emptied; `operation` names whose presence it is made under."""

    kind: str
    operation: str
    device: str


class UnloadStopped(Happening, frozen=True, kw_only=True):
    """The machine will not give out the rest: a person is asked."""

    device: str
    why: str


class UnloadStarted(Happening, frozen=True, kw_only=True):
    """`kind`: session or incident."""

    kind: str
    by: str


class UnloadCompleted(Happening, frozen=True, kw_only=True):
    """The machine gave out so many cards and is proved empty."""

    kind: str
    cards: int


class CardsSorted(Happening, frozen=True, kw_only=True):
    """The sort's finding: regular, or what is missing, too many, foreign, by name."""

    is_regular: bool
    missing: tuple[Card, ...]
    too_many: tuple[Card, ...]
    foreign: tuple[Card, ...]


class SortSettled(Happening, frozen=True, kw_only=True):
    """Room management decided on an irregular sort."""

    incident: int
    decision: str
    by: str


# --- card change, reload, swap --------------------------------------------------------------------------------


class CardChangeBegun(Happening, frozen=True, kw_only=True):
    """The session is to end and the next to open at once, the guests keep their seats (semantics §4)."""

    by: str


class NextSessionWanted(Happening, frozen=True, kw_only=True):
    """A card change: the next session opens with the dealer who was on duty."""

    dealer: str


class ReloadStarted(Happening, frozen=True, kw_only=True):
    incident: int
    by: str


class ReloadCompleted(Happening, frozen=True, kw_only=True):
    incident: int
    cards: int


class MachineCountedOut(Happening, frozen=True, kw_only=True):
    """The old machine was emptied and its cards counted; it is out of use from here on."""

    device: str
    serial: str
    cards: int
    left_behind: int
