"""A test deal: so many test cards go in and come out, counted at both sensors and at the end (docs/howto).

Out of session only. The machine proves that it is empty, takes the cards in under a feed permit of their number, gives
them out by EJECT_ALL under a deal permit, and tells what is left. Test cards are in no account of a
table. Whatever stops it ends it: nothing is tried a second time, and what is left inside is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from drivers.events import LevelsRead, Outcome, PacketEnded, PermitKind, Verb
from tableside import commands, devices, locks, timers
from tableside.decisions import LevelsAsked, PermitGranted
from tableside.happenings import CommandClosed, CommandLost, DeviceWent
from tableside.inputs import DeadlinePassed
from tableside.locks import Scope
from tableside.procedures import service_guards
from tableside.procedures.deal_test_slice import DealTestState
from tableside.procedures.under_test import RULE
from tableside.refusals import Refusal, refusal
from tableside.service_happenings import DealTestBegun, DealTestEnded, ProvingCardsMoved
from tableside.service_requests import RunDealTest
from tableside.tables import GO_ON, Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.procedures.deal_test_slice import DealTestSlice

STEP = "service.test-deal"
TIMER = "test-deal"
# Longer than a batch machine takes for two decks, each way; a person who lays no cards in is waited for as long.
LIMIT_S = 300
DONE = "done"
# A deck: more tells nothing more, and lies longer on the table.
MOST_CARDS = 52


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    deal = replace(procedures.deal_tests, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, deal_tests=deal))


def _of(turn: Turn) -> DealTestSlice:
    return turn.state.procedures.deal_tests


# --- beginning ----------------------------------------------------------------------------------------------


def _is_machine(turn: Turn, what: RunDealTest) -> Refusal | None:
    house = turn.state.house
    if what.device in (house.shuffler, *house.spare_shufflers) and 1 <= what.cards <= MOST_CARDS:
        return None
    return refusal("TEST-NO-MACHINE", device=what.device, cards=what.cards, most=MOST_CARDS)


def _is_verified(turn: Turn, what: RunDealTest) -> Refusal | None:
    if not devices.of(turn, what.device).is_content_unverified:
        return None
    return refusal("TEST-UNVERIFIED", device=what.device)


def _begin(turn: Turn, what: RunDealTest) -> None:
    number = _of(turn).number + 1
    put(turn, device=what.device, cards=what.cards, cards_in=0, cards_out=0, number=number, by=turn.by, why="")
    timers.start(turn, TIMER, LIMIT_S)
    turn.happened(DealTestBegun(device=what.device, cards=what.cards, by=turn.by))
    turn.decide(LevelsAsked(device=what.device, why="test deal"))


# --- cards --------------------------------------------------------------------------------------------------

Mine = LevelsRead | PacketEnded | ProvingCardsMoved | DeviceWent


def _is_mine(turn: Turn, what: Mine) -> bool:
    return what.device == _of(turn).device


def _is_empty(turn: Turn, what: LevelsRead) -> bool:
    return _is_mine(turn, what) and what.content == 0 and what.is_path_clear is not False


def _moved(turn: Turn, what: ProvingCardsMoved) -> None:
    deal = _of(turn)
    if what.is_in:
        put(turn, cards_in=deal.cards_in + what.cards)
    else:
        put(turn, cards_out=deal.cards_out + what.cards)


def _moved_late(turn: Turn, what: ProvingCardsMoved) -> None:
    """The levels were told before the notices of the last cards: they are asked for again."""
    _moved(turn, what)
    turn.decide(LevelsAsked(device=what.device, why="test deal"))


def _is_ahead(turn: Turn, what: LevelsRead) -> bool:
    """Its meters have seen cards that no notice has told of yet; what comes after the end would be the table's."""
    known = devices.of(turn, what.device)
    told = ((what.meter_in, known.meter_in), (what.meter_out, known.meter_out))
    return _is_mine(turn, what) and any(now not in (None, before) for now, before in told)


def _is_packet(turn: Turn, what: PacketEnded) -> bool:
    return _is_mine(turn, what) and _of(turn).cards_in > 0


def _is_permitted(turn: Turn, what: PermitGranted) -> bool:
    is_mine = what.device == _of(turn).device and what.what is PermitKind.DEAL
    return is_mine and not commands.is_open(turn, what.device, Verb.EJECT_ALL)


