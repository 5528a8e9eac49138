"""What does not agree: observation against balance at a quiet point (semantics §2.2).

A difference opens an incident with both numbers and the sensor, locks dealing from the next round, and one count
runs by itself. Count agrees: the sensor miscounted, no person needed. It differs: a second count, then a
supervisor's hand count, posted to or from *unexplained* under his name. An open difference is compared net.
"""

from __future__ import annotations

from drivers.events import Ability, Holding, LevelsRead, Place
from tableside import alerts, card_account, devices, incidents, locks, presence, timers, unexpected
from tableside.card_account import ASIDE, HOPPER, MACHINE, TABLE, TRAY, UNEXPLAINED, Evidence
from tableside.decisions import LevelsAsked
from tableside.happenings import (
    HELD_COUNTED,
    ClosingAnnounced,
    CountEnded,
    CountWanted,
    DeviceCame,
    DifferenceFound,
    DifferenceSettled,
    MachineHandCounted,
    QuietPointReached,
)
from tableside.house import Role
from tableside.inputs import DeadlinePassed
from tableside.locks import Scope
from tableside.procedures import left_behind
from tableside.procedures.difference_slice import DifferenceState, of, put
from tableside.refusals import refusal
from tableside.requests import HandCount
from tableside.session_happenings import MachineCountedOut
from tableside.tables import Procedure, Refusal, Row, Turn

REASON = "difference"
# A card that did not come back, though the machine's count is right: it is carried as held over (CSM-11).
OUTSIDE = "outside the machine"
# TDL 14.2, content by area: in this order.
AREAS = (Place.FEED, Place.EXIT, Place.CAROUSEL)
# What lies outside was counted, and the machine's count finds just what is too few or too many there.
UNCOUNTED = "passed the machine's sensor uncounted"
HAND_COUNTED = (MACHINE, TABLE, TRAY, HOPPER, ASIDE)


# Levels may overtake the notices before them: look again so soon, so often, before it counts as lost.
AGAIN_TIMER = "difference:again"
AGAIN_S = 1
TRIES_MAX = 5
# With the last card of a return in, the path clears within this many looks, or something lies in it.
PATH_TRIES_MAX = 2
# Something lies in hopper or path though the return has ended.
CARD_LEFT = "CARD-LEFT"


# --- looking ------------------------------------------------------------------------------------------------


def _look(turn: Turn, what: QuietPointReached) -> None:
    """Ask the machine for its levels; what the tray told is compared at once."""
    machine = devices.shuffler(turn)
    if machine.is_connected and machine.holding(Ability.COUNT_OUT) is not Holding.CANNOT:
        put(turn, asked=what.point)
        turn.decide(LevelsAsked(device=devices.machine(turn.state), why=what.point))
    if what.point in ("return ended", HELD_COUNTED):
        put(turn, is_counted=what.point == HELD_COUNTED)
        _compare_outside(turn)


def _compare_outside(turn: Turn) -> None:
    """Between rounds nothing lies outside but what is held over, or waits for the next deal."""
    rounds = turn.state.procedures.rounds
    outside = turn.state.account.at(TABLE) + turn.state.account.at(TRAY)
    _compare(turn, TABLE, rounds.held_over + rounds.lag, outside, "what is held over")


def _was_asked(turn: Turn, what: LevelsRead) -> bool:
    return what.device == devices.machine(turn.state) and bool(of(turn).asked)


def _is_ahead(turn: Turn, what: LevelsRead) -> bool:
    """The meters that came with the levels are not ours: notices are still on their way, so nothing is quiet yet."""
    levels = devices.of(turn, what.device)
    told = ((what.meter_in, levels.meter_in), (what.meter_out, levels.meter_out))
    return what.boot == levels.boot and any(now is not None and now != ours for now, ours in told)


def _is_too_early(turn: Turn, what: LevelsRead) -> bool:
    if not _was_asked(turn, what):
        return False
    tries = of(turn).tries
    return (_is_ahead(turn, what) and tries < TRIES_MAX) or (_is_left_in_path(turn, what) and tries < PATH_TRIES_MAX)


def _is_left_in_path(turn: Turn, what: LevelsRead) -> bool:
    """The return has ended, nothing is to go in or come out, and yet the path is not clear."""
    rounds = turn.state.procedures.rounds
    is_at_rest = rounds.state.value == "waiting" and not rounds.held_over and not rounds.lag
    is_stuck = bool(devices.shuffler(turn).jams) or what.is_lid_open is True
    return of(turn).asked == "return ended" and what.is_path_clear is False and is_at_rest and not is_stuck


def _look_again(turn: Turn, _what: LevelsRead) -> None:
    put(turn, tries=of(turn).tries + 1)
    timers.start(turn, AGAIN_TIMER, AGAIN_S)


