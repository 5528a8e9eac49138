"""Everything that enters a table: facts of devices, facts of the daemon itself, requests of people.

An input carries its instant, so `reduce` reads no clock. The body that the journal stores is the JSON of
`Input.what`; replay decodes it again.
"""

from __future__ import annotations

import msgspec

from drivers.events import SightingKind
from drivers.every_fact import AnyFact
from tableside.causes import Elsewhere
from tableside.house import House
from tableside.jackpot.linked import Hit, Standing
from tableside.requests import AnyRequest


class SystemFact(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """A fact that the daemon tells of itself or of its host."""


class DaemonStarted(SystemFact, frozen=True, kw_only=True):
    """A daemon took this journal up: its version, the monotonic clock's boot, the settings in force."""

    version: str
    clock_boot: str
    house: House


class DeadlinePassed(SystemFact, frozen=True, kw_only=True):
    """A timer that the table had set has run out."""

    name: str


class JournalOnReserve(SystemFact, frozen=True, kw_only=True):
    """The journal cannot be written; rows go to the reserve: no new round (semantics §1.1)."""

    why: str


class JournalRestored(SystemFact, frozen=True, kw_only=True):
    """The journal can be written again; so many rows were carried over."""

    rows: int


class JournalReached(SystemFact, frozen=True, kw_only=True):
    """Neither journal nor reserve could be written for so long: permits ended, facts waited, requests were refused."""

    seconds: float
    why: str


class JournalDoubted(SystemFact, frozen=True, kw_only=True):
    """At opening the journal did not fit together, or a strange reserve lay beside it: what was found, in words."""

    findings: tuple[str, ...]


class CommitSlow(SystemFact, frozen=True, kw_only=True):
    """A commit took longer than 250 ms; above 5 s it locks."""

    seconds: float


class SpaceLow(SystemFact, frozen=True, kw_only=True):
    """The journal's disk has little room left."""

    free_percent: int


class SpaceEnough(SystemFact, frozen=True, kw_only=True):
    """The journal's disk has room again."""


class UsbStrangers(SystemFact, frozen=True, kw_only=True):
    """USB devices that are plugged in at the host and stand on no list, in words; none: the last one has gone.

    `new` are those among them that were not there at the look before; all, at the first look of a run.
    """

    devices: tuple[str, ...]
    new: tuple[str, ...]


class ClockStepped(SystemFact, frozen=True, kw_only=True):
    """The wall clock was stepped by so many seconds (BR-052)."""

    seconds: float


class BadgeSighted(SystemFact, frozen=True, kw_only=True):
    """What the rim made of a reader's `BadgeSeen`: whose badge, never which number (semantics §5 *Badges*).

    An unknown badge has no `staff` but a keyed `digest`: the key stays at the rim, as the journal must not tell it.
    """

    reader: str
    kind: SightingKind
    staff: str = ""
    digest: str = ""


class ScreenSignedIn(SystemFact, frozen=True, kw_only=True):
    """A screen of the supervisor's page acts under this badge from here on, which was seen at the reader (ADR 38)."""

    screen: int
    reader: str
    staff: str


class ScreenSignedOut(SystemFact, frozen=True, kw_only=True):
    """It does no more, and why; a daemon that starts has nobody signed in."""

    screen: int
    staff: str
    why: str


class NeighbourSighting(SystemFact, frozen=True, kw_only=True):
    """A tap at the neighbouring table's reader, passed on because ours is away (semantics §2.1.9)."""

    staff: str
    reader: str


class NeighbourSupervised(SystemFact, frozen=True, kw_only=True):
    """The neighbouring section has another supervisor: he is asked when nobody here takes an alert (semantics §5)."""

    staff: str


class AlertElsewhere(SystemFact, frozen=True, kw_only=True):
    """Another table of the section calls people for something that may have struck here too (semantics §5)."""

    stands: Elsewhere


class AlertElsewhereGone(SystemFact, frozen=True, kw_only=True):
    """It does not stand there any more."""

    table: str
    alert: int


class CommandTurnedAway(SystemFact, frozen=True, kw_only=True):
    """Another system's command that never came before the table: whose, its id as far as it has one, why (BR-037).

    A frame that lies at the broker for a device, or as from one, is told so too: `client` is the device then.
    """

    client: str
    command: str
    why: str
    text: str
    topic: str


class OpenedCard(msgspec.Struct, frozen=True, kw_only=True):
    """What a sealed card was; `card` empty where it was sealed with a key that is gone."""

    device: str
    place: str
    card: str


class CardsOpened(SystemFact, frozen=True, kw_only=True):
    """What cards of a round are, in the order in which they were read.

    `is_face_up`: these lay open while it went on. The others of the round follow when it is over, each card once.
    """

    round: int
    cards: tuple[OpenedCard, ...]
    is_face_up: bool = False


class LedgerTold(SystemFact, frozen=True, kw_only=True):
    """How the linked jackpot stands now, as its ledger says: when it first answers, and when that has changed."""

    standing: Standing


class LedgerTook(SystemFact, frozen=True, kw_only=True):
    """The ledger has counted an entry of this table, now or before; of a claim it says what it comes to."""

    entry: str
    standing: Standing
    hit: Hit | None = None


class LedgerLost(SystemFact, frozen=True, kw_only=True):
    """The ledger does not answer, or does not take what it is given: what it has of the last entry is not known."""

    why: str


AnySystemFact = (
    DaemonStarted
    | DeadlinePassed
    | JournalOnReserve
    | JournalRestored
    | JournalReached
    | JournalDoubted
    | CommitSlow
    | SpaceLow
    | SpaceEnough
    | UsbStrangers
    | ClockStepped
    | BadgeSighted
    | ScreenSignedIn
    | ScreenSignedOut
    | NeighbourSighting
    | NeighbourSupervised
    | AlertElsewhere
    | AlertElsewhereGone
    | CommandTurnedAway
    | CardsOpened
    | LedgerTold
    | LedgerTook
    | LedgerLost
)
AnyInput = AnyFact | AnyRequest | AnySystemFact


class Input(msgspec.Struct, frozen=True):
    """One input with its instant: monotonic ns (within the clock boot of the last `DaemonStarted`), UTC ns."""

    at_ns: int
    wall_ns: int
    quality: str
    what: AnyInput


_decoder: msgspec.json.Decoder[AnyInput] = msgspec.json.Decoder(AnyInput)
_encoder = msgspec.json.Encoder()


def encode_body(what: msgspec.Struct) -> bytes:
    """The bytes that the journal stores and hashes."""
    return _encoder.encode(what)


def decode_body(body: bytes) -> AnyInput:
    """The input back from its stored bytes. Raises `msgspec.ValidationError`."""
    return _decoder.decode(body)
