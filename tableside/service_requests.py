"""What a technician asks of a device: a work order, and whatever moves. `tableside.requests` has all requests."""

from __future__ import annotations

from tableside.request_shapes import Request


class OpenWorkOrder(Request, frozen=True, kw_only=True):
    """Work on a device begins: its technical alerts are mute until the order is closed or its hours are over."""

    device: str
    order: str  # its number, as the house writes it
    hours: int = 4


class CloseWorkOrder(Request, frozen=True, kw_only=True):
    """The work on a device is done: what it was, in the technician's words."""

    device: str
    work: str


class RunSelfTest(Request, frozen=True, kw_only=True):
    """Let a device test itself, or one of its actuators by the maker's number; out of session only."""

    device: str
    part: int = 0  # 0: all
    is_there: bool = False  # who asks stands at the device, its lid shut and no hand in it


class RunDealTest(Request, frozen=True, kw_only=True):
    """So many test cards go into a machine and come out of it, counted both ways; out of session only."""

    device: str
    cards: int
    is_there: bool = False


AnyServiceRequest = OpenWorkOrder | CloseWorkOrder | RunSelfTest | RunDealTest