def _is_again(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == AGAIN_TIMER


def _ask_again(turn: Turn, _what: DeadlinePassed) -> None:
    turn.decide(LevelsAsked(device=devices.machine(turn.state), why=of(turn).asked))


def _read(turn: Turn, what: LevelsRead) -> None:
    """Quiet: meters agree. If they never do, the notices between are lost, and that is a difference by itself."""
    if _is_ahead(turn, what):
        text = f"{what.device}: its meters are at {what.meter_in} in, {what.meter_out} out, which no notice has told"
        unexpected.record(turn, text, (Scope.DEAL, Scope.FEED), "CSM-6")
    if _is_left_in_path(turn, what):
        alerts.raise_alert(turn, CARD_LEFT)
    elif what.is_path_clear:
        alerts.clear_alert(turn, CARD_LEFT, by=what.device, why="path clear")
    put(turn, asked="", tries=0)
    if what.content is not None and what.is_path_clear is not False:
        _compare(turn, MACHINE, what.content, turn.state.account.at(MACHINE), "content")
        _compare_areas(turn, what)


def _compare_areas(turn: Turn, what: LevelsRead) -> None:
    """The section count: the content by area against the account, where the machine counts each area (semantics §4).

    With the path clear nothing is on its way in, so the feed is empty; the rest adds up to what the account has.
    """
    if not what.areas or devices.of(turn, what.device).holding(Ability.CONTENT_BY_AREA) is not Holding.ENFORCES:
        return  # estimated, or not told
    named = dict(zip(AREAS, what.areas, strict=False))
    told = ", ".join(f"{area} {cards}" for area, cards in named.items())
    _compare(turn, MACHINE, sum(what.areas), turn.state.account.at(MACHINE), f"content by area ({told})")
    if len(what.areas) == len(AREAS) and named[Place.FEED] and what.is_path_clear:
        _compare(turn, f"{MACHINE} {Place.FEED}", named[Place.FEED], 0, f"content by area ({told})")


def _compare(turn: Turn, place: str, observed: int, expected: int, sensor: str) -> None:
    net = observed - expected
    if place == TABLE:
        put(turn, outside=net)
    known = of(turn)
    if net == 0 or (known.state is not DifferenceState.AGREED and known.net == net and known.place == place):
        return
    if known.state is DifferenceState.AGREED:
        _open(turn, place, observed, expected, sensor)
    else:
        text = f"also at {place}: {sensor} shows {observed}, the account {expected}"
        incidents.note(turn, known.incident, text)


def _open(turn: Turn, place: str, observed: int, expected: int, sensor: str) -> None:
    text = f"{place}: {sensor} shows {observed}, the account {expected}"
    number = incidents.open_incident(turn, REASON, "CSM-6", text)
    put(turn, incident=number, place=place, net=observed - expected)
    PROCEDURE.move(turn, None, DifferenceState.SUSPECTED, "CSM-6")
    locks.add(turn, Scope.DEAL, REASON, "CSM-6", is_from_next_round=True)
    turn.happened(DifferenceFound(incident=number, place=place, observed=observed, expected=expected, sensor=sensor))
    turn.happened(CountWanted(why=REASON))


# --- counting -----------------------------------------------------------------------------------------------


def _counts_equal(_turn: Turn, what: CountEnded) -> bool:
    return what.counted == what.expected


def _counts_differ(_turn: Turn, what: CountEnded) -> bool:
    return what.counted != what.expected


def _is_elsewhere(turn: Turn, what: CountEnded) -> bool:
    """What is too few or too many outside, the count finds too many or too few in the machine."""
    outside = of(turn).outside
    return outside != 0 and what.counted - what.expected == -outside


def _passed_uncounted(turn: Turn, what: CountEnded) -> None:
    """Two stuck together, or a sensor missed one: a person's count outside and the machine's inside agree."""
    cards = what.counted - what.expected
    incidents.note(turn, of(turn).incident, f"{abs(cards)} card(s) {UNCOUNTED}: the machine holds {what.counted}")
    card_account.move(turn, TABLE, MACHINE, cards, Evidence.METER, "count")
    _settle(turn, UNCOUNTED, "count")


def _is_nowhere(turn: Turn, what: CountEnded) -> bool:
    """The machine holds what it should, and yet a person counted too few or too many outside."""
    known = of(turn)
    return known.is_counted and known.outside != 0 and _counts_equal(turn, what)


def _call_search(turn: Turn, _what: CountEnded) -> None:
    """Not in the machine, not on the table: people look for it, and a supervisor's hand count settles it."""
    net, total = of(turn).outside, turn.state.house.cards_at_table
    put(turn, place=TABLE, net=net)
    locks.add(turn, Scope.DEAL, REASON, "CSM-6")
    text = "COUNT-SHORT" if net < 0 else "COUNT-LONG"
    alerts.raise_alert(turn, text, k=str(abs(net)), n=str(total + net), total=str(total))


def _is_explained(turn: Turn, what: CountEnded) -> bool:
    """The count finds in the machine just what a person's count elsewhere has left unexplained."""
    unexplained = turn.state.account.at(UNEXPLAINED)
    return unexplained != 0 and what.counted - what.expected == unexplained


def _explained(turn: Turn, what: CountEnded) -> None:
    card_account.move(turn, UNEXPLAINED, MACHINE, turn.state.account.at(UNEXPLAINED), Evidence.METER, "count")
    if of(turn).incident:
        _settle(turn, UNCOUNTED, "count")


def _miscount(turn: Turn, _what: CountEnded) -> None:
    """Count agrees with the balance: the sensor was wrong, or the card lies outside the machine and nobody said so."""
    known = of(turn)
    how = OUTSIDE if known.place == TABLE else "sensor miscount"
    incidents.note(turn, known.incident, f"{how}: the machine's count agrees with the balance")
    _settle(turn, how, "count")


def _found_by_count(turn: Turn, what: CountEnded) -> None:
    """A count for another reason does not agree: count a second time."""
    text = f"machine: count shows {what.counted}, the account {what.expected}"
    number = incidents.open_incident(turn, REASON, "CSM-6", text)
    put(turn, incident=number, place=MACHINE, net=what.counted - what.expected)
    locks.add(turn, Scope.DEAL, REASON, "CSM-6", is_from_next_round=True)
    turn.happened(
        DifferenceFound(incident=number, place=MACHINE, observed=what.counted, expected=what.expected, sensor="count")
    )
    turn.happened(CountWanted(why=REASON))


def _count_again(turn: Turn, what: CountEnded) -> None:
    known = of(turn)
    put(turn, place=MACHINE, net=what.counted - what.expected)
    incidents.note(turn, known.incident, f"first count: {what.counted}, the account {what.expected}")
    turn.happened(CountWanted(why=REASON))


def _call_hand_count(turn: Turn, what: CountEnded) -> None:
    net = what.counted - what.expected
    put(turn, place=MACHINE, net=net)
    locks.add(turn, Scope.DEAL, REASON, "CSM-6")
    text = "COUNT-SHORT" if net < 0 else "COUNT-LONG"
    alerts.raise_alert(turn, text, k=str(abs(net)), n=str(what.counted), total=str(what.expected))


# --- the supervisor's hand ----------------------------------------------------------------------------------


def _is_place(turn: Turn, what: HandCount) -> Refusal | None:
    places = (*HAND_COUNTED, *left_behind.places(turn.state))
    if what.place in places and what.cards >= 0:
        return None
    return refusal("COUNT-NOT-THERE", place=what.place, cards=what.cards, places=", ".join(places))


def _hand_counted(turn: Turn, what: HandCount) -> None:
    """What the person finds is posted to or from *unexplained*; no number is overwritten."""
    step = what.cards - turn.state.account.at(what.place)
    card_account.move(turn, UNEXPLAINED, what.place, step, Evidence.PERSON, "hand count")
    incidents.note(turn, of(turn).incident, f"hand count of {what.place}: {what.cards}")
    _tell_hand_count(turn, what, what.cards - step)
    if what.place == of(turn).place:
        _settle(turn, "hand count", turn.by)
        PROCEDURE.move(turn, what, DifferenceState.AGREED, "CSM-6")


def _tell_hand_count(turn: Turn, what: HandCount, expected: int) -> None:
    left_behind.counted(turn, what.place)
    if what.place == MACHINE:
        device = devices.machine(turn.state)
        turn.happened(MachineHandCounted(device=device, counted=what.cards, expected=expected, by=turn.by))


def _hand_counted_at_rest(turn: Turn, what: HandCount) -> None:
    """A hand count that nobody asked for: a difference is found and settled by the same hand."""
    expected = turn.state.account.at(what.place)
    if what.cards == expected:
        _tell_hand_count(turn, what, expected)
        return
    text = f"{what.place}: hand count {what.cards}, the account {expected}"
    number = incidents.open_incident(turn, REASON, "CSM-6", text)
    put(turn, incident=number, place=what.place, net=what.cards - expected)
    turn.happened(
        DifferenceFound(incident=number, place=what.place, observed=what.cards, expected=expected, sensor="hand count")
    )
    _hand_counted(turn, what)
    if turn.state.procedures.rounds.state.value == "waiting" and what.place != MACHINE:
        turn.happened(CountWanted(why=UNEXPLAINED))  # it may have passed the sensor uncounted


def _settle(turn: Turn, how: str, by: str) -> None:
    known = of(turn)
    for text in ("COUNT-SHORT", "COUNT-LONG"):
        alerts.clear_alert(turn, text, by=by, why=how)
    locks.remove_all(turn, REASON, by)
    turn.happened(DifferenceSettled(incident=known.incident, how=how, by=by))
    incidents.close(turn, known.incident, how, by)
    put(turn, incident=0, place="", net=0, outside=0, is_counted=False)


def _counted_out(turn: Turn, _what: MachineCountedOut) -> None:
    """The machine was emptied and counted by hand, and what it lacked is posted: nothing is left to be compared."""
    _settle(turn, "counted out", turn.by)
    put(turn, asked="")


def _is_newly_booted(turn: Turn, what: DeviceCame) -> bool:
    return what.device == devices.machine(turn.state) and not devices.of(turn, what.device).is_content_unverified


def _compare_at_start(turn: Turn, what: DeviceCame) -> None:
    """Differences found at start: the level read back against the balance (semantics §1.4)."""
    put(turn, asked="")
    levels = devices.of(turn, what.device)
    is_telling = levels.content is not None or levels.holding(Ability.COUNT_OUT) is not Holding.CANNOT
    if is_telling and turn.state.procedures.rounds.state.value not in ("closed", "dealing"):
        put(turn, asked="reconnect")
        turn.decide(LevelsAsked(device=what.device, why="reconnect"))


S = DifferenceState


def opens(state: DifferenceState) -> tuple[DifferenceState, ...]:
    """A comparison opens a difference where none is open; else it is noted with the one that is."""
    return (S.SUSPECTED,) if state is S.AGREED else ()


PROCEDURE = Procedure(
    name="difference",
    rule="CSM-6",
    states=DifferenceState,
    read=lambda state, _what: state.procedures.differences.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(Row(state, QuietPointReached, None, _look, said="compare", onward=opens(state)) for state in S),
        *(Row(state, LevelsRead, None, _look_again, _is_too_early, said="notices on their way") for state in S),
        *(Row(state, DeadlinePassed, None, _ask_again, _is_again, said="look again") for state in S),
        *(Row(state, LevelsRead, None, _read, _was_asked, said="levels read", onward=opens(state)) for state in S),
        *(Row(state, DeviceCame, None, _compare_at_start, _is_newly_booted, said="found at start") for state in S),
        *(
            Row(state, MachineCountedOut, S.AGREED, _counted_out, said="counted out by hand")
            for state in S
            if state is not S.AGREED
        ),
        *(Row(state, ClosingAnnounced, None, left_behind.play_ends, said="no more rounds") for state in S),
        *(
            Row(state, CountEnded, S.AGREED, _passed_uncounted, _is_elsewhere, said="found by the count")
            for state in (S.SUSPECTED, S.CONFIRMED, S.HAND_COUNT)
        ),
        *(Row(state, CountEnded, S.AGREED, _explained, _is_explained, said="explained by the count") for state in S),
        Row(S.SUSPECTED, CountEnded, S.CONFIRMED, _count_again, _is_nowhere, said="found nowhere"),
        Row(S.CONFIRMED, CountEnded, S.HAND_COUNT, _call_search, _is_nowhere, said="found nowhere"),
        Row(S.HAND_COUNT, CountEnded, None, when=_is_nowhere, said="found nowhere"),
        Row(S.AGREED, CountEnded, S.CONFIRMED, _found_by_count, _counts_differ, said="count differs"),
        Row(S.AGREED, CountEnded, None, said="count agrees"),
        Row(S.SUSPECTED, CountEnded, S.AGREED, _miscount, _counts_equal, said="sensor miscount"),
        Row(S.SUSPECTED, CountEnded, S.CONFIRMED, _count_again, said="count differs"),
        Row(S.CONFIRMED, CountEnded, S.AGREED, _miscount, _counts_equal, said="second count agrees"),
        Row(S.CONFIRMED, CountEnded, S.HAND_COUNT, _call_hand_count, said="second count differs"),
        Row(S.HAND_COUNT, CountEnded, S.AGREED, _miscount, _counts_equal, said="found"),
        Row(S.HAND_COUNT, CountEnded, None, said="counted"),
        *(
            Row(
                state,
                HandCount,
                None,
                _hand_counted,
                guards=(presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-6"), _is_place),
                said="posted",
                onward=(S.AGREED,),
            )
            for state in (S.SUSPECTED, S.CONFIRMED, S.HAND_COUNT)
        ),
        Row(
            S.AGREED,
            HandCount,
            None,
            _hand_counted_at_rest,
            guards=(presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-6"), _is_place),
            said="counted by hand",
        ),
    ),
    next_step={
        S.AGREED: "nothing is to be explained",
        S.SUSPECTED: "wait for the machine's count",
        S.CONFIRMED: "wait for the second count",
        S.HAND_COUNT: "look in exit, tray, hands, floor; enter the hand count",
    },
)
