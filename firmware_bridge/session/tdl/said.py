"""What a session says upward, in the order of the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.session.tdl.hello import HelloReply
from firmware_bridge.session.tdl.requests import Reply, Request
from firmware_bridge.wire.tdl.cbor import Value


@dataclass(frozen=True, slots=True)
class Identity:
    """Reply to IDENTITY. `profiles` and `abilities` are the numbers of TDL 14.2."""

    maker: str
    firmware: str
    digest: bytes
    profiles: tuple[int, ...]
    abilities: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """The handshake is through up to step 3: who it is and how everything stands.

    `meters` is None where the device does not offer them. Notices flow once `resume_notices` was called.
    """

    hello: HelloReply
    identity: Identity
    state: Mapping[int, Value]
    standing: tuple[tuple[int, int], ...]  # (fault, place), a jam as fault 0
    meters: Mapping[int, Value] | None


@dataclass(frozen=True, slots=True)
class Noticed:
    """One notice, for the first and only time in this session."""

    kind: int
    boot: int
    number: int
    ms: int
    body: Mapping[int, Value]


@dataclass(frozen=True, slots=True)
class Progressed:
    """A running command is alive."""

    number: int
    done: int | None
    of: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A request has its answer. For OUTCOME asked after a silence, `request.about` is the command."""

    request: Request
    reply: Reply


Said = Ready | Noticed | Progressed | Answered
