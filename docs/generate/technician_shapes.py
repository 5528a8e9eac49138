"""The shapes of what the daemon itself puts together as plain JSON: how a device stands, a row, a message.

Whatever a body or a state holds follows the rows of the journal and is not repeated here.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from drivers.events import Outcome, Reason
from tableside.explained import Explained


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """A table's journal and its reserve."""

    rows: int
    journal_bytes: int
    log_bytes: int
    reserve_rows: int
    reserve_free_bytes: int | None
    troubles: list[str]


class DeviceHealth(msgspec.Struct, frozen=True, kw_only=True):
    """A device and its cable; `counts` by name, those of a kind by kind."""

    model: str
    serial: str
    firmware: str
    trust: Literal["anonymous", "self-reported", "authenticated"]
    silent_ms: int | None
    is_connected: bool
    losses: int
    why_away: str
    ended_by: str
    counts: dict[str, int | float | str | bool | dict[str, int] | None]


class TableHealth(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the host."""

    stopped: str
    locked: str
    codes_ignored: dict[str, int]
    row: int
    journal: Journal
    devices: dict[str, DeviceHealth]
    outputs: dict[str, Any]
    restarts: dict[str, int]


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """`diag status`: the daemon and its tables."""

    host: str
    version: str
    profile: str
    pid: int
    loop: dict[str, int | float]
    space: dict[str, str]
    refused_tables: dict[str, str]
    tables: dict[str, TableHealth]


class Walked(msgspec.Struct, frozen=True, kw_only=True):
    """A step that has shown something, and what."""

    step: str
    said: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`diag why`: the step that fails, null where none does."""

    device: str
    address: str
    step: str | None
    cause: str
    line: str
    next_step: str
    walked: list[Walked]


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """`diag explain`: what stands under a code; `second`: the same in another language, where one was asked for."""

    entries: list[Explained]
    second: list[Explained]


class RowLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag watch`: a row of the journal, a line each; `lines` of an alert by language."""

    table: str
    seq: int
    kind: Literal["genesis", "input", "decision", "checkpoint"]
    type: str
    at: str
    quality: str
    body: dict[str, Any]
    lines: dict[str, list[str]] = {}


class TraceLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag trace`: a message of a cable, a line each; `data` is hex, `device` named where several are told."""

    at_ns: int
    direction: Literal["in", "out", "end"]
    text: str
    data: str
    device: str = ""


class SelfTestLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag selftest` and `exercise`: how it ended, and which faults were told meanwhile; `part` 0 is all."""

    device: str
    part: int
    outcome: Outcome
    reason: Reason
    faults: list[str]


class CountLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag count`: what the machine holds, and what the account has in it."""

    device: str
    counted: int
    expected: int


class DealTestLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag test-deal`: `why` is *done*, or what stopped it; `left` null where the machine did not say."""

    device: str
    cards_in: int
    cards_out: int
    left: int | None
    why: str


class FactLine(msgspec.Struct, frozen=True, kw_only=True):
    """`diag replay` of a cable's recording: a fact that today's driver makes of it, a line each."""

    at_ns: int
    type: str
    body: dict[str, Any]


class TableAtRow(msgspec.Struct, frozen=True, kw_only=True):
    """`diag replay` of a journal: the table as it stood; the rest as the control socket's `state` has it."""

    row: int
    wall: str
    table: str
    locks: list[Any]
    alerts: list[Any]
    account: dict[str, Any]
    devices: dict[str, Any]
