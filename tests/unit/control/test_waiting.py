"""What a table waits for, told at any time, and how people read it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from drivers import card_events, events
from drivers.events import Place
from firmware_bridge.clock import NS_PER_S, Instant, WallQuality
from tableside.at_work import is_at_work
from tableside.batch_requests import CollectDeck
from tableside.cli.standing import standing_lines
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.control.waiting import waiting_view
from tableside.house import TableKind
from tableside.inputs import LedgerTold
from tableside.jackpot.settings import WHOLE
from tableside.outputs.northbound.board import board
from tableside.outputs.texts import Texts
from tableside.requests import BeginLoad, CardsTakenOut, MarkBets, OpenLid, RaiseComplaint, StopPlay
from tests.law.jackpot_table import SETTINGS
from tests.support.advised import RULING, advised
from tests.support.blackjack import Bench as HandsBench
from tests.support.samples import SEALED
from tests.support.session import connected, give_out, load_packet, loading, open_table, proved_empty
from tests.support.table import HOUSE, Table
from tests.unit.test_batch import Bench
from tests.unit.test_jackpot_linked import linked, told

TEXTS = Texts(HOUSE.languages, HOUSE.time_zone)
NOW = Instant(0, 0, WallQuality.SIMULATED)


def waits(table: Table) -> dict[str, tuple[str, str]]:
    return {one["procedure"]: (one["state"], one["next_step"]) for one in waiting_view(table.state)}


def lines(table: Table, later_s: int = 0) -> str:
    """As the command line prints what came through the socket."""
    house = table.state.house
    at_ns = table.state.last_at_ns + later_s * NS_PER_S
    now = Instant(at_ns, table.state.last_wall_ns, WallQuality.SIMULATED)
    view = state_view(table.state, Texts(house.languages, house.time_zone), Curtain(), now)
    state: dict[str, Any] = json.loads(msgspec.json.encode(view))
    return "\n".join(standing_lines(state))


def test_jp2_of_its_own_jackpot_everything_is_told_that_no_display_shows() -> None:
    limited = replace(SETTINGS, hidden=1_000, limit=SETTINGS.start + 100)
    table = open_table(replace(HOUSE, jackpot=limited))
    assert table.ask(MarkBets, by="D1", seats=(2, 5)).is_accepted
    assert (
        "    main: put in by starts €10,000.00, limit €10,001.00; for the next start: hidden €0.20, overflow €0.50"
    ) in lines(table)


def test_jp2_of_a_linked_jackpot_what_the_ledger_said_is_told_with_the_hits_of_this_table() -> None:
    table = linked()
    standing = told(SETTINGS.start + 150, pending=1, hidden=25_000, shown=(SETTINGS.start + 155) * WHOLE)
    table.give(LedgerTold(standing=standing))
    assert (
        "    main: put in by starts €10,000.00, no limit; for the next start: hidden €0.02, overflow €0.05"
    ) in lines(table)
    assert "    hits of this table: 0" in lines(table)


def test_a_closed_table_waits_for_nothing_but_to_be_opened() -> None:
    table = connected()
    assert set(waits(table)) == {"session", "round"}
    assert "session closed" in lines(table)
    assert "→ open the table" in lines(table)


def test_the_opening_is_told_step_by_step_and_not_any_more_in_play() -> None:
    table = proved_empty()
    assert waits(table)["opening"] == ("prepared", "prove the machine empty, then load")
    assert waits(table)["empty"] == ("proved empty", "load")
    table = open_table()
    assert set(waits(table)) == {"session", "round"}
    assert "→ deal the next round" in lines(table)


def test_a_load_tells_its_step_and_how_long_presence_lasts() -> None:
    table = loading()
    assert waits(table)["load"][0] == "packet awaited"
    assert "S1, " in lines(table)
    assert "s left" in lines(table)
    load_packet(table, 104)
    table.wait(table.state.house.presence_s + 1)
    assert "time has run out, tap again" in lines(table)
    assert not table.ask(BeginLoad, packets=2).is_accepted


def test_a_jam_tells_what_is_stopped_and_asks_the_open_question() -> None:
    table = open_table()
    give_out(table, 5)
    table.notice(events.CardJammed, place=Place.EXIT)
    assert waits(table)["jam at the exit"][0] == "stuck"
    assert "stopped: deal: jam exit (CSM-2)" in lines(table)
    assert "alerts stand" in lines(table)
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.notice(events.LidOpened)
    table.notice(events.JamGone, place=Place.EXIT)
    table.notice(events.LidClosed)
    state, step = waits(table)["lid"]
    assert (state, "say how many cards" in step) == ("shut, question open", True)
    assert table.ask(CardsTakenOut, cards=1, now="table").is_accepted
    assert set(waits(table)) == {"session", "round"}


def test_a_complaint_is_told_with_the_number_that_settling_needs() -> None:
    table = open_table()
    give_out(table, 5)
    assert table.ask(RaiseComplaint, round=1).is_accepted
    assert "complaint 1: round 1" in lines(table)
    assert table.ask(StopPlay, by="").is_accepted
    assert "floor supervisor: let play go on" in lines(table)


def test_advice_that_waits_is_told_with_its_rule_its_ruling_and_who_decides() -> None:
    table = advised(RULING)
    assert waits(table)["advice"] == ("a ruling is asked", "floor supervisor: come, tap the badge, decide")
    told = lines(table)
    assert f"advice 1 (BJ-2, floor supervisor decides): {RULING.happened}" in told
    assert RULING.ruling in told
    assert f"→ {RULING.next_step}" in told


def test_a_batch_table_says_what_its_machine_is_at_and_never_to_open_the_table() -> None:
    table = Bench()
    assert waits(table) == {"batch": ("empty", "load a deck with a floor supervisor present")}
    assert "machine empty; no deck in play" in lines(table)
    assert "→ load a deck" in lines(table)
    table.mixed("red")
    table.comes_out()
    table.mixed("blue")
    assert "blue deck in the machine, mixed; red deck in play" in lines(table)
    assert "session" not in lines(table)
    assert "open the table" not in lines(table)


def test_a_watched_shoe_s_table_says_that_it_is_observed() -> None:
    table = Table(replace(HOUSE, kind=TableKind.SHOE, shoe="shoe", shuffler="", readers=()))
    assert waits(table) == {"shoe": ("no game", "draw the first card of the next game")}
    assert "0 games over, shoe not locked; observed only" in lines(table)
    table.give(card_events.CardDrawn(device="shoe", card=SEALED, target=card_events.Target.PLAYER, index=1))
    assert "game 1, shoe not locked; observed only" in lines(table)
    assert "session" not in lines(table)


def test_hands_are_told_as_everybody_at_the_table_sees_them_and_no_card_by_name() -> None:
    bench = HandsBench()
    bench.seats(1, 3)
    bench.deal("9♣ 8♦ 10♠ A♣ 9♦ (7♥)", 1, 3)
    told = lines(bench.table)
    assert "seat 1: 20 in 2 cards, playing" in told
    assert "bank: 10 in 1 card, a card face down" in told
    assert "blackjack: with the players" in told
    assert "→ ask in seat order; enter what each decides" in told
    assert "7" not in told.partition("bank:")[2].partition("\n")[0], "the bank's second card is nobody's to know"
    assert "♣" not in told


@pytest.mark.parametrize("kind", TableKind)
def test_every_kind_of_table_says_what_it_is_at(kind: TableKind) -> None:
    table = Table(replace(HOUSE, kind=kind, shoe="shoe" if kind is TableKind.SHOE else ""))
    assert waits(table)
    assert lines(table).startswith("table BJ 3")
    assert is_at_work(table.state) is (kind is TableKind.SHOE)
    told = board(table.state, TEXTS, "host", 1, "", NOW)
    assert told.kind == kind
    assert told.session == {"shoe": "no game", "batch": "empty"}.get(kind, "closed")


def test_a_batch_table_is_at_work_while_a_deck_is_in_use() -> None:
    table = Bench()
    table.mixed("red")
    assert is_at_work(table.state)
    table.comes_out()
    assert is_at_work(table.state), "it is in play"
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert not is_at_work(table.state)
    assert board(table.state, TEXTS, "host", 1, "", NOW).session == "empty"


def test_of_a_watched_shoe_the_last_game_is_told() -> None:
    table = Table(replace(HOUSE, kind=TableKind.SHOE, shoe="shoe", shuffler="", readers=()))
    table.give(card_events.CardDrawn(device="shoe", card=SEALED, target=card_events.Target.PLAYER, index=1))
    told = board(table.state, TEXTS, "host", 1, "", NOW)
    assert (told.session, told.round) == ("game", 1)
