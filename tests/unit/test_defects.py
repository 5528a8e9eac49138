"""Cards that are not as they should be, at a table: who found them, what the rules say, who was told, who may claim."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.card_events import CardPassed, CardRead, CardRemoved, CardsAmbiguous, SpecialCard, SpecialCardPassed
from drivers.events import CardsOut, DeviceBooted
from tableside.advice_happenings import Advised, Decided
from tableside.advice_requests import DecideAdvice
from tableside.card_account import TABLE
from tableside.cards import parse_card
from tableside.control.curtain import names_card
from tableside.decisions import AlertRaised, CardsToOpen, IncidentOpened, RequestAnswered
from tableside.defect_happenings import DefectFound, ExposureClaimed, MoneyAwarded, MoneyKept
from tableside.defect_requests import AwardMoney, ClaimExposed, KeepMoney, ReportDefect
from tableside.games.defects import Defect, Where
from tableside.happenings import CountWanted
from tableside.house import House
from tableside.inputs import CardsOpened, OpenedCard
from tableside.requests import EndRound, EnterSort, OpenTable, SettleIncident, SortedDecks
from tableside.shoe_happenings import WarningCardSeen
from tableside.shoe_requests import BackCount, BeginRound, CountBacks
from tableside.state import TableState, encode_state, reduce
from tests.support.hand_shoe import READER_HOUSE, SEATS, HandTable
from tests.support.samples import SEALED
from tests.support.session import give_out, open_table, unloaded
from tests.support.table import HOUSE, WALL_START_NS, Table

WITH_READER = replace(HOUSE, card_readers=("eye",))
ADOPTED = replace(HOUSE, jurisdiction=replace(HOUSE.jurisdiction, deck_rules_adopted=True))
SEVEN = parse_card("7♣ red")


def dealing(house: House = HOUSE) -> Table:
    """In a round, five cards out."""
    table = open_table(house)
    if house.card_readers:
        table.ready("eye", model="READER-SIM", content=None, areas=None)
    give_out(table, 5)
    return table


def do(table: Table, kind: type, by: str = "D1", **fields: object) -> None:
    answer = table.ask(kind, by=by, **fields)
    assert answer.is_accepted, answer


def refused(answer: RequestAnswered, rule: str) -> None:
    assert (answer.is_accepted, answer.rule) == (False, rule), answer


def found(table: Table) -> DefectFound:
    """The only finding."""
    (finding,) = table.all_of(DefectFound)
    return finding


def special(table: Table, count: int, kind: SpecialCard = SpecialCard.CUT_CARD) -> None:
    """The reader names a special card."""
    levels = table.state.devices.known["eye"]
    number = table._notices["eye"] = table._notices.get("eye", 0) + 1
    boot = max(1, levels.boot)
    table.give(SpecialCardPassed(device="eye", boot=boot, number=number, count=count, kind=kind))


def one_deck(house: House) -> Table:
    """A table whose reader and antennas see what lies out; it has one deck of one back."""
    return Table(replace(house, decks=(replace(HOUSE.decks[0], decks=1),)))


def opened(table: Table, *cards: str, device: str = "eye", round_number: int = 1, place: str = "card 1") -> None:
    """The rim opens what was read: `7♣ red` passed a reader, `7♣` lies on an antenna at `place`."""
    told = []
    for card in cards:
        face, _, back = card.partition(" ")
        told.append(OpenedCard(device=device, place=f"{place}, back {back}" if back else place, card=face))
    table.give(CardsOpened(round=round_number, cards=tuple(told)))


# --- told by a person ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rule", "word"),
    [
        ({"defect": Defect.FOREIGN_BACK, "where": Where.HAND}, "DECK-1", "void"),
        ({"defect": Defect.FOREIGN_BACK, "where": Where.STUB}, "DECK-1", "stands"),
        ({"defect": Defect.FOREIGN_BACK, "where": Where.TRAY}, "DECK-1", "void"),
        ({"defect": Defect.DUPLICATE, "where": Where.HAND, "card": SEVEN}, "DECK-2", "void"),
        ({"defect": Defect.BOXED, "where": Where.STUB}, "DECK-3", "next card below"),
        ({"defect": Defect.BOXED, "where": Where.STUB, "is_mixed_in": True}, "DECK-3", "after all other cards"),
        ({"defect": Defect.JOKER, "where": Where.HAND}, "DECK-4", "scrap"),
        ({"defect": Defect.JOKER, "where": Where.HAND, "has_owner_acted": True}, "DECK-4", "dead"),
        ({"defect": Defect.MISSING, "where": Where.STUB}, "DECK-5", "not void"),
        ({"defect": Defect.EXTRA, "where": Where.HAND}, "DECK-6", "burn card"),
        ({"defect": Defect.OFF_TABLE, "where": Where.HAND}, "DECK-7", "exposed"),
        ({"defect": Defect.DROPPED, "where": Where.HAND}, "DECK-7", "must still play"),
        ({"defect": Defect.DUPLICATE, "where": Where.HAND, "is_known": True}, "DECK-8", "lose the right"),
        ({"defect": Defect.FLASHED_BY_PLAYER, "where": Where.HAND}, "DECK-9", "plays"),
        ({"defect": Defect.FLASHED, "where": Where.HAND}, "BJ-3", "discard tray"),
        ({"defect": Defect.JOKER, "where": Where.HAND, "is_unlooked": True}, "DECK-11", "risk"),
    ],
)
def test_deck1_to_deck11_each_finding_has_its_ruling(fields: dict[str, object], rule: str, word: str) -> None:
    table = dealing()
    do(table, ReportDefect, **fields)
    finding = found(table)
    assert finding.rule == rule
    assert word in finding.ruling
    assert (finding.round, finding.found_by) == (1, "D1")


def test_at_a_blackjack_table_it_is_custom_and_the_house_decides_unless_the_jurisdiction_has_adopted_it() -> None:
    """DECK-2; what is blackjack's own rule is law in any case (BJ-3, DECK-10)."""
    for house, is_custom in ((HOUSE, True), (ADOPTED, False)):
        table = dealing(house)
        do(table, ReportDefect, defect=Defect.DUPLICATE, where=Where.HAND)
        assert found(table).ruling.startswith("poker custom, the house decides") is is_custom
        do(table, ReportDefect, defect=Defect.FLASHED, where=Where.HAND)
        assert not table.all_of(DefectFound)[-1].ruling.startswith("poker custom")


