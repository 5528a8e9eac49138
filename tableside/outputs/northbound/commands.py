"""Commands from other systems: judged before they come near the table. Pure.

Only what moves no card and no money is taken, and only fresh, whole, from a client that the configuration knows. What
is turned away is answered with its reason and recorded, once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from tableside.outputs.northbound.broker import Received
from tableside.outputs.northbound.messages import COMMAND_ID, Command, CommandName, TurnedAway
from tableside.outputs.northbound.topics import Topics
from tableside.requests import AcknowledgeAlert, AnyRequest, RaiseComplaint, StopPlay, TakeAlert

# The longest sound one is under 600 bytes.
MAX_BYTES = 4_096
# What a person decided longer ago than this is decided anew (BR-051: a stop of the morning carried out at noon).
STALE_S = 30
# Two house clocks that are set by one time server differ by far less.
SKEW_S = 5
# A command that may wait longer than this is none.
MAX_LIFE_S = 60

_decoder = msgspec.json.Decoder(Command)
_FOR_STAFF = frozenset({CommandName.ACKNOWLEDGE, CommandName.TAKE})


@dataclass(frozen=True, slots=True)
class Refused:
    """Turned away: why, in words, what to do, and the id as far as it could be read."""

    id: str
    why: TurnedAway
    text: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Sound:
    """A command that may be put to the table, as a request. `digest` tells a repeat from another one of that id."""

    command: Command
    request: AnyRequest
    digest: str


def client_of(topic: str) -> str:
    """Whose command topic this is; the broker lets nobody else write there."""
    return topic.rsplit("/", 1)[-1]


def digest_of(payload: bytes) -> str:
    """Short name of a payload."""
    return hashlib.sha256(payload).hexdigest()[:16]


def judged(
    received: Received, topics: Topics, speaks_for: Mapping[str, frozenset[str]], now: datetime
) -> Sound | Refused:
    """What becomes of a message on a command topic. `speaks_for`: the known clients, and for whom each may speak."""
    client = client_of(received.topic)
    if received.is_retained:  # whatever it is, it lies there for ever (BR-037)
        text = f"it is retained at the broker, on {received.topic}"
        known = _id_of(received.payload[:MAX_BYTES])
        return Refused(
            known, TurnedAway.RETAINED, text, "publish commands without the retain flag, and clear that topic"
        )
    if len(received.payload) > MAX_BYTES:
        text = f"{len(received.payload)} bytes; allowed: {MAX_BYTES}"
        return Refused("", TurnedAway.OVERSIZED, text, "send one command a message")
    command = _read(received.payload)
    if isinstance(command, Refused):
        return command
    for rule in _RULES:
        if (why := rule(command, received, _Case(topics, client, speaks_for, now))) is not None:
            return Refused(command.id, *why)
    return Sound(command, _request(command, client), digest_of(received.payload))


def _read(payload: bytes) -> Command | Refused:
    try:
        return _decoder.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        known = _id_of(payload)
        return Refused(known, TurnedAway.MALFORMED, str(error), "see docs/protocols/northbound.md and its JSON Schema")


def _id_of(payload: bytes) -> str:
    """The id of a command that is otherwise broken, so that its answer can be matched."""
    try:
        given = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    name = given.get("id") if isinstance(given, dict) else None
    return name if isinstance(name, str) and COMMAND_ID.fullmatch(name) else ""


@dataclass(frozen=True, slots=True)
class _Case:
    topics: Topics
    client: str
    speaks_for: Mapping[str, frozenset[str]]
    now: datetime


_Why = tuple[TurnedAway, str, str]


def _known_client(_command: Command, _received: Received, case: _Case) -> _Why | None:
    if case.client in case.speaks_for:
        return None
    return TurnedAway.UNKNOWN_CLIENT, f'"{case.client}" is no client here', "name it in the host's file, [[clients]]"


def _in_time(command: Command, _received: Received, case: _Case) -> _Why | None:
    """BR-051; clocks of two machines are compared here because nothing else is common to them."""
    issued, expires = _instant(command.issued), _instant(command.expires)
    if issued is None or expires is None:
        return TurnedAway.MALFORMED, "issued or expires is no moment of this calendar", "UTC, ISO 8601 with Z"
    life_s = (expires - issued).total_seconds()
    if not 0 < life_s <= MAX_LIFE_S:
        return TurnedAway.LIVES_TOO_LONG, f"it lives {life_s:g} s; allowed: up to {MAX_LIFE_S} s", "set expires anew"
    if issued - case.now > timedelta(seconds=SKEW_S):
        return TurnedAway.FROM_THE_FUTURE, "it was issued after now", "set the clocks of both machines"
    if case.now >= expires:
        return TurnedAway.EXPIRED, f"it expired at {command.expires}", "decide anew, and send it under a new id"
    if case.now - issued > timedelta(seconds=STALE_S):
        text = f"it was issued more than {STALE_S} s ago, at {command.issued}"
        return TurnedAway.STALE, text, "decide anew, and send it under a new id"
    return None


def _reply_topic(_command: Command, received: Received, case: _Case) -> _Why | None:
    own = case.topics.reply(case.client)
    if received.reply_topic is None:
        return TurnedAway.REPLY_TOPIC, "it names no response topic", f"name {own} or one below it"
    if not case.topics.may_reply(received.reply_topic, case.client):
        return TurnedAway.REPLY_TOPIC, "its response topic is not its own", f"name {own} or one below it"
    return None


def _for_staff(command: Command, _received: Received, case: _Case) -> _Why | None:
    if command.command not in _FOR_STAFF:
        if command.staff is None and command.alert is None:
            return None
        return TurnedAway.MALFORMED, f"{command.command} takes neither staff nor alert", "leave them out"
    if command.staff is None or command.alert is None:
        return TurnedAway.MALFORMED, f"{command.command} needs staff and alert", "name both"
    if command.staff in case.speaks_for[case.client]:
        return None
    text = f'"{case.client}" may not speak for {command.staff}'
    return TurnedAway.NOT_FOR_STAFF, text, "the person acts himself, or the house adds him to speaks_for"


_RULES = (_known_client, _in_time, _reply_topic, _for_staff)


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _request(command: Command, client: str) -> AnyRequest:
    """The table's own request; its id cannot be that of a page, a console or another client."""
    name, via = f"mqtt.{client}.{command.id}", f"mqtt:{client}"
    return _REQUESTS[command.command](command, name, via)


_REQUESTS: Mapping[CommandName, Callable[[Command, str, str], AnyRequest]] = {
    CommandName.HOLD: lambda given, name, via: RaiseComplaint(id=name, via=via, text=given.text),
    CommandName.STOP: lambda given, name, via: StopPlay(id=name, via=via, why=given.text),
    CommandName.ACKNOWLEDGE: lambda given, name, via: AcknowledgeAlert(
        id=name, via=via, by=given.staff or "", alert=given.alert or 0
    ),
    CommandName.TAKE: lambda given, name, via: TakeAlert(
        id=name, via=via, by=given.staff or "", alert=given.alert or 0
    ),
}
