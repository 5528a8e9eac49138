"""One line of the control socket: what it asks, or everything that is wrong with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import msgspec

from tableside.configuration.mistake import nearest_of
from tableside.control.acts import ACTS, NO_BADGE, OF_SECTION
from tableside.control.fields import read_fields
from tableside.requests import AnyRequest, Request

# EnterSort with every card named is 20 kB; more than this is no message of ours.
MAX_LINE_BYTES = 65_536
# No colon, so that no message takes the id of a dealer's key (serial:boot:number) in advance.
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ID_WORDS = "1 to 64 letters, digits, . _ -"
WAYS = ("page", "cli", "pager")

# What is read and changes nothing. Each may name its table; a host with one table needs no name.
SUBSCRIBE = "subscribe"
TRACE = "trace"
VERIFY_FIRMWARE = "verify-firmware"
WHY = "why"
HISTORY = "history"
READS = ("hello", "status", "state", "alerts", SUBSCRIBE, HISTORY, TRACE, VERIFY_FIRMWARE, WHY)
# Reads of one device.
OF_DEVICE = (TRACE, VERIFY_FIRMWARE, WHY)
# What a read takes beside its table.
_MORE = {SUBSCRIBE: ("after",), HISTORY: ("after", "types"), **dict.fromkeys(OF_DEVICE, ("device",))}
# Reads that are followed by a stream of lines.
STREAMS = (SUBSCRIBE, HISTORY, TRACE, VERIFY_FIRMWARE)


@dataclass(frozen=True, slots=True)
class Mistaken:
    """A line that was not understood: nothing was done, and its id is not used up."""

    id: str
    mistakes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A question. `after` (subscribe, history): the number of the row after which rows are wanted; None from now on,
    of a history from the first. `types` (history): which rows, none named: all.

    `device`: at whose cable one listens (trace), which port proves its machine's firmware (verify-firmware).
    """

    id: str
    act: str
    table: str = ""
    after: int | None = None
    device: str = ""
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """A request of a person. `pins` prove the second way (staff id to PIN) and go no further than the desk."""

    id: str
    kind: type[Request]
    table: str = ""
    section: str = ""
    staff: str = ""
    via: str = "cli"
    pins: Mapping[str, str] = field(default_factory=dict, repr=False)
    fields: Mapping[str, object] = field(default_factory=dict)

    def request(self, second_way: tuple[str, ...] = ()) -> AnyRequest:
        """What the hub is asked."""
        made = self.kind(id=self.id, by=self.staff, via=self.via, second_way=second_way, **self.fields)
        return cast(AnyRequest, made)


Message = Read | Act


def parse_line(line: bytes) -> Message | Mistaken:
    """What a line (without its end) asks, or what is wrong with it, every mistake at once."""
    try:
        given = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Mistaken("", (f"the line is not JSON: {error}",))
    if not isinstance(given, dict):
        return Mistaken("", ("the line is no JSON object; allowed: one object a line",))
    mistakes: list[str] = []
    name = _text(given, "id", mistakes, is_needed=True)
    if name and not ID.fullmatch(name):
        mistakes.append(f"id: is no request id; allowed: {ID_WORDS}")
    act = _text(given, "act", mistakes, is_needed=True)
    message: Message | None = None
    if act in READS:
        message = _read_of(given, name, act, mistakes)
    elif act in ACTS:
        message = _act_of(given, name, ACTS[act], mistakes)
    elif act:
        known = (*READS, *ACTS)
        near = nearest_of(act, known)
        hint = f'; did you mean "{near}"' if near else ""
        mistakes.append(f'act: "{act[:40]}" is not known{hint}; see docs/protocols/control.md')
    if message is None or mistakes:
        return Mistaken(name if ID.fullmatch(name) else "", tuple(mistakes))
    return message


def _read_of(given: dict[str, object], name: str, act: str, mistakes: list[str]) -> Read:
    more = _MORE.get(act, ())
    _no_others(given, ("id", "act", "table", *more), mistakes)
    after = given.get("after")
    if after is not None and (not isinstance(after, int) or isinstance(after, bool) or after < 0):
        mistakes.append("after: is no row number; allowed: a whole number from 0, or nothing")
        after = None
    device = _text(given, "device", mistakes, is_needed=act in OF_DEVICE)
    return Read(name, act, _text(given, "table", mistakes), after, device, _types(given, mistakes))


def _types(given: dict[str, object], mistakes: list[str]) -> tuple[str, ...]:
    types = given.get("types", [])
    if isinstance(types, list) and all(isinstance(one, str) for one in types):
        return tuple(types)
    mistakes.append("types: is no list of texts; allowed: types of rows such as CardJammed, or nothing")
    return ()


def _act_of(given: dict[str, object], name: str, kind: type[Request], mistakes: list[str]) -> Act:
    is_of_section = kind in OF_SECTION
    _no_others(
        given,
        ("id", "act", "table", *(("section",) if is_of_section else ()), "staff", "via", "pins", "fields"),
        mistakes,
    )
    via = _text(given, "via", mistakes) or "cli"
    if via not in WAYS:
        mistakes.append(f"via: is no way; allowed: {', '.join(WAYS)}")
    return Act(
        id=name,
        kind=kind,
        table=_text(given, "table", mistakes),
        section=_text(given, "section", mistakes),
        staff=_text(given, "staff", mistakes, is_needed=kind not in NO_BADGE),
        via=via,
        pins=_pins(given, mistakes),
        fields=read_fields(kind, given.get("fields", {}), mistakes),
    )


def _pins(given: dict[str, object], mistakes: list[str]) -> dict[str, str]:
    pins = given.get("pins", {})
    if not isinstance(pins, dict) or not all(isinstance(pin, str) for pin in pins.values()):
        mistakes.append("pins: is no object of texts; allowed: staff id to PIN")  # the value itself is never repeated
        return {}
    return pins


def _text(given: dict[str, object], key: str, mistakes: list[str], *, is_needed: bool = False) -> str:
    value = given.get(key)
    if value is None or value == "":
        if is_needed:
            mistakes.append(f"{key}: is missing; allowed: {_NEEDED[key]}")
        return ""
    if not isinstance(value, str):
        mistakes.append(f"{key}: is no text")
        return ""
    return value


def _no_others(given: dict[str, object], allowed: tuple[str, ...], mistakes: list[str]) -> None:
    for key in given:
        if key not in allowed:
            near = nearest_of(key, allowed)
            hint = f'; did you mean "{near}"' if near else ""
            mistakes.append(f'"{key[:40]}" is not known here{hint}; allowed: {", ".join(allowed)}')


_NEEDED: Mapping[str, str] = {
    "id": ID_WORDS,
    "device": "the name of a device of the table",
    "act": "a name of docs/protocols/control.md",
    "staff": "the staff id of who asks; only stop-play, call-supervisor and raise-complaint need none",
}