def _eject(turn: Turn, what: PermitGranted) -> None:
    commands.intend(turn, what.device, Verb.EJECT_ALL, step=STEP)


def _is_step(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == STEP


def _check(turn: Turn, what: CommandClosed) -> None:
    is_done = what.outcome is Outcome.DONE
    put(turn, why="" if is_done else f"{what.outcome}: {what.reason}")
    turn.decide(LevelsAsked(device=what.device, why="test deal"))


# --- ends ---------------------------------------------------------------------------------------------------


def _ended(turn: Turn, what: LevelsRead) -> None:
    deal = _of(turn)
    is_whole = deal.cards_in == deal.cards_out == deal.cards and what.content == 0
    why = deal.why or (DONE if is_whole else "the numbers differ")
    _end(turn, why, what.content)


def _not_empty(turn: Turn, what: LevelsRead) -> None:
    _end(turn, "the machine is not empty, or something lies in its path", what.content)


def _lost(turn: Turn, _what: CommandLost) -> None:
    _end(turn, "outcome unknown", None)


def _away(turn: Turn, _what: DeviceWent) -> None:
    _end(turn, "the machine does not answer", None)


def _is_time(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == TIMER


def _run_out(turn: Turn, _what: DeadlinePassed) -> None:
    _end(turn, f"not finished within {LIMIT_S} s", None)


def _end(turn: Turn, why: str, left: int | None) -> None:
    deal = _of(turn)
    timers.cancel(turn, TIMER)
    turn.happened(
        DealTestEnded(
            device=deal.device, cards_in=deal.cards_in, cards_out=deal.cards_out, left=left, why=why, by=deal.by
        )
    )


S = DealTestState
UNDER_WAY = (S.PROVING, S.FEEDING, S.DEALING, S.CHECKING)
FREE = (
    locks.free(Scope.DEAL, "settle what locks dealing, then test"),
    locks.free(Scope.FEED, "settle what locks the feed, then test"),
)
PROCEDURE = Procedure(
    name="test deal",
    rule=RULE,
    states=DealTestState,
    read=lambda state, _what: state.procedures.deal_tests.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(
            S.NONE,
            RunDealTest,
            S.PROVING,
            _begin,
            guards=(*service_guards.MOVING, _is_machine, _is_verified, *FREE),
            said="lay the test cards into the hopper as soon as it is proved empty",
        ),
        Row(S.PROVING, LevelsRead, S.FEEDING, when=_is_empty, said="empty"),
        Row(S.PROVING, LevelsRead, S.NONE, _not_empty, _is_mine, said="not empty"),
        *(
            Row(state, ProvingCardsMoved, None, _moved, _is_mine, said="counted")
            for state in (S.PROVING, S.FEEDING, S.DEALING)
        ),
        Row(S.CHECKING, ProvingCardsMoved, None, _moved_late, _is_mine, said="counted late"),
        Row(S.FEEDING, PacketEnded, S.DEALING, when=_is_packet, said="all in"),
        Row(S.DEALING, PermitGranted, None, _eject, _is_permitted, said="permit stands"),
        Row(S.DEALING, CommandClosed, S.CHECKING, _check, _is_step, said="out"),
        Row(S.DEALING, CommandLost, S.NONE, _lost, _is_step, said="outcome unknown"),
        Row(S.CHECKING, LevelsRead, None, when=_is_ahead, said="notices to come"),
        Row(S.CHECKING, LevelsRead, S.NONE, _ended, _is_mine, said="what is left"),
        *(Row(state, DeviceWent, S.NONE, _away, _is_mine, said="away") for state in UNDER_WAY),
        *(Row(state, DeadlinePassed, S.NONE, _run_out, _is_time, said="time is over") for state in UNDER_WAY),
        *(
            Row(state, CommandClosed, None, when=_is_step, said="told late")
            for state in (S.NONE, S.PROVING, S.FEEDING, S.CHECKING)
        ),
    ),
    next_step={
        S.NONE: GO_ON,
        S.PROVING: "wait until the machine has told that it is empty",
        S.FEEDING: "lay the test cards into the hopper",
        S.DEALING: "wait until the cards are out; hands off",
        S.CHECKING: "wait until the machine has told what is left",
    },
)
