"""The history of a machine by its serial number: it follows the machine through swap, workshop and tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import card_events, events
from drivers.events import Place
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.decisions import RequestAnswered
from tableside.exit_codes import ExitCode
from tableside.journal.reader import JournalReader
from tableside.machine_happenings import MachineRecorded
from tableside.machine_requests import RecordMachine, Standing
from tableside.reports.machine import machine_report
from tableside.reports.machines import Machine, machines
from tableside.reports.paper import WIDTH
from tableside.reports.story import NoStory, Story, read_story
from tests.support.session import open_table
from tests.support.situations import SHOE_HOUSE
from tests.support.swaps import loaded_spare
from tests.support.table import HOUSE, Table
from tests.support.written import written

OLD, NEW = "000123", "000124"


def story_of(table: Table, folder: Path) -> Story:
    with JournalReader(written(table, folder)) as reader:
        return read_story(reader.rows.records())


def read(table: Table, folder: Path) -> dict[str, Machine]:
    return machines([story_of(table, folder)])


def record(table: Table, serial: str, standing: Standing, by: str = "T1", **fields: object) -> RequestAnswered:
    return table.ask(RecordMachine, by=by, serial=serial, standing=standing, **fields)


def run(*arguments: str) -> int:
    return run_command(tableside, list(arguments))


def words(machine: Machine) -> list[str]:
    return [moment.text for moment in machine.moments]


@pytest.fixture
def exchanged() -> Table:
    """A machine jammed, was exchanged in mid-round, went to the workshop and came out of it with a new roller."""
    table = loaded_spare()
    assert record(table, OLD, Standing.WORKSHOP, note="carousel jams").is_accepted
    assert record(table, OLD, Standing.READY, parts=("roller 12-B", "belt 7")).is_accepted
    return table


def test_a_machine_is_followed_from_service_to_the_workshop_and_ready_again(exchanged: Table, tmp_path: Path) -> None:
    known = read(exchanged, tmp_path)
    assert [moment.standing for moment in known[OLD].standings] == ["in service", "out", "workshop", "ready"]
    assert [moment.standing for moment in known[NEW].standings] == ["ready", "in service"]


def test_jams_and_parts_stay_with_the_machine_and_do_not_pass_to_its_successor(
    exchanged: Table, tmp_path: Path
) -> None:
    exchanged.notice(events.DeviceFaulted, "spare", fault=2, place=Place.CAROUSEL)
    known = read(exchanged, tmp_path)
    assert known[OLD].jams == {"carousel": 1}
    assert not known[NEW].jams
    assert [part for _moment, part in known[OLD].parts] == ["roller 12-B", "belt 7"]
    assert not known[OLD].faults
    assert known[NEW].faults == {2: 1}


def test_what_a_shoe_and_a_lamp_tell_of_themselves_stays_with_them(tmp_path: Path) -> None:
    """A shoe is a machine too: its errors are faults by their number; a lamp that misbehaves has a history as well."""
    house = replace(SHOE_HOUSE, lamps=("lamp",))
    table = Table(house)
    table.give(card_events.CardReaderReady(device="shoe", model="SHOE", serial="77-1"))
    for code in (7, 7, 41):
        table.give(card_events.ShoeErrorBegan(device="shoe", code=code, is_stopped=code == 41))
        table.give(card_events.ShoeErrorEnded(device="shoe", code=code))
    table.give(card_events.CardReaderTroubled(device="shoe", why="a telegram was lost"))
    table.give(events.LampReady(device="lamp", model="blink(1)", serial="2A"))
    table.give(events.LampTroubled(device="lamp", why="it shows green"))
    with JournalReader(written(table, tmp_path, house=house)) as reader:
        known = machines([read_story(reader.rows.records())])
    assert known["77-1"].faults == {7: 2, 41: 1}
    told = words(known["77-1"])
    assert [text for text in told if text.startswith("Error 41")] == ["Error 41, it draws nothing", "Error 41 is over"]
    assert "Trouble with what it tells: a telegram was lost" in told
    assert words(known["2A"])[-1] == "Trouble with the lamp: it shows green"


def test_another_machine_under_the_same_name_begins_a_history_of_its_own(tmp_path: Path) -> None:
    table = open_table()
    table.restarted("shuffler", serial="000777")
    table.notice(events.CardJammed, place=Place.EXIT)
    known = read(table, tmp_path)
    assert known[OLD].standings[-1].standing == "out"
    assert "Another device, 000777, answers as shuffler" in words(known[OLD])
    assert not known[OLD].jams
    assert known["000777"].jams == {"exit": 1}


def test_a_machine_that_comes_again_with_other_firmware_is_told(tmp_path: Path) -> None:
    table = open_table()
    table.restarted("shuffler", firmware="2.0")
    assert "Other firmware: 1.0 before, 2.0 now" in words(read(table, tmp_path)[OLD])


def test_a_machine_is_followed_over_the_journals_of_two_tables(exchanged: Table, tmp_path: Path) -> None:
    here = story_of(exchanged, tmp_path)
    other = open_table()
    other.restarted("shuffler", serial=NEW)
    elsewhere = story_of(other, tmp_path)
    elsewhere.house = replace(HOUSE, table="BJ-02")
    text = machine_report(NEW, [(here, ()), (elsewhere, ())])
    assert f"{HOUSE.table}" in text
    assert "BJ-02" in text
    assert text.count("Evidence") == 2


def test_the_document_says_where_it_is_and_since_when(exchanged: Table, tmp_path: Path) -> None:
    text = machine_report(OLD, [(story_of(exchanged, tmp_path), ())])
    one_line = " ".join(text.split())
    for part in ("Now: ready, since", "Jams: carousel 1", "Part: roller 12-B", "SIMULATED", "Recorded as workshop"):
        assert part in one_line, part
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_a_number_that_nobody_knows_is_answered_with_those_that_are_known(exchanged: Table, tmp_path: Path) -> None:
    with pytest.raises(NoStory, match=f"{OLD}, {NEW}"):
        machine_report("999999", [(story_of(exchanged, tmp_path), ())])


# --- what people may record ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("serial", "standing", "by", "parts"),
    [
        (OLD, Standing.WORKSHOP, "T1", ()),  # it is in use
        ("000777", Standing.IN_SERVICE, "T1", ()),  # it is not
        ("000777", Standing.WORKSHOP, "D1", ()),  # a dealer records no machine
        ("000777", Standing.WORKSHOP, "", ()),
        (" ", Standing.WORKSHOP, "T1", ()),
        ("000777", Standing.WORKSHOP, "T1", ("",)),
    ],
)
def test_what_nobody_may_record(serial: str, standing: Standing, by: str, parts: tuple[str, ...]) -> None:
    table = open_table()
    assert not record(table, serial, standing, by, parts=parts).is_accepted
    assert not table.all_of(MachineRecorded)


def test_a_part_exchanged_at_the_table_is_recorded_of_the_machine_in_service() -> None:
    table = open_table()
    assert record(table, OLD, Standing.IN_SERVICE, "S1", parts=("belt 7",)).is_accepted


# --- the command -----------------------------------------------------------------------------------------------


def test_the_command_prints_it_and_says_which_number_is_unknown(
    exchanged: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(written(exchanged, tmp_path))
    assert run("journal", "report", "machine", OLD, file) == ExitCode.DONE
    assert "Machine 000123" in capsys.readouterr().out
    assert run("journal", "report", "machine", "999999", file) == ExitCode.DATA
    assert run("journal", "report", "machine", OLD, str(tmp_path / "none.db")) == ExitCode.NO_INPUT
