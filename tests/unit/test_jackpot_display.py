"""What the jackpot displays show: asked for, refused where it cannot stand there, given anew after each gap."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from drivers import events
from drivers.displays.money import CURRENCIES, amount_text
from drivers.displays.showing import STALE_MS, WORDS, Limits, Showing
from drivers.events import Shown
from firmware_bridge.clock import NS_PER_MS
from tableside import devices
from tableside.decisions import AlertRaised, DisplaySet
from tableside.house import Display
from tableside.inputs import DaemonStarted
from tableside.jackpot_happenings import JackpotCalled, JackpotOver
from tableside.locks import Scope, standing
from tableside.renewals import Renewals
from tableside.requests import ShowJackpot
from tests.support.table import HOUSE, Table

ROOT = Path(__file__).parents[2]
HOUSE_WITH_SIGN = replace(HOUSE, displays=(Display("sign", "tdl-display", 13),))
EUR = {"what": Shown.AMOUNT, "currency": "EUR"}


def table_with_sign() -> Table:
    table = Table(HOUSE_WITH_SIGN)
    table.ready("sign")
    return table


def told(table: Table) -> list[Showing]:
    return [shown.showing for shown in table.all_of(DisplaySet)]


def showed(table: Table, version: int, what: Shown = Shown.AMOUNT) -> None:
    table.give(events.DisplayShowed(device="sign", version=version, what=what))


def has_bets_locked(table: Table) -> bool:
    return bool(standing(table.state, Scope.JACKPOT_BETS))


def test_what_is_asked_for_is_told_to_the_display() -> None:
    table = table_with_sign()
    assert table.ask(ShowJackpot, amount=1_234_56, **EUR).is_accepted
    assert told(table) == [Showing(1, Shown.AMOUNT, 1_234_56, "EUR")]
    assert told(table)[0].text == "EUR 1,234.56"


@pytest.mark.parametrize(
    ("currency", "text"), [("JPY", "JPY 10,000"), ("USD", "USD 100.00"), ("KWD", "KWD 10.000"), ("MOP", "MOP 100.00")]
)
def test_an_amount_has_the_decimals_of_its_currency(currency: str, text: str) -> None:
    """BR-055: the exponent goes with the amount."""
    assert Showing(1, Shown.AMOUNT, 10_000, currency).text == text


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"what": Shown.AMOUNT, "amount": 1_000_000_00, "currency": "EUR"}, "takes 16 characters, and 13 fit"),
        ({"what": Shown.AMOUNT, "amount": 10_000_00, "currency": "EUR"}, None),
        ({"what": Shown.AMOUNT, "amount": 10_000, "currency": "ZZZ"}, "currency ZZZ is not known"),
        ({"what": Shown.AMOUNT, "amount": 10_000}, "currency missing"),
        ({"what": Shown.AMOUNT, "amount": 2**32, "currency": "JPY"}, "above the 4294967295 units"),
        ({"what": Shown.AMOUNT, "amount": 5, "currency": "EUR"}, None),
        ({"what": Shown.AMOUNT, "amount": 0, "currency": "EUR"}, None),
        ({"what": Shown.WON, "amount": 10_000, "currency": "EUR"}, "won with amount"),
        ({"what": Shown.WON}, None),
    ],
)
def test_what_cannot_be_shown_is_refused_before_it_is_sent(fields: dict[str, object], why: str | None) -> None:
    """BR-055, BR-059: never shortened, never guessed; what stood there stays."""
    table = table_with_sign()
    answer = table.ask(ShowJackpot, **fields)
    assert answer.is_accepted is (why is None)
    assert len(told(table)) == (why is None)
    if why is not None:
        assert why in answer.text
        assert answer.next_step


@pytest.mark.parametrize("amount", [0, 1, 29, 57, 115, 1_005, 8_29, 123_456_789, 2**32 - 1])
def test_no_cent_is_lost_from_the_request_to_the_display(amount: int) -> None:
    """BR-056: whole numbers of the smallest unit all the way; a fraction is no amount."""
    asked = msgspec.json.encode({"id": "r1", "by": "F1", "what": "amount", "amount": amount, "currency": "EUR"})
    read = msgspec.json.decode(asked, type=ShowJackpot)
    text = Showing(1, read.what, read.amount, read.currency).text
    assert int("".join(letter for letter in text if letter.isdigit())) == amount
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(asked.replace(b'"currency"', b'"amount":10.29,"currency"'), type=ShowJackpot)


@pytest.mark.parametrize(("currency", "decimals"), CURRENCIES.items())
def test_every_amount_is_read_back_from_what_guests_read(currency: str, decimals: int) -> None:
    """BR-056: there and back, ten thousand amounts up to ten million units, each other's neighbours at the edges."""
    edges = {10**power + step for power in range(8) for step in (-1, 0, 1)}
    for amount in (*range(0, 10_000_000, 997), *edges):
        letters, _, number = amount_text(amount, currency).partition(" ")
        whole, _, part = number.partition(".")
        assert (letters, len(part)) == (currency, decimals)
        assert int(whole.replace(",", "")) * 10**decimals + int(part or "0") == amount