def test_deck8_what_was_found_is_told_to_the_floor_and_the_record_says_whom_and_when() -> None:
    table = dealing()
    do(table, ReportDefect, defect=Defect.DUPLICATE, where=Where.HAND, card=SEVEN, seat=3)
    finding = found(table)
    (advised,) = table.all_of(Advised)
    assert (finding.advice, finding.told) == (advised.number, ("S1",))
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["RULING-ASKED"]
    assert advised.happened == "duplicate (in a hand, seat 3)", "no card of an open round is named (semantics §6)"
    assert names_card(finding), "nor does the row leave the daemon with it"
    table.tap("S1")
    do(table, DecideAdvice, by="S1", number=advised.number, decision="hand void")
    assert table.all_of(Decided)[0].by == "S1"


def test_two_equal_findings_are_two() -> None:
    table = dealing()
    for _ in range(2):
        do(table, ReportDefect, defect=Defect.BOXED, where=Where.STUB)
    assert [finding.advice for finding in table.all_of(DefectFound)] == [1, 2]


def test_deck5_a_missing_card_voids_nothing_and_the_cards_are_counted() -> None:
    table = dealing()
    do(table, ReportDefect, defect=Defect.MISSING, where=Where.STUB)
    assert "CARDS-MISSING:" in table.state.alerts.standing
    assert table.all_of(CountWanted)
    number = table.all_of(IncidentOpened)[-1].number
    do(table, SettleIncident, by="S1", incident=number, finding="under the shoe")
    assert "CARDS-MISSING:" not in table.state.alerts.standing
    assert table.state.procedures.rounds.number == 1


@pytest.mark.parametrize("fields", [{"seat": 8}, {"count": 0}])
def test_what_cannot_be_is_refused(fields: dict[str, object]) -> None:
    refused(dealing().ask(ReportDefect, by="D1", defect=Defect.JOKER, where=Where.HAND, **fields), "DECK-8")


# --- exposure and claim -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("has_looked", "word"), [(False, "counts as exposed"), (True, "too late")])
def test_deck9_both_times_stand_in_the_record_and_who_looked_first_claims_too_late(has_looked: bool, word: str) -> None:
    table = dealing()
    do(table, ReportDefect, defect=Defect.FLASHED, where=Where.HAND, seat=4)
    exposed_ns = WALL_START_NS + table.now_ns
    table.wait(7)
    do(table, ClaimExposed, finding=1, has_looked=has_looked)
    (claim,) = table.all_of(ExposureClaimed)
    assert (claim.exposed_ns, claim.claimed_ns) == (exposed_ns, exposed_ns + 7 * 10**9)
    assert (claim.seat, claim.has_looked) == (4, has_looked)
    assert word in claim.ruling
    assert table.all_of(Advised)[-1].rule == "DECK-9"


