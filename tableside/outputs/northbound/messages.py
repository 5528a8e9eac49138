"""What goes over the broker, as JSON: the types that docs/protocols/northbound/ is made from. Pure.

Times are UTC in ISO 8601 with a Z. An `id` is `<table>:<epoch of its journal>:<row>`: the same row has the same id
however often it is sent, and no row of another journal has it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tableside.people import STAFF_ID_PATTERN

# JSON Schema's patterns have no \A and \Z.
_STAFF = STAFF_ID_PATTERN.replace(r"\A", "^").replace(r"\Z", "$")
_UTC = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$"
COMMAND_ID = re.compile(r"[A-Za-z0-9._-]{1,40}")
PAGE_CHARACTERS = 160

Utc = Annotated[str, Meta(pattern=_UTC, description="UTC, ISO 8601 with Z", examples=["2026-01-31T20:15:00Z"])]
RowId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,16}:[0-9a-f]{8}:\d{1,18}$", examples=["BJ-07:a1b2c3d4:812"])]


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Any message from a table."""

    table: str


class LinkTold(Told, frozen=True, kw_only=True):
    """Whether the table's daemon is at the broker; retained, and the same as the will with `is_online` false.

    Readers ignore an off-line of an older (`boot`, `connection`) than the on-line they hold: a will may come late.
    """

    is_online: bool
    host: str
    boot: Annotated[
        str, Meta(description="run of the daemon: its start in UTC, so later runs sort behind earlier ones")
    ]
    connection: Annotated[int, Meta(ge=1, description="number of this connection in that run")]


class LockTold(msgspec.Struct, frozen=True):
    """A named reason not to do what `scope` says."""

    scope: str
    reason: str
    rule: str
    is_from_next_round: bool


class AlertTold(msgspec.Struct, frozen=True):
    """A standing alert; `level` is its class, 0 at the table only; `lines` are fact and next step by language."""

    alert: int
    text: str
    level: int
    place: str
    progress: str
    taken_by: str
    times: int
    lines: dict[str, tuple[str, str]]


class StateTold(Told, frozen=True, kw_only=True):
    """How the table stands after row `row`; retained. Nothing in it tells a card."""

    host: str
    section: str
    profile: str
    is_simulated: bool
    row: int
    at: Utc
    kind: Annotated[str, Meta(description="what its cards come from: shuffler, batch or shoe")]
    session: Annotated[str, Meta(description="of the session; of a batch table its machine, of a shoe its game")]
    round: int
    round_state: str
    is_allowed: dict[str, bool]
    locks: tuple[LockTold, ...]
    alerts: tuple[AlertTold, ...]
    devices: dict[str, bool]
    stopped: Annotated[str, Meta(description="why the table takes no requests; empty while it runs")]


class Delivered(Told, frozen=True, kw_only=True):
    """What a consumer gets, in order, again and again until it acknowledges the `id`.

    `follows` is the row of the message before it for this consumer, 0 for the first one: a gap can be seen.
    """

    id: RowId
    row: int
    follows: int
    at: Utc
    is_simulated: bool


class EventTold(Delivered, frozen=True, kw_only=True):
    """A row of the journal: an input or a decision, named by its `type`. A card that is secret is *a card*."""

    kind: Literal["input", "decision"]
    type: str
    quality: Annotated[str, Meta(description="how far the clock is to be believed")]
    body: dict[str, object]


class BookmarkKind(StrEnum):
    """What surveillance is shown where to look for."""

    ALERT = "alert"
    LID = "lid"
    LOAD = "load"
    UNLOAD = "unload"
    SWAP = "swap"
    COMPLAINT = "complaint"
    JACKPOT = "jackpot"


class BookmarkTold(Delivered, frozen=True, kw_only=True):
    """A stretch of time worth looking at: sent when it begins, and once more with its end.

    Both carry the same `bookmark`; one that ends within its row has start and end at once.
    """

    bookmark: RowId
    what: BookmarkKind
    detail: str
    round: Annotated[int, Meta(description="round in progress at the start, 0 outside of one")]
    start: Utc
    end: Utc | None = None


class PageTold(Delivered, frozen=True, kw_only=True):
    """An alert for a pager (docs/protocols/paging.md): who is asked, and one line."""

    alert: int
    level: int
    to: tuple[str, ...]
    line: Annotated[str, Meta(max_length=PAGE_CHARACTERS)]


class Acknowledged(msgspec.Struct, frozen=True):
    """From a consumer: this message and all before it are kept. On its own `acks` topic."""

    id: RowId


class CommandName(StrEnum):
    """What a client may ask: nothing that moves a card or money."""

    HOLD = "hold"  # the dealer's HOLD: a complaint, insertion waits
    STOP = "stop"  # no more dealing until a supervisor lets it go on
    ACKNOWLEDGE = "acknowledge"  # an alert was seen; it is neither taken nor cleared
    TAKE = "take"  # somebody goes


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From a client, on its own `commands` topic, never retained, with a response topic below its `replies` topic.

    `alert` and `staff` are needed for acknowledge and take, and mean nothing for the others.
    """

    id: Annotated[str, Meta(pattern=rf"^{COMMAND_ID.pattern}$", description="1 to 40 letters, digits, . _ -")]
    command: CommandName
    issued: Utc
    expires: Utc
    staff: Annotated[str, Meta(pattern=_STAFF)] | None = None
    alert: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    text: Annotated[str, Meta(max_length=200)] = ""


class TurnedAway(StrEnum):
    """Why a command never reached the table."""

    OVERSIZED = "oversized"
    RETAINED = "retained"
    MALFORMED = "malformed"
    UNKNOWN_CLIENT = "unknown client"
    STALE = "stale"
    EXPIRED = "expired"
    FROM_THE_FUTURE = "from the future"
    LIVES_TOO_LONG = "lives too long"
    REPLY_TOPIC = "reply topic"
    NOT_FOR_STAFF = "not for this staff id"
    REPEATED = "repeated"


class CommandAnswered(Told, frozen=True, kw_only=True, omit_defaults=True):
    """To a client. `refusal` says what was wrong with the command itself; else the table accepted or refused it.

    A repeated command does nothing; `answer`, `rule`, `text` and `next_step` are those of the first time.
    """

    id: str
    answer: Literal["accepted", "refused", "unknown"]
    refusal: TurnedAway | None = None
    rule: str = ""
    text: str = ""
    next_step: str = ""


def row_id(table: str, epoch: int, row: int) -> str:
    """The id of what a row makes."""
    return f"{table}:{epoch:08x}:{row}"
