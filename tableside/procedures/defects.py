"""Cards that are not as they should be: found by a reader, by a count, by a person; each with its ruling (DECK).

Nothing here decides: the ruling is advised, and whoever decides says so under a badge. What is found is never hidden
from the floor: the row says who was called (DECK-8). What a reader has read is known when its identities are opened; a
back colour, a joker and a special card are no secret and are told at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from drivers.card_events import CardPassed, CardRemoved, CardsAmbiguous, SpecialCard, SpecialCardPassed
from tableside import alerts, incidents, presence
from tableside.by_hand import is_by_hand
from tableside.cards import Card
from tableside.defect_happenings import DefectFound, ExposureClaimed, MoneyAwarded, MoneyKept
from tableside.defect_requests import AwardMoney, ClaimExposed, KeepMoney, ReportDefect
from tableside.games import defects as the
from tableside.games.advice import Advice
from tableside.games.defects import Defect, Found, Where
from tableside.happenings import CountWanted, RoundStarted, SessionOpened
from tableside.house import Role
from tableside.inputs import CardsOpened
from tableside.procedures import read_defects, rounds
from tableside.procedures.advice_slice import ASKED, advise
from tableside.procedures.defect_slice import DefectState, Finding, dealt_in, keep, of, put
from tableside.refusals import Refusal, refusal
from tableside.session_happenings import CardsSorted
from tableside.shoe_happenings import BacksCounted, ShoeFilled
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "DECK-8"
MISSING, MISSING_TEXT = "missing card", "CARDS-MISSING"
A_READER = "card reader"


# --- a finding ----------------------------------------------------------------------------------------------


def tell(turn: Turn, found: Found, found_by: str) -> None:
    """Record it, advise what the rules say where somebody has to decide, and say who was called."""
    number = of(turn).last + 1
    # The advice is a text that everybody reads: a card of the open round is not named in it (semantics §6).
    said = replace(found, card=None) if rounds.is_open(turn.state) else found
    known = the.advise(said, is_adopted=turn.state.house.jurisdiction.deck_rules_adopted)
    advice, told = 0, tuple[str, ...]()
    if found.where not in the.AFTER_PLAY:
        advice = advise(turn, known, f"finding {number}")
        asked = turn.state.alerts.standing.get(f"{ASKED}:{advice}")
        told = () if asked is None else asked.asked
    round_number = turn.state.procedures.rounds.number
    keep(turn, Finding(number, found.seat, round_number, turn.given.wall_ns))
    turn.happened(
        DefectFound(
            finding=number,
            defect=found.defect.value,
            where=found.where.value,
            card=found.card,
            seat=found.seat,
            count=found.count,
            round=round_number,
            found_by=found_by,
            rule=known.rule,
            ruling=known.ruling,
            advice=advice,
            told=told,
            dealt_in=dealt_in(turn.state),
        )
    )
    if found.defect is Defect.MISSING and found.where not in the.AFTER_PLAY:
        _missing(turn, number)


def _missing(turn: Turn, number: int) -> None:
    """DECK-5: nothing is void; the cards are counted."""
    incidents.open_incident(turn, MISSING, "DECK-5", f"finding {number}: a card is missing")
    alerts.raise_alert(turn, MISSING_TEXT)
    if not is_by_hand(turn.state):
        turn.happened(CountWanted(why=MISSING))


# --- told by people -----------------------------------------------------------------------------------------


def _is_seat(turn: Turn, what: ReportDefect) -> Refusal | None:
    seats = turn.state.house.seats
    if not 0 <= what.seat <= seats:
        return refusal("DEFECT-SEAT", seat=what.seat, most=seats)
    return None if what.count >= 1 else refusal("DEFECT-NONE")


def _reported(turn: Turn, what: ReportDefect) -> None:
    fields = {name: getattr(what, name) for name in Found.__struct_fields__ if name != "game"}
    tell(turn, Found(**fields), turn.by)


def _is_finding(turn: Turn, what: ClaimExposed) -> Refusal | None:
    finding = of(turn).findings.get(str(what.finding))
    if finding is None:
        return refusal("CLAIM-UNKNOWN", finding=what.finding, known=", ".join(of(turn).findings) or "0")
    return refusal("CLAIM-TWICE", finding=what.finding) if finding.claimed_ns else None


def _claimed(turn: Turn, what: ClaimExposed) -> None:
    """DECK-9: both times stand in one row; what follows is advised."""
    finding, now_ns = of(turn).findings[str(what.finding)], turn.given.wall_ns
    known = the.claim(has_looked=what.has_looked)
    keep(turn, finding.claimed(now_ns))
    turn.happened(
        ExposureClaimed(
            finding=what.finding,
            seat=finding.seat,
            exposed_ns=finding.found_ns,
            claimed_ns=now_ns,
            has_looked=what.has_looked,
            ruling=known.ruling,
            by=turn.by,
        )
    )
    happened = f"seat {finding.seat} claims that the card of finding {what.finding} is exposed"
    said = Advice(known.rule, happened, known.ruling, known.next_step, Role.FLOOR_SUPERVISOR)
    advise(turn, said, f"claim {what.finding}")


# --- money of an earlier deal -------------------------------------------------------------------------------


def _are_seats(turn: Turn, what: KeepMoney) -> Refusal | None:
    seats, most = what.seats or dealt_in(turn.state), turn.state.house.seats
    if seats and all(1 <= seat <= most for seat in seats) and len(set(seats)) == len(seats):
        return None
    return refusal("MONEY-SEATS", seats=", ".join(map(str, seats)) or "0", most=most)


def _keep(turn: Turn, what: KeepMoney) -> None:
    number = turn.state.procedures.rounds.number
    seats = tuple(sorted(what.seats or dealt_in(turn.state)))
    put(turn, kept={**of(turn).kept, str(number): seats})
    turn.happened(MoneyKept(round=number, seats=seats, by=turn.by))


def _was_dealt_in(turn: Turn, what: AwardMoney) -> Refusal | None:
    """DECK-12: only who was dealt in on that earlier deal can win its money."""
    seats = of(turn).kept.get(str(what.round))
    if seats is None:
        return refusal("MONEY-NOT-KEPT", round=what.round, known=", ".join(of(turn).kept) or "0")
    if what.seat not in seats:
        return refusal("MONEY-NOT-DEALT-IN", seat=what.seat, round=what.round, seats=", ".join(map(str, seats)))
    return None


def _award(turn: Turn, what: AwardMoney) -> None:
    put(turn, kept={number: seats for number, seats in of(turn).kept.items() if number != str(what.round)})
    turn.happened(MoneyAwarded(round=what.round, seat=what.seat, by=turn.by))


# --- told by readers and counts -----------------------------------------------------------------------------


def _special(turn: Turn, what: SpecialCardPassed) -> None:
    """A joker; a cut or warning card belongs to a shoe by hand, and to no machine."""
    if what.kind is SpecialCard.JOKER:
        tell(turn, Found(Defect.JOKER, Where.HAND), what.device)


def _is_no_shoe(turn: Turn, what: SpecialCardPassed) -> bool:
    return what.kind is SpecialCard.JOKER or not is_by_hand(turn.state)


def _special_of_a_shoe(turn: Turn, what: SpecialCardPassed) -> None:
    if what.kind is SpecialCard.JOKER:
        _special(turn, what)
    else:
        tell(turn, Found(Defect.FOREIGN_BACK, Where.HAND), f"{what.device}: {what.kind}")


def _is_foreign(turn: Turn, what: CardPassed) -> bool:
    return what.back is not None and not 1 <= what.back <= len(turn.state.house.decks)


def _foreign(turn: Turn, what: CardPassed) -> None:
    """A back is no secret of the game: it is told at once."""
    tell(turn, Found(Defect.FOREIGN_BACK, Where.HAND), what.device)


def _opened(turn: Turn, what: CardsOpened) -> None:
    for card, seat in read_defects.duplicates(turn, what):
        tell(turn, Found(Defect.DUPLICATE, Where.HAND, card, seat), A_READER)


def _moved(turn: Turn, what: CardRemoved | CardsAmbiguous) -> None:
    """Whatever was lifted, or of which antennas spoke two ways, may be read again: it never counts twice."""
    places = len(what.places) if isinstance(what, CardsAmbiguous) else 1
    put(turn, lifted=of(turn).lifted + places)


def _sorted(turn: Turn, what: CardsSorted) -> None:
    kinds = (
        (Defect.MISSING, what.missing),
        (Defect.EXTRA, what.too_many),
        (Defect.FOREIGN_BACK, what.foreign),
    )
    for defect, cards in kinds:
        for card in dict.fromkeys(cards):
            tell(turn, Found(defect, Where.COUNT, card, count=cards.count(card)), "sort")


def _counted(turn: Turn, what: BacksCounted) -> None:
    for found, expected in zip(what.counts, what.expected, strict=True):
        if found.cards != expected.cards:
            defect = Defect.MISSING if found.cards < expected.cards else Defect.EXTRA
            card = Card("?", "", found.back)
            tell(turn, Found(defect, Where.COUNT, card, count=abs(found.cards - expected.cards)), "count by back")


def _anew(turn: Turn, _what: SessionOpened | ShoeFilled) -> None:
    put(turn, seen={}, seen_round=0, lifted=0)


def _lie_anew(turn: Turn, _what: RoundStarted) -> None:
    put(turn, lifted=0)


def read(state: TableState, _what: object) -> DefectState:
    """Derived from the slice."""
    return DefectState.MONEY if state.procedures.defects.kept else DefectState.NONE


S = DefectState
ENTERS = presence.acts_as(
    Role.DEALER, Role.FLOOR_SUPERVISOR, Role.TABLE_INSPECTOR, Role.PIT_MANAGER, Role.ROOM_MANAGEMENT, rule=RULE
)
DECIDES = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule="DECK-12")
PROCEDURE = Procedure(
    name="defects",
    rule=RULE,
    states=DefectState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        *(
            row
            for state in S
            for row in (
                Row(state, ReportDefect, None, _reported, guards=(ENTERS, _is_seat), said="recorded: see the advice"),
                Row(
                    state, ClaimExposed, None, _claimed, None, (ENTERS, _is_finding), "DECK-9", "the claim is recorded"
                ),
                Row(state, KeepMoney, None, _keep, None, (DECIDES, _are_seats), "DECK-12", "kept for who was dealt in"),
                Row(state, SpecialCardPassed, None, _special_of_a_shoe, _is_no_shoe, said="no card of a deck"),
                Row(state, CardPassed, None, _foreign, _is_foreign, said="another back", watches=True),
                Row(state, CardsOpened, None, _opened, said="compared with the decks", watches=True),
                Row(state, CardRemoved, None, _moved, said="lifted", watches=True),
                Row(state, CardsAmbiguous, None, _moved, said="read two ways", watches=True),
                Row(state, CardsSorted, None, _sorted, said="sorted", watches=True),
                Row(state, BacksCounted, None, _counted, said="counted by back", watches=True),
                Row(state, RoundStarted, None, _lie_anew, said="cards of a new round", watches=True),
                Row(state, SessionOpened, None, _anew, said="other cards", watches=True),
                Row(state, ShoeFilled, None, _anew, said="another shoe", watches=True),
            )
        ),
        Row(S.MONEY, AwardMoney, None, _award, None, (DECIDES, _was_dealt_in), "DECK-12", "it goes to that seat"),
    ),
    next_step={
        S.NONE: "report a card that is not as it should be",
        S.MONEY: "money of an earlier deal goes to one of those who were dealt in then",
    },
)