def test_deck9_a_claim_is_for_a_finding_and_once() -> None:
    table = dealing()
    refused(table.ask(ClaimExposed, by="D1", finding=1), "DECK-9")
    do(table, ReportDefect, defect=Defect.FLASHED, where=Where.HAND, seat=4)
    do(table, ClaimExposed, finding=1)
    refused(table.ask(ClaimExposed, by="D1", finding=1), "DECK-9")


# --- money of an earlier deal -------------------------------------------------------------------------------


def test_deck12_only_who_was_dealt_in_can_win_the_money_of_that_deal() -> None:
    table = dealing()
    refused(table.ask(KeepMoney, by="S1"), "DECK-12")
    refused(table.ask(KeepMoney, by="S1", seats=(2, 9)), "DECK-12")
    refused(table.ask(KeepMoney, by="D1", seats=(2, 5)), "DECK-12")
    do(table, KeepMoney, by="S1", seats=(5, 2))
    assert table.all_of(MoneyKept)[0].seats == (2, 5)
    refused(table.ask(AwardMoney, by="S1", round=1, seat=3), "DECK-12")
    refused(table.ask(AwardMoney, by="S1", round=7, seat=2), "DECK-12")
    do(table, AwardMoney, by="S1", round=1, seat=5)
    assert table.all_of(MoneyAwarded)[0].seat == 5
    assert not table.state.procedures.defects.kept


def test_deck12_who_sat_at_the_cut_is_the_list_of_a_shoe_by_hand() -> None:
    table = HandTable().playing()
    table.do(BeginRound)
    table.do(ReportDefect, defect=Defect.DUPLICATE, where=Where.HAND)
    assert found(table).dealt_in == SEATS
    table.do(KeepMoney, by="S1")
    assert table.all_of(MoneyKept)[0].seats == SEATS


# --- told by a reader ---------------------------------------------------------------------------------------


def test_deck4_a_joker_and_a_foreign_back_are_told_at_once() -> None:
    """DECK-1, DECK-4: neither is a secret of the game."""
    table = dealing(WITH_READER)
    special(table, 1, SpecialCard.JOKER)
    assert (found(table).rule, found(table).found_by) == ("DECK-4", "eye")
    table.notice(CardPassed, "eye", card=SEALED, count=2, back=9)
    assert table.all_of(DefectFound)[-1].rule == "DECK-1"
    table.notice(CardPassed, "eye", card=SEALED, count=3, back=2)
    assert len(table.all_of(DefectFound)) == 2


def test_deck2_equal_cards_are_normal_up_to_the_number_of_decks() -> None:
    table = dealing(WITH_READER)
    opened(table, "7♣ red", "7♣ red", "7♣ red", "7♣ blue", "T♥ red", "?*", "")
    assert not table.all_of(DefectFound)
    opened(table, "7♣ red")
    finding = found(table)
    assert (finding.defect, str(finding.card), finding.rule) == ("duplicate", "7♣ red", "DECK-2")


def test_deck2_at_a_machine_a_round_is_compared_for_itself() -> None:
    table = dealing(WITH_READER)
    opened(table, "7♣ red", "7♣ red", "7♣ red")
    opened(table, "7♣ red", round_number=2)
    assert not table.all_of(DefectFound)


def test_deck2_of_a_shoe_all_cards_that_left_it_are() -> None:
    table = HandTable(READER_HOUSE).opened().cut(2)
    table.passes(1)
    opened(table, "7♣ red", "7♣ red", "7♣ red")
    opened(table, "7♣ red", round_number=2)
    assert found(table).defect == "duplicate"


def test_shoe1_the_warning_card_is_known_and_no_irregular_card() -> None:
    """SHOE-7: a reader names it before its meter counts it: no card has left the shoe, the next one begins a round."""
    table = HandTable(READER_HOUSE).opened().cut(2)
    table.passes(1)
    special(table, 2)
    table.passes(1)
    (seen,) = table.all_of(WarningCardSeen)
    assert (seen.after, seen.seen_by) == (1, "eye")
    assert table.at(TABLE) == 0
    assert not table.all_of(DefectFound)
    table.passes(2)
    assert table.at(TABLE) == 2
    table.do(EndRound)
    assert table.where.value == "shoe is over"


