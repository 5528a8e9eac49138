"""What the hub orders, as TDL requests (TDL 5 to 9)."""

from __future__ import annotations

from drivers.displays.money import decimals_of
from drivers.displays.showing import Showing
from drivers.events import LampColour, LampPattern, PermitKind, Shown, Verb
from drivers.tdl import words
from firmware_bridge.session.tdl import Request, Urgency
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MAX_PERMIT_MS, Operation
from firmware_bridge.wire.tdl.keys import ArmKey, ClearFaultKey, LampKey, MovingKey, OutcomeKey, PermitKey, ShowKey

_MS_PER_S = 1_000


def grant(what: PermitKind, duration_ms: int, limit_cards: int | None, now_s: float) -> Request:
    """PERMIT: only the present one is worth sending, and never for longer than from now."""
    duration_ms = min(duration_ms, MAX_PERMIT_MS)
    body: dict[int, Value] = {PermitKey.WHAT: words.PERMIT_NUMBERS[what], PermitKey.MS: duration_ms}
    if limit_cards is not None:
        body[PermitKey.CARDS] = limit_cards
    return Request(Operation.PERMIT, body, goal=("grant", what), ends_at_s=now_s + duration_ms / _MS_PER_S)


def revoke(what: PermitKind) -> Request:
    """PERMIT of 0 ms: goes first, and no grant ordered before it goes after it."""
    body: dict[int, Value] = {PermitKey.WHAT: words.PERMIT_NUMBERS[what], PermitKey.MS: 0}
    goal, cancels = ("revoke", what), ("grant", what)
    return Request(Operation.PERMIT, body, Urgency.STOP, goal=goal, cancels=cancels)


def lamp(colour: LampColour, pattern: LampPattern) -> Request:
    """LAMP: only the present goal is sent."""
    body: dict[int, Value] = {
        LampKey.COLOUR: words.COLOUR_NUMBERS[colour],
        LampKey.PATTERN: words.PATTERN_NUMBERS[pattern],
    }
    return Request(Operation.LAMP, body, Urgency.STOP, goal="lamp")


def show(showing: Showing, stale_ms: int) -> Request:
    """SHOW: only the present goal is sent; said again, it renews the time after which it is stale."""
    body: dict[int, Value] = {ShowKey.VERSION: showing.version, ShowKey.WHAT: words.SHOWN_NUMBERS[showing.what]}
    if showing.what is Shown.AMOUNT:
        body |= {
            ShowKey.AMOUNT: showing.amount,
            ShowKey.DECIMALS: decimals_of(showing.currency),
            ShowKey.CURRENCY: showing.currency,
        }
    body[ShowKey.STALE_MS] = stale_ms
    return Request(Operation.SHOW, body, goal="show")


def command(verb: Verb, epoch: int, number: int, argument: int | None) -> list[Request]:
    """A moving command. ADOPT is armed first, in the same session (TDL 7.7)."""
    operation = words.VERBS[verb]
    body: dict[int, Value] = {MovingKey.EPOCH: epoch, MovingKey.NUMBER: number}
    if verb is Verb.ADOPT:
        return [Request(Operation.ARM, {ArmKey.CODE: int(operation)}), Request(operation, body)]
    if argument is not None:
        body[MovingKey.ARGUMENT] = argument
    return [Request(operation, body)]


def outcome(epoch: int, number: int) -> Request:
    """OUTCOME: asked twice it says the same, so one waiting question is enough."""
    return Request(
        Operation.OUTCOME, {OutcomeKey.EPOCH: epoch, OutcomeKey.NUMBER: number}, goal=("outcome", epoch, number)
    )


def clear_fault(fault: int, place: int) -> Request:
    """CLEAR_FAULT at one place."""
    body: dict[int, Value] = {ClearFaultKey.FAULT: fault, ClearFaultKey.PLACE: place}
    return Request(Operation.CLEAR_FAULT, body, goal=("clear", fault, place))


def state() -> Request:
    """STATE, for the hub's quiet point."""
    return Request(Operation.STATE, urgency=Urgency.READ, goal="state")


def meters() -> Request:
    """METERS, for the hub's quiet point."""
    return Request(Operation.METERS, urgency=Urgency.READ, goal="meters")


def faults() -> Request:
    """FAULTS, after notices were lost."""
    return Request(Operation.FAULTS, urgency=Urgency.READ, goal="faults")