def test_no_code_of_amounts_knows_a_hundred() -> None:
    """BR-055: a factor of two decimals that is written down is right for some currencies only."""
    places = ("drivers/displays", "drivers/displays/page", "simulator/world/display.py", "drivers/tdl/orders.py")
    paths = [path for place in places for path in ((ROOT / place).glob("*.py") if "." not in place else [ROOT / place])]
    assert len(paths) > 8
    hundreds = [
        f"{path.name}:{node.lineno}"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value == 100 and type(node.value) in (int, float)
    ]
    assert hundreds == []


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "EUR 0.00"), (5, "EUR 0.05"), (9_999_999, "EUR 99,999.99"), (10_000_000, None), (-1, None)],
)
def test_a_display_of_thirteen_characters_at_its_edge(amount: int, text: str | None) -> None:
    """BR-059: one cent more does not fit, and is not shown as something plausible."""
    showing = Showing(1, Shown.AMOUNT, amount, "EUR")
    assert (Limits(13, 2**32).objection(showing) is None) is (text is not None)
    assert text is None or showing.text == text


def test_a_negative_amount_is_no_amount() -> None:
    """BR-059: the control socket takes none; a state that had one would refuse to write it."""
    assert Limits(13, 2**32).objection(Showing(1, Shown.AMOUNT, -1, "EUR")) is not None


def test_a_dealer_shows_no_amounts_and_a_table_without_display_has_none() -> None:
    assert not table_with_sign().ask(ShowJackpot, by="D1", amount=1, **EUR).is_accepted
    table = Table()
    assert "no jackpot display" in table.ask(ShowJackpot, amount=1, **EUR).text


def test_a_hit_and_a_win_are_told_when_they_begin_and_when_they_are_over() -> None:
    """What surveillance makes its bookmarks of; asked for once more it is the same hit."""
    table = table_with_sign()
    for what in (Shown.PENDING, Shown.PENDING, Shown.WON):
        assert table.ask(ShowJackpot, what=what).is_accepted
    table.ask(ShowJackpot, amount=1, **EUR)
    table.ask(ShowJackpot, amount=2, **EUR)
    called = [told for told in table.decided if isinstance(told, JackpotCalled | JackpotOver)]
    assert [(type(told), told.what) for told in called] == [
        (JackpotCalled, Shown.PENDING),
        (JackpotOver, Shown.PENDING),
        (JackpotCalled, Shown.WON),
        (JackpotOver, Shown.WON),
    ]


def test_after_a_gap_only_the_present_goal_is_told() -> None:
    """BR-051: three amounts while it was away are one when it is back."""
    table = table_with_sign()
    table.ask(ShowJackpot, amount=1, **EUR)
    table.give(events.DeviceLost(device="sign", why="cable"))
    for amount in (2, 3, 4):
        table.ask(ShowJackpot, amount=amount, **EUR)
    assert [showing.amount for showing in told(table)] == [1]
    table.ready("sign")
    assert [(showing.version, showing.amount) for showing in told(table)] == [(1, 1), (4, 4)]


