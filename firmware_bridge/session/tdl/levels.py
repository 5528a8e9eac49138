"""Handshake step 3: who it is and how everything stands, read before anything is ordered (TDL 4.2)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.tdl.hello import Expected, HelloReply, WrongDevice
from firmware_bridge.session.tdl.requests import Reply, Request, Urgency
from firmware_bridge.session.tdl.said import Identity, Ready
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import BadBody, Value
from firmware_bridge.wire.tdl.codes import Operation, Reason, Status
from firmware_bridge.wire.tdl.keys import FaultsKey, IdentityKey

Ask = Callable[[Request], Awaitable[Reply]]


async def read_levels(ask: Ask, hello: HelloReply, expected: Expected, address: str) -> Ready:
    """IDENTITY, STATE, FAULTS, METERS. Raises `SessionOver`, permanent where the profile is another."""
    try:
        identity = read_identity(await _read(ask, Operation.IDENTITY, address))
        if expected.profile not in identity.profiles:
            raise WrongDevice(
                Ending.WRONG_DEVICE,
                f"wrong_device at {address}: {hello.model} {hello.serial} has the profiles {identity.profiles}, "
                f"profile {expected.profile} is needed; choose another driver in the configuration",
                serial=hello.serial,
                model=hello.model,
            )
        state = await _read(ask, Operation.STATE, address)
        standing = read_standing(await _read(ask, Operation.FAULTS, address))
        meters = await _read_where_offered(ask, Operation.METERS, address)
    except BadBody as bad:
        raise SessionOver(Ending.NONSENSE, f"{address}: {bad}") from bad
    return Ready(hello, identity, state, standing, meters)


def read_identity(body: Mapping[int, Value]) -> Identity:
    """The reply to IDENTITY. Raises BadBody."""
    return Identity(
        maker=read.text(body, IdentityKey.MAKER),
        firmware=read.text(body, IdentityKey.FIRMWARE_VERSION),
        digest=read.octets(body, IdentityKey.DIGEST),
        profiles=read.array(body, IdentityKey.PROFILES),
        abilities=read.array(body, IdentityKey.ABILITIES),
    )


def read_standing(body: Mapping[int, Value]) -> tuple[tuple[int, int], ...]:
    """The reply to FAULTS as pairs (fault, place). Raises BadBody."""
    flat = read.array(body, FaultsKey.STANDING)
    if len(flat) % 2:
        raise BadBody(f"FAULTS has {len(flat)} numbers, pairs of fault and place are demanded")
    return tuple(zip(flat[::2], flat[1::2], strict=True))


async def _read(ask: Ask, operation: Operation, address: str) -> Mapping[int, Value]:
    body = await _read_where_offered(ask, operation, address)
    if body is None:
        raise SessionOver(Ending.NONSENSE, f"{address}: {operation.name} is refused, every device must answer it")
    return body


async def _read_where_offered(ask: Ask, operation: Operation, address: str) -> Mapping[int, Value] | None:
    reply = await ask(Request(operation, urgency=Urgency.READ))
    if reply.status is Status.OK:
        return reply.body
    if reply.status is Status.REFUSED and reply.reason == Reason.NOT_OFFERED:
        return None
    text = f"{address}: {operation.name} answered {reply.status.name}, reason {reply.reason}; a read cannot fail"
    raise SessionOver(Ending.NONSENSE, text)
