"""Alert texts: short, plain, the same in three languages, and complete."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import pytest
from msgspec.structs import replace

from drivers.events import LampColour, LampPattern, Place
from firmware_bridge.wire.tdl.codes import FaultCode
from tableside.catalogue import (
    LANGUAGES,
    AlertClass,
    AlertText,
    AlertUnknown,
    LanguageUnknown,
    Status,
    alert_text,
    catalogue,
    fields_of,
    panel_words,
    parse_catalogue,
    render,
)
from tableside.cli.steps import STEPS
from tableside.decisions import AlertRaised
from tableside.house import Role
from tableside.inputs import ClockStepped
from tableside.lamp import OFF, ORDER
from tests.support.table import HOUSE, Table

MAX_WORDS = 12
MAX_CHINESE_CHARACTERS = 24
MAX_PANEL_WORDS = 3
ENTRIES = catalogue().alert
TEXTS = [(entry.id, language, line) for entry in ENTRIES for language in LANGUAGES for line in entry.lines(language)]
# Spelt with or without a mute consonant on one side of the sea or the other.
PORTUGUESE_THAT_DIFFERS = re.compile(r"\b(\w*(acç|ecç|icç|acto|actu|ecto|ojecto|óptim|inspe|dete[ct]|direc)\w*)\b")


def words(line: str) -> list[str]:
    return [word for word in re.sub(r"\{\w+\}", "x", line).split() if re.search(r"\w|%", word)]


def characters(line: str) -> int:
    return len(re.sub(r"\{\w+\}", "x", line).replace(" ", ""))


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter(entry.id for entry in ENTRIES).items() if count > 1] == []


def test_every_line_is_short() -> None:
    long = [
        (alert_id, language, line)
        for alert_id, language, line in TEXTS
        if (characters(line) > MAX_CHINESE_CHARACTERS if language == "zh_Hant_MO" else len(words(line)) > MAX_WORDS)
    ]
    assert long == []


def test_no_line_holds_a_rule_or_a_code() -> None:
    coded = re.compile(r"\b(CSM|SHOE|BJ|JP|DECK|BR|TDL|OSDP)\b|-\d|0x|[A-Z]{2,}-|\brule\b")
    assert [text for text in TEXTS if coded.search(re.sub(r"\{\w+\}", "", text[2]))] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_same_fields_in_every_language(entry: AlertText) -> None:
    by_language = [tuple(fields_of(line) for line in entry.lines(language)) for language in LANGUAGES]
    assert by_language[0] == by_language[1] == by_language[2]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_table_comes_first_unless_the_reader_stands_there(entry: AlertText) -> None:
    at_the_table = entry.class_ is AlertClass.TABLE_ONLY or entry.id == "HELD-OVER"
    for language in LANGUAGES:
        assert entry.lines(language)[0].startswith("{table}") is not at_the_table


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_someone_comes_where_someone_must_act(entry: AlertText) -> None:
    assert bool(entry.come) or entry.class_ in (AlertClass.LINE, AlertClass.SAME)
    assert not set(entry.come) & set(entry.told)
    assert Role.INSPECTION_SERVICE not in entry.come, "the inspection service reads and never operates"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_class_lamp_and_panel_agree(entry: AlertText) -> None:
    colour, _pattern = entry.shown
    assert (colour is LampColour.RED) is (entry.class_ is AlertClass.GO_NOW), "red says: stopped, somebody comes"
    assert entry.shown in (*ORDER, OFF)
    assert not entry.panel or entry.panel in catalogue().panel
    if entry.class_ is AlertClass.GO_NOW:
        assert entry.panel in ("stop", "last_round")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_lines_are_sentences_and_the_portuguese_is_common_to_both_shores(entry: AlertText) -> None:
    for language, end in (("en", "."), ("pt_PT", "."), ("zh_Hant_MO", "。")):
        for line in entry.lines(language):
            assert line.endswith(end)
    for line in entry.pt_PT:
        assert not PORTUGUESE_THAT_DIFFERS.search(line), line


def test_what_is_to_be_entered_is_a_step_that_exists_and_the_same_in_every_language() -> None:
    """No text sends anybody to a button that nobody has built."""
    steps = {f"{group} {step}" for group, known in STEPS.items() for step in known}
    for entry in ENTRIES:
        named = [set(re.findall(r"«([^»]*)»", " ".join(entry.lines(language)))) for language in ("en", "pt_PT")]
        assert named[0] == named[1] <= steps, entry.id
        assert all(step in " ".join(entry.lines("zh_Hant_MO")) for step in named[0]), entry.id
        assert not re.search(r"(?i)\bpress\b|\bpremir\b|按「", " ".join((*entry.en, *entry.pt_PT, *entry.zh_Hant_MO)))


def test_who_is_called_to_a_count_that_does_not_agree_may_enter_the_hand_count() -> None:
    for text in ("COUNT-SHORT", "COUNT-LONG"):
        assert Role.FLOOR_SUPERVISOR in alert_text(text).come


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_nothing_claims_to_be_reviewed(entry: AlertText) -> None:
    """No native speaker of the trade has looked yet; whoever does changes this test with the entry."""
    assert {entry.status_in(language) for language in LANGUAGES} == {Status.WRITTEN}


@pytest.mark.parametrize("key", sorted(catalogue().panel))
def test_guests_read_neutral_words(key: str) -> None:
    for language in LANGUAGES:
        text = panel_words(key, language)
        assert text
        assert len(text.split()) <= MAX_PANEL_WORDS
        assert not re.search(r"(?i)jam|fault|error|missing|damaged|avaria|erro|falta|故障|少|損", text)


def test_every_place_and_every_fault_of_the_wire_has_words() -> None:
    listed = catalogue().words
    assert set(listed["place"]) == {place.value for place in Place}
    assert set(listed["fault"]) == {str(int(code)) for code in FaultCode} | {"other"}
    for group in listed.values():
        for translations in group.values():
            assert set(translations) == set(LANGUAGES)


def test_an_alert_reads_as_the_supervisor_reads_it() -> None:
    assert render("COUNT-SHORT", "en", {"table": "BJ-07", "k": "1", "n": "311", "total": "312"}) == (
        "BJ-07: 1 card(s) missing (311 of 312). Play stopped.",
        "Look in exit, tray, hands, floor, rail. Count again.",
    )
    assert render("JAM-EXIT", "zh_Hant_MO", {"table": "BJ-07"})[0] == "BJ-07：出牌口卡住牌張，停止派牌。"


def test_words_in_fields_are_in_the_readers_language() -> None:
    fields = {"table": "BJ-07", "device": "shuffler", "fault": "4"}
    assert render("DEVICE-FAULT", "pt_PT", fields)[0] == "BJ-07: avaria em baralhador: motor da entrada. Jogo parado."
    assert "fault of the maker's own list" in render("DEVICE-FAULT", "en", {**fields, "fault": "200"})[0]
    assert "1 K♠ 紅背, 2 7♦ 藍背" in render("SORT-MISSING", "zh_Hant_MO", {"cards": "1 K♠ red, 2 7♦ blue"})[0]


def test_a_field_that_was_not_given_does_not_keep_the_alert_back() -> None:
    assert render("JAM-EXIT", "en", {})[0] == "?: card stuck at the exit. Stop dealing."


def test_levels_and_lamps_are_what_the_table_works_with() -> None:
    assert [alert_text(name).class_.level for name in ("JAM-EXIT", "CALL-PRESSED", "LOAD-NO-SUPERVISOR")] == [1, 2, 0]
    assert alert_text("LID-OPEN").shown == (LampColour.RED, LampPattern.BLINKING)
    assert alert_text("BADGES-REFUSED").shown == OFF


def test_what_is_not_in_the_catalogue_is_refused_by_name() -> None:
    with pytest.raises(AlertUnknown, match="NO-SUCH"):
        alert_text("NO-SUCH")
    with pytest.raises(LanguageUnknown, match="pt_BR"):
        render("JAM-EXIT", "pt_BR", {})


def test_an_entry_with_a_language_too_few_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="zh_Hant_MO"):
        parse_catalogue(
            '[[alert]]\nid = "X"\nrule = "CSM-2"\nclass = "1"\nlamp = "off"\ncome = []\nblocks = []\nlatched = true\n'
            'clears = "x"\npanel = ""\nen = ["a", "b"]\npt_PT = ["a", "b"]\n[panel]\n[words]\n'
        )


def test_a_technician_is_called_only_where_one_has_a_pager() -> None:
    """Nobody's pager rings where the section names no technician: the text must not say that it does."""
    named, nobody = Table(replace(HOUSE, section=replace(HOUSE.section, technician="T1"))), Table()
    for table, said in ((named, "Technician called."), (nobody, "Call a technician.")):
        table.ready()
        table.give(ClockStepped(seconds=40))
        (raised,) = table.all_of(AlertRaised)
        assert render(raised.text, "en", raised.fields)[1].endswith(said)
    assert render("CLOCK-STEPPED", "pt_PT", {"n": "40"})[1].endswith("Técnico chamado."), "a row of an earlier version"