def test_the_goal_outlives_a_restart_of_the_daemon() -> None:
    table = table_with_sign()
    table.ask(ShowJackpot, amount=77, **EUR)
    table.give(DaemonStarted(version="test", clock_boot="boot-2", house=HOUSE_WITH_SIGN))
    assert len(told(table)) == 1
    table.ready("sign")
    assert [showing.amount for showing in told(table)] == [77, 77]


def test_a_display_that_obeys_another_host_is_told_nothing() -> None:
    table = Table(HOUSE_WITH_SIGN)
    table.ready("sign", epoch=99)
    table.ask(ShowJackpot, amount=77, **EUR)
    assert told(table) == []


def test_nobody_bets_on_a_jackpot_that_is_not_shown() -> None:
    """Away for longer than a hiccup: one alert, bets locked, until it is read back and shows what it shall."""
    table = table_with_sign()
    table.ask(ShowJackpot, amount=77, **EUR)
    showed(table, 1)
    table.give(events.DeviceLost(device="sign", why="cable"))
    assert not has_bets_locked(table)
    table.wait(HOUSE.device_silent_s)
    assert has_bets_locked(table)
    assert [alert.text for alert in table.all_of(AlertRaised)] == ["DISPLAY-LOST"]
    table.ready("sign")
    assert has_bets_locked(table), "that it answers does not say what it shows"
    showed(table, 1)
    assert not has_bets_locked(table)
    assert not table.state.alerts.standing


@pytest.mark.parametrize(("version", "what"), [(1, Shown.AMOUNT), (2, Shown.WAIT)])
def test_an_old_amount_or_a_stale_one_is_not_trusted(version: int, what: Shown) -> None:
    table = table_with_sign()
    table.ask(ShowJackpot, amount=77, **EUR)
    table.ask(ShowJackpot, amount=78, **EUR)
    table.give(events.DisplayTroubled(device="sign", why="shows something else"))
    assert has_bets_locked(table)
    showed(table, version, what)
    assert has_bets_locked(table)
    showed(table, 2)
    assert not has_bets_locked(table)


def test_a_display_s_own_fault_stops_no_card() -> None:
    table = table_with_sign()
    table.notice(events.DeviceFaulted, "sign", fault=9, place=events.Place.UNKNOWN)
    assert not standing(table.state, Scope.DEAL)
    assert not standing(table.state, Scope.FEED)


def test_the_hub_says_again_what_holds_and_stops_when_it_stops() -> None:
    """A display that hears nothing says *one moment* by itself: two renewals in a row may be lost."""
    renewals, order = Renewals(), DisplaySet(device="sign", showing=Showing(1, Shown.AMOUNT, 5, "EUR"))
    renewals.note(order, 0)
    (due_ns,) = renewals.next_ns()
    assert 3 * due_ns <= STALE_MS * NS_PER_MS
    assert renewals.take_due((), (), due_ns - 1) == []
    assert renewals.take_due((), (), due_ns) == [order]
    renewals.take_all()
    assert renewals.next_ns() == []


def test_guests_read_neutral_words_only() -> None:
    assert set(WORDS) == set(Shown) - {Shown.AMOUNT}
    for word in WORDS.values():
        assert not any(hard in word.lower() for hard in ("error", "fault", "fail", "lost", "offline", "stale"))


def test_the_levels_of_a_sign_without_session_are_known() -> None:
    table = Table(HOUSE_WITH_SIGN)
    table.give(events.DisplayReady(device="sign", model="ALPHA", firmware="1044"))
    levels = table.state.devices.known["sign"]
    assert (levels.is_connected, levels.model, levels.abilities) == (True, "ALPHA", {})
    assert levels == replace(devices.DeviceLevels(), is_connected=True, model="ALPHA", firmware="1044")
