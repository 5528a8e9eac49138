"""What a TDL device answers to each REQUEST (TDL 6, 7, 9.2), one method an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.tdl.cbor import BadBody, Value
from firmware_bridge.wire.tdl.codes import (
    MAX_PERMIT_MS,
    Ability,
    FaultCode,
    Holding,
    Operation,
    Permit,
    Reason,
    Status,
    is_moving,
)
from firmware_bridge.wire.tdl.keys import (
    AdoptKey,
    ArmKey,
    ClearFaultKey,
    FaultsKey,
    IdentityKey,
    LampKey,
    MetersKey,
    MovingKey,
    OutcomeKey,
    OutcomeReplyKey,
    PermitKey,
    PermitReplyKey,
    StateKey,
)
from firmware_bridge.wire.tdl.read import U8, U16, opt_uint, uint

from .lamps import light_of
from .memory import Outcome
from .session import BUSY, OK, Answer, Session, refused

if TYPE_CHECKING:
    from .tdl_device import TdlDevice

Body = Mapping[int, Value]
# Every device offers these (TDL 11); PERMIT and LAMP and the rest come from its equipment.
COMMON = frozenset(
    {
        Operation.IDENTITY,
        Operation.OUTCOME,
        Operation.STATE,
        Operation.FAULTS,
        Operation.PING,
        Operation.CLEAR_FAULT,
        Operation.ARM,
        Operation.ADOPT,
    }
)
# These change nothing, or nothing twice: a copy is answered with the levels of now (TDL 5).
READS = frozenset(
    {
        Operation.IDENTITY,
        Operation.OUTCOME,
        Operation.STATE,
        Operation.FAULTS,
        Operation.METERS,
        Operation.PING,
    }
)
# Key 2 of any other moving command is one that it does not know (TDL 7.4).
HAS_ARGUMENT = frozenset({Operation.DEAL, Operation.SHUFFLE, Operation.RECOVER, Operation.SELF_TEST, Operation.COLLECT})
FIRST_MAINTENANCE, LAST_MAINTENANCE = 0x80, 0xBF
# A body's array holds 23 numbers: eleven pairs.
MAX_FAULT_PAIRS = 11
# Which ability keeps a permit's number of cards.
COUNTED_BY = {Permit.DEAL: Ability.COUNT_OUT, Permit.FEED: Ability.COUNT_IN}


@runtime_checkable
class Shows(Protocol):
    """The equipment of a display (profile 4)."""

    def makes_sense(self, body: Body) -> bool:
        """Whether SHOW has what it needs. Raises `BadBody`."""

    def show(self, body: Body, session: int) -> Answer:
        """SHOW within a session. Raises `BadBody`."""


class Operations:
    """Answers requests for its device."""

    def __init__(self, device: TdlDevice) -> None:
        self._device = device
        self._to_begin: tuple[int, int, int | None] | None = None

    def answer(self, code: int, body: Body, session: Session, now_ns: int) -> Answer:
        """The reply to a new request; a body that lacks something is refused, *argument*."""
        try:
            if code == Operation.ADOPT:
                return self._adopt(body, session, now_ns)
            if is_moving(code):
                return self._move(code, body, session, now_ns)
            return self._goal_or_read(code, body, session, now_ns)
        except BadBody:
            return refused(Reason.ARGUMENT)

    def answer_copy(self, code: int, body: Body, session: Session, now_ns: int) -> Answer:
        """A copy of the last request: reads afresh, numbered commands by their number, the rest as before."""
        is_numbered = is_moving(code) and code != Operation.ADOPT
        if code in READS or is_numbered or session.last_answer is None:
            return self.answer(code, body, session, now_ns)
        return session.last_answer

    def go(self) -> None:
        """The answer *started* has left: now it moves."""
        if self._to_begin is not None:
            number, operation, argument = self._to_begin
            self._to_begin = None
            self._device.start_running(number, operation)
            self._device.equipment.begin(operation, argument)

    # Goals and reads

    def _goal_or_read(self, code: int, body: Body, session: Session, now_ns: int) -> Answer:
        handler = self._handlers.get(code)
        if handler is None or code not in COMMON | self._device.equipment.operations:
            return refused(Reason.NOT_OFFERED)
        return handler(self, body, session, now_ns)

    def _goal_hindrance(self, session: Session) -> Answer | None:
        """What keeps a host from changing anything, once its question makes sense (TDL 6)."""
        if not self._is_obeyed(session):
            return refused(Reason.EPOCH)
        return None if session.is_open else BUSY

    def _is_obeyed(self, session: Session) -> bool:
        epoch = self._device.outcomes.epoch
        return epoch != 0 and session.hello.epoch == epoch

    def _identity(self, body: Body, session: Session, now_ns: int) -> Answer:
        identity = self._device.equipment.identity
        return Answer(
            Status.OK,
            keys={
                IdentityKey.MAKER: identity.maker,
                IdentityKey.FIRMWARE_VERSION: identity.firmware_version,
                IdentityKey.DIGEST: identity.digest,
                IdentityKey.PROFILES: tuple(identity.profiles),
                IdentityKey.ABILITIES: tuple(identity.abilities),
            },
        )

    def _outcome(self, body: Body, session: Session, now_ns: int) -> Answer:
        epoch, number = uint(body, OutcomeKey.EPOCH), uint(body, OutcomeKey.NUMBER)
        if number == 0:
            return refused(Reason.ARGUMENT)
        if epoch != self._device.outcomes.epoch or not self._is_obeyed(session):
            return refused(Reason.EPOCH)
        outcome = self._device.outcomes.ask(number)
        if outcome is None:  # *refused* would look like the stored refusal of that command (TDL 7.6)
            self._device.equipment.memory_failed()
            return BUSY
        return _told(outcome)

    def _state(self, body: Body, session: Session, now_ns: int) -> Answer:
        device = self._device
        keys: dict[int, Value] = {
            StateKey.PERMITS: device.permits.bits,
            StateKey.COMMAND: device.running.number if device.running is not None else 0,
            StateKey.FLAGS: int(device.flags),
        }
        return Answer(Status.OK, keys=keys | device.equipment.state())

    def _permit(self, body: Body, session: Session, now_ns: int) -> Answer:
        """The table of TDL 9.2, line by line."""
        what, ms = uint(body, PermitKey.WHAT), uint(body, PermitKey.MS)
        limit = opt_uint(body, PermitKey.CARDS, U16) if ms else None  # a revoke looks at nothing else
        if ms > MAX_PERMIT_MS or limit == 0:
            return refused(Reason.ARGUMENT)
        device = self._device
        if what not in device.equipment.permits:
            return refused(Reason.NOT_OFFERED)
        permit = Permit(what)
        if limit is not None and not self._honours_limit(permit):
            return refused(Reason.NOT_OFFERED)
        lease = device.permits[permit]
        if ms == 0:
            lease.revoke()
        else:
            hindrance = self._permit_hindrance(permit, session)
            if hindrance is not None:
                return hindrance
            lease.grant(now_ns + ms * NS_PER_MS, limit if permit in COUNTED_BY else None)
        device.set_gates()
        return Answer(Status.OK, keys={PermitReplyKey.COUNTED: lease.counted})

    def _honours_limit(self, permit: Permit) -> bool:
        ability = COUNTED_BY.get(permit)
        return ability is None or self._device.equipment.identity.abilities[ability] is Holding.ENFORCES

    def _permit_hindrance(self, permit: Permit, session: Session) -> Answer | None:
        hindrance = self._goal_hindrance(session)
        if hindrance is not None:
            return hindrance
        device = self._device
        is_full = permit in COUNTED_BY and device.notices.is_full
        if is_full or not device.notices.has_place_for_end(permit):
            return refused(Reason.NOTICES_FULL)
        reason = device.equipment.permit_hindrance(permit)
        if reason is not None:
            return refused(reason)
        # Its last card still moves: that card belongs to the count that ended.
        return BUSY if device.permits[permit].ending is not None and permit in COUNTED_BY else None

    def _lamp(self, body: Body, session: Session, now_ns: int) -> Answer:
        light = light_of(uint(body, LampKey.COLOUR), uint(body, LampKey.PATTERN))
        if light is None:
            return refused(Reason.ARGUMENT)
        hindrance = self._goal_hindrance(session)
        if hindrance is not None:
            return hindrance
        reason = self._device.equipment.light(light)
        return OK if reason is None else refused(reason)

    def _show(self, body: Body, session: Session, now_ns: int) -> Answer:
        equipment = self._device.equipment
        assert isinstance(equipment, Shows), "only such an equipment offers SHOW"
        if not equipment.makes_sense(body):
            return refused(Reason.ARGUMENT)
        hindrance = self._goal_hindrance(session)
        if hindrance is not None:
            return hindrance
        return equipment.show(body, session.hello.session)

    def _faults(self, body: Body, session: Session, now_ns: int) -> Answer:
        standing = self._device.equipment.faults()[:MAX_FAULT_PAIRS]
        flat = tuple(int(number) for pair in standing for number in pair)
        return Answer(Status.OK, keys={FaultsKey.STANDING: flat})

    def _meters(self, body: Body, session: Session, now_ns: int) -> Answer:
        own = self._device.equipment.meters()
        return Answer(Status.OK, keys={**own, MetersKey.DROPPED: self._device.dropped})

    def _ping(self, body: Body, session: Session, now_ns: int) -> Answer:
        return OK

    def _clear_fault(self, body: Body, session: Session, now_ns: int) -> Answer:
        fault, place = uint(body, ClearFaultKey.FAULT, U8), uint(body, ClearFaultKey.PLACE, U8)
        hindrance = self._goal_hindrance(session)
        if hindrance is not None:
            return hindrance
        device = self._device
        is_lasting = fault == FaultCode.MEMORY and not (device.is_boot_stored and device.outcomes.is_writable())
        if (fault, place) in device.equipment.faults() and is_lasting:
            return refused(Reason.FAULT_OR_JAM)
        return OK if device.equipment.clear_fault(fault, place) else refused(Reason.FAULT_OR_JAM)

    def _arm(self, body: Body, session: Session, now_ns: int) -> Answer:
        code = uint(body, ArmKey.CODE, U8)
        is_offered = code in COMMON | self._device.equipment.operations
        if not is_offered or not FIRST_MAINTENANCE <= code <= LAST_MAINTENANCE:
            return refused(Reason.NOT_OFFERED)
        session.arm(code, now_ns)
        return OK

    _handlers: ClassVar[dict[int, Callable[[Operations, Body, Session, int], Answer]]] = {
        Operation.IDENTITY: _identity,
        Operation.OUTCOME: _outcome,
        Operation.STATE: _state,
        Operation.PERMIT: _permit,
        Operation.LAMP: _lamp,
        Operation.SHOW: _show,
        Operation.FAULTS: _faults,
        Operation.METERS: _meters,
        Operation.PING: _ping,
        Operation.CLEAR_FAULT: _clear_fault,
        Operation.ARM: _arm,
    }

    # Moving commands

    def _move(self, code: int, body: Body, session: Session, now_ns: int) -> Answer:
        """The table of TDL 7.2: stored first, answered next, moved last."""
        epoch, number = uint(body, MovingKey.EPOCH), uint(body, MovingKey.NUMBER)
        outcomes = self._device.outcomes
        if number == 0:
            return refused(Reason.ARGUMENT)
        if epoch != outcomes.epoch or not self._is_obeyed(session):
            return refused(Reason.EPOCH)
        known = outcomes.known(number)
        if known is not None:
            return _told(known)
        hindrance, argument = self._guard(code, body, session, now_ns)
        status = Status.STARTED if hindrance is None else Status.REFUSED
        outcome = Outcome(number, status, hindrance)
        if not outcomes.store(outcome):
            self._device.equipment.memory_failed()
            return refused(Reason.FAULT_OR_JAM)
        if hindrance is None:
            self._to_begin = (number, code, argument)
        return _told(outcome)

    def _guard(self, code: int, body: Body, session: Session, now_ns: int) -> tuple[Reason | None, int | None]:
        """The guards of TDL 7.3 in their order; with them the argument."""
        device = self._device
        if code not in device.equipment.operations:
            return Reason.NOT_OFFERED, None
        try:
            argument = opt_uint(body, MovingKey.ARGUMENT, U16) if code in HAS_ARGUMENT else None
        except BadBody:
            return Reason.ARGUMENT, None
        hindrance = device.equipment.argument_hindrance(code, argument)
        if hindrance is None and not session.is_open:
            hindrance = Reason.NOT_OPEN
        if hindrance is None and device.running is not None:
            hindrance = Reason.COMMAND_RUNS
        if hindrance is None and device.notices.is_full:
            hindrance = Reason.NOTICES_FULL
        if hindrance is None:
            hindrance = device.equipment.guard(code, argument, has_deal_permit=device.permits.stands(Permit.DEAL))
        return hindrance, argument

    def _adopt(self, body: Body, session: Session, now_ns: int) -> Answer:
        """The table of TDL 7.7, line by line."""
        device = self._device
        is_armed = session.disarm(Operation.ADOPT, now_ns)
        epoch, highest = uint(body, AdoptKey.NEW_EPOCH), uint(body, AdoptKey.HIGHEST_NUMBER)
        if epoch == 0 or epoch != session.hello.epoch:
            return refused(Reason.ARGUMENT)
        if epoch == device.outcomes.epoch:
            return Answer(Status.DONE)
        if not session.is_open:
            return refused(Reason.NOT_OPEN)
        if device.running is not None:
            return refused(Reason.COMMAND_RUNS)
        if device.outcomes.epoch != 0 and not is_armed:
            return refused(Reason.NOT_ARMED)
        device.revoke_permits()
        if not device.outcomes.adopt(epoch, highest):
            device.equipment.memory_failed()
            return refused(Reason.FAULT_OR_JAM)
        return Answer(Status.DONE)


def _told(outcome: Outcome) -> Answer:
    keys: dict[int, Value] = {} if outcome.cards is None else {OutcomeReplyKey.CARDS_MOVED: outcome.cards}
    return Answer(outcome.status, outcome.reason, keys)