def test_a_cut_card_out_of_a_machine_is_an_irregular_card() -> None:
    """DECK-1: cards that a shuffler mixes are not cut (CSM-3): it has none."""
    table = dealing(WITH_READER)
    special(table, 1)
    assert found(table).rule == "DECK-1"


# --- antennas -----------------------------------------------------------------------------------------------


def test_deck2_a_card_that_is_moved_from_antenna_to_antenna_is_one_card() -> None:
    table = one_deck(HOUSE)
    for place in ("seat 1", "seat 2", "seat 3"):
        table.give(CardRead(device="antennas", card=SEALED, place=place))
        table.give(CardRemoved(device="antennas", card=SEALED, place=place))
    opened(table, "7♣", "7♣", "7♣", device="antennas", place="seat 2")
    assert not table.all_of(DefectFound)


def test_deck2_a_tag_of_which_two_antennas_speak_never_counts_as_two() -> None:
    table = one_deck(HOUSE)
    table.give(CardsAmbiguous(device="antennas", places=("seat 1", "seat 2"), why="one tag at two places"))
    opened(table, "7♣", "7♣", device="antennas", place="seat 2")
    assert not table.all_of(DefectFound)


def test_deck2_two_equal_cards_that_lie_still_are_a_duplicate_and_the_seat_is_said() -> None:
    table = one_deck(HOUSE)
    opened(table, "7♣", device="a1", place="seat 2")
    opened(table, "7♣", device="a2", place="seat 5")
    assert (found(table).seat, str(found(table).card).strip()) == (5, "7♣")


def test_deck2_a_card_that_a_reader_saw_and_that_lies_on_an_antenna_is_one() -> None:
    table = one_deck(WITH_READER)
    opened(table, "7♣ red")
    opened(table, "7♣", device="a1", place="seat 2")
    assert not table.all_of(DefectFound)


# --- counts -------------------------------------------------------------------------------------------------


def test_deck1_deck5_deck6_what_the_sort_finds_is_recorded_and_voids_nothing() -> None:
    table = unloaded()
    entry = SortedDecks("red", 2, missing=(SEVEN,), too_many=(parse_card("K♠ red"),), foreign=(parse_card("2♦ green"),))
    do(table, EnterSort, groups=(entry, SortedDecks("blue", 3)))
    rules = {finding.defect: (finding.rule, finding.where, finding.advice) for finding in table.all_of(DefectFound)}
    assert rules == {
        "missing card": ("DECK-5", "in a count", 0),
        "extra card": ("DECK-6", "in a count", 0),
        "foreign back": ("DECK-1", "in a count", 0),
    }
    assert all("results stand" in finding.ruling for finding in table.all_of(DefectFound))


def test_deck5_a_count_by_back_that_lacks_cards_is_a_finding() -> None:
    table = HandTable()
    table.do(OpenTable, by="S1", dealer="D1")
    table.do(CountBacks, counts=(BackCount("blue", 156), BackCount("red", 154)))
    assert (found(table).defect, found(table).count, found(table).found_by) == ("missing card", 2, "count by back")


# --- record -------------------------------------------------------------------------------------------------


def test_a_replay_gives_the_same_findings() -> None:
    table = dealing(WITH_READER)
    do(table, ReportDefect, defect=Defect.FLASHED, where=Where.HAND, seat=4)
    do(table, ClaimExposed, finding=1)
    do(table, KeepMoney, by="S1", seats=(2, 4))
    opened(table, "7♣ red", "7♣ red", "7♣ red", "7♣ red")
    state = TableState(house=WITH_READER)
    for given in table.given:
        state, _ = reduce(state, given)
    assert encode_state(state) == encode_state(table.state)


def test_the_reader_restarts_and_nobody_says_that_the_warning_card_lay_wrong() -> None:
    """SHOE-5: what it saw in the boot before may not all be told."""
    table = HandTable(READER_HOUSE).opened().cut(2)
    table.passes(1)
    table.restarted("eye", boot=2, model="READER-SIM", content=None, areas=None)
    table.notice(DeviceBooted, "eye", cause="power")
    special(table, 1)
    table.notice(CardsOut, "eye", meter=1)
    assert table.all_of(WarningCardSeen)[0].after is None
    assert not table.all_of(Advised)


def test_cards_to_open_are_asked_for_before_they_are_compared() -> None:
    """A card is nobody's to know before its round is over (semantics §6)."""
    table = dealing(WITH_READER)
    table.notice(CardPassed, "eye", card=SEALED, count=1, back=1)
    assert not table.all_of(DefectFound)
    do(table, EndRound)
    assert table.all_of(CardsToOpen)
