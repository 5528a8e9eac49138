"""BR-068: a broken configuration says every fault at once, with file, line, column, key and what is allowed."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableside.config import ConfigRefused, Mistake, check, load_host
from tableside.configuration.house import house_of
from tableside.configuration.mistake import nearest_of
from tests.support.config_files import TABLE, Edit, write_config


def table(old: str, new: str) -> Edit:
    return Edit("table", old, new)


def host(old: str, new: str) -> Edit:
    return Edit("host", old, new)


JACKPOT = table(
    "[settings]",
    """[jackpot]
currency = "EUR"
bet = 100
increment = 7500
start = 999999
counted_cards = 2
approved_by = "Inspection"
approved_on = 2026-11-01

[[jackpot.prizes]]
name = "two aces"
combination = { cards = 2, ranks = ["A", "A"] }

[settings]""",
)

MAINTENANCE = table("[settings]", '[[maintenance]]\nwhat = "cleaning"\n\n[settings]')

# What is broken, the edit, the key that is named, what stands at the place, words of the message.
BROKEN: list[tuple[str, Edit, str, str, list[str]]] = [
    ("typo in a key", table("presence_s =", "presnce_s ="), "settings.presnce_s", "presnce_s", ['"presence_s"']),
    ("upkeep never due", MAINTENANCE, "maintenance[0].after_cards", "maintenance]]", ["after_hours too"]),
    ("jackpot below its start", JACKPOT, "jackpot.start", "start", ["at least 1000000"]),
    (
        "other end",
        table("[settings]", '[settings]\nround_end = "x"'),
        "settings.round_end",
        "round_end",
        ["sensed, told"],
    ),
    ("typo in a device key", table("serial_number", "serial_numbr"), "devices[0].serial_numbr", "serial_numbr", []),
    ("wrong level", table("seats = 7", "seats = 7\npresence_s = 50"), "table.presence_s", "presence_s", ["[settings]"]),
    ("key above any heading", table("[table]", "seats = 7\n[table]"), "seats", "seats", ["belongs in [table]"]),
    ("unknown key, tab before it", table("[settings]", "[settings]\n\tx = 1"), "settings.x", "x = 1", ["unknown key"]),
    ("missing key", table('model = "CSM"\n', ""), "devices[0].model", "devices]]", ["is missing", "1 to 16"]),
    ("missing part", table("[[decks]]", "[[deck]]"), "deck", "deck]]", ['Did you mean "decks"?']),
    ("text for a number", table("seats = 7", 'seats = "7"'), "table.seats", "seats", ["from 1 to 14"]),
    ("number for a text", table('"000123"', "123"), "devices[0].serial_number", "serial_number", ["in quotes"]),
    ("number with a point", table("= 60", "= 60.0"), "settings.presence_s", "presence_s", ["decimal point"]),
    ("true for a number", table("count = 3", "count = true"), "decks[0].count", "count", ["1 to 8"]),
    ("text for a date", table("2026-01-15", '"2026-01-15"'), "settings.presence_approved_on", "presence_a", ["2026"]),
    ("date with a time", table("2026-01-15", "2026-01-15T10:00:00"), "settings.presence_approved_on", "presence_a", []),
    ("text for a list", table('["en", "pt_PT"]', '"en"'), "table.languages", "languages", ["1 to 3 entries"]),
    ("text for a table", table("[alerts]", 'alerts = "no"\n[settings2]'), "settings2", "settings2]", ['"settings"']),
    ("unknown word", table('"pt_PT"', '"pt_BR"'), "table.languages[1]", '"pt_BR"', ['"pt_PT"', "zh_Hant_MO"]),
    ("negative time", table("neighbour_s = 30", "neighbour_s = -5"), "alerts.class_1_neighbour_s", "class_1_n", ["-5"]),
    ("presence too long", table("= 60", "= 200"), "settings.presence_s", "presence_s", ["from 10 to 180"]),
    (
        "unknown driver",
        table("tdl-continuous-shuffler", "tdl-continuos-shuffler"),
        "devices[0].driver",
        "driver",
        ['"tdl-continuous-shuffler"'],
    ),
    (
        "driver of another role",
        table("tdl-continuous-shuffler", "tdl-switch-box"),
        "devices[0].driver",
        "driver",
        ["no shuffler"],
    ),
    ("unknown role", table('"switch_box"', '"switchbox"'), "devices[1].role", "role", ['"switch_box"']),
    ("unknown address scheme", table("serial://", "seriall://"), "devices[0].address", "address", ["tcp://HOST:PORT"]),
    ("two devices on a port", table("by-id/badges", "by-id/shuffler"), "devices[2].address", "address", ["shuffler"]),
    ("device named twice", table('"badges"', '"shuffler"'), "devices[2].name", "name", ["another device"]),
    ("serial number twice", table('"901"', '"000123"'), "devices[2].serial_number", "serial_number", ["each serial"]),
    ("badge of two people", table("26:00000340", "26:00000140"), "staff[0].badge", "badge", ["another person"]),
    ("badge without zeros", table("26:00000340", "26:340"), "staff[0].badge", "badge", ["leading zeros"]),
    ("badge of too many bits", table("26:00000340", "26:80000340"), "staff[0].badge", "badge", ["more than 26 bits"]),
    ("badge in small letters", table("26:00000340", "26:0000034a"), "staff[0].badge", "badge", ["UPPER-CASE"]),
    ("a PIN in the file", table('name = "Dealer"', 'name = "D"\npin_hash = "123456"'), "staff[0].pin_hash", "pin", []),
    ("five decks", table("count = 3", "count = 2"), "decks", "decks]]", ["4 or 6 decks", "SHOE-1"]),
    ("back colour twice", table('"blue"', '"red"'), "decks[1].back", "back", ["one group"]),
    ("all cards in one packet", table("104", "312"), "settings.packet_limit_cards", "packet_l", ["CSM-5"]),
    ("machine too small", table("380", "300"), "devices[0].capacity_cards", "capacity_cards", ["at least the 312"]),
    ("no approval", table('presence_approved_by = "Inspection"\n', ""), "settings.presence_approved_by", "sett", []),
    ("later alert first", table("_s = 120", "_s = 20"), "alerts.class_1_management_s", "class_1_m", ["below"]),
    ("unknown jurisdiction", table('"pt"', '"xx"'), "table.jurisdiction", "jurisdiction", ["mo, pt"]),
    ("unknown section", table('section = "A"', 'section = "C"'), "table.section", "section", ["A, B"]),
    ("no station address", table("osdp_address = 1\n", ""), "devices[2].osdp_address", "devices]]", ["0 to 126"]),
    ("key of another role", table('"BOX"', '"BOX"\nosdp_address = 2'), "devices[1].osdp_address", "osdp_a", []),
    ("no switch box", table('"switch_box"', '"badge_reader"'), "devices", "devices]]", ["0 of role switch_box"]),
    ("not a table of values", table("[settings]", "[settings"), "settings", "", ["not TOML"]),
    ("key given twice", table("seats = 7", "seats = 7\nseats = 6"), "seats", "", ["not TOML"]),
    ("unknown supervisor", host('["S-1"]', '["S-2"]'), "sections[0].floor_supervisors[0]", '"S-2"', ["S-1"]),
    ("supervisor without the role", host('["S-1"]', '["R-1"]'), "sections[0].floor_supervisors[0]", '"R-1"', ["S-1"]),
    (
        "technician without the role",
        host('neighbour = "B"', 'neighbour = "B"\ntechnician = "S-1"'),
        "sections[0].technician",
        "technician",
        ["role technician"],
    ),
    ("neighbour of itself", host('neighbour = "B"', 'neighbour = "A"'), "sections[0].neighbour", "neighbour", ["B"]),
    ("unknown time zone", host("Europe/Lisbon", "Europe/Lisboa"), "host.time_zone", "time_zone", ['"Europe/Lisbon"']),
    ("unknown profile", host('"lab"', '"labor"'), "host.profile", "profile", ["production, training, lab"]),
    ("table file twice", host('"table.toml"', '"table.toml", "./table.toml"'), "host.tables[1]", '"./table', ["twice"]),
    ("socket path too long", host("control.sock", "c" * 120), "host.control_socket", "control_socket", ["107"]),
    ("no pit manager", host(', "pit manager"', ""), "host.has_pit_manager", "has_pit", ["role pit manager"]),
    ("no tables", host('["table.toml"]', "[]"), "host.tables", "tables", ["1 to 32"]),
]


def found_at(mistake: Mistake) -> str:
    """What an editor shows at the place that a mistake names."""
    return mistake.file.read_text("utf-8").split("\n")[mistake.line - 1][mistake.column - 1 :]


def test_there_are_at_least_25_broken_files() -> None:
    assert len(BROKEN) >= 25, "BR-068"


def test_the_sound_files_have_no_mistake(tmp_path: Path) -> None:
    assert check(write_config(tmp_path)) == []


@pytest.mark.parametrize(("edit", "key", "place", "words"), [case[1:] for case in BROKEN], ids=[c[0] for c in BROKEN])
def test_each_fault_is_named_with_its_place_and_what_is_allowed(
    tmp_path: Path, edit: Edit, key: str, place: str, words: list[str]
) -> None:
    mistakes = {mistake.key: mistake for mistake in check(write_config(tmp_path, edit))}
    assert key in mistakes, [str(mistake) for mistake in mistakes.values()]
    mistake = mistakes[key]
    assert mistake.file == tmp_path / f"{edit.file}.toml"
    assert found_at(mistake).startswith(place)
    assert mistake.allowed
    for word in words:
        assert word in str(mistake)


@pytest.mark.parametrize("seats", [6, 7])
def test_bj1_six_or_seven_seats_are_taken(tmp_path: Path, seats: int) -> None:
    path = write_config(tmp_path, table("seats = 7", f"seats = {seats}"))
    assert check(path) == []
    assert load_host(path).tables[0].seats == seats


@pytest.mark.parametrize("seats", [-6, 0, 1, 5, 8, 9, 67])
def test_bj1_any_other_number_of_seats_is_refused(tmp_path: Path, seats: int) -> None:
    path = write_config(tmp_path, table("seats = 7", f"seats = {seats}"))
    (mistake,) = check(path)
    assert (mistake.key, mistake.is_refused) == ("table.seats", True)
    assert ("from 6 to 7" if 1 <= seats <= 14 else "from 1 to 14") in mistake.allowed
    with pytest.raises(ConfigRefused):
        load_host(path)


@pytest.mark.parametrize(("red", "blue"), [(2, 2), (1, 3), (3, 3), (5, 1)])
def test_shoe1_four_or_six_decks_of_52_are_taken(tmp_path: Path, red: int, blue: int) -> None:
    """All of a deck are its 52 cards: no configuration can name a joker, and none is counted."""
    path = write_config(tmp_path, *decks(red, blue))
    assert check(path) == []
    loaded = load_host(path)
    assert house_of(loaded, loaded.tables[0], 1).cards_at_table == 52 * (red + blue)


@pytest.mark.parametrize(("red", "blue"), [(1, 1), (2, 1), (3, 2), (4, 3), (4, 4)])
def test_shoe1_any_other_number_of_decks_is_refused(tmp_path: Path, red: int, blue: int) -> None:
    mistakes = {mistake.key: mistake for mistake in check(write_config(tmp_path, *decks(red, blue)))}
    assert mistakes["decks"].is_refused
    assert "SHOE-1" in mistakes["decks"].allowed


def decks(red: int, blue: int) -> tuple[Edit, Edit]:
    """So many decks of each back."""
    groups = (("red", red), ("blue", blue))
    first, second = (
        table(f'back = "{back}"\ncount = 3', f'back = "{back}"\ncount = {count}') for back, count in groups
    )
    return first, second


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("presnce_s", ["presence_s", "seats"], "presence_s"),
        ("swithc_box", ["switch_box", "shuffler"], "switch_box"),
        ("pt_BR", ["en", "pt_PT", "zh_Hant_MO"], "pt_PT"),
        ("cut_card_at", ["card_change_at", "closing_at"], ""),  # shares letters, is no slip
        ("reader", ["shuffler", "badge_reader"], ""),
        ("S-2", ["S-1", "S-12"], ""),  # another number is another thing
        ("tcp", ["usb", "mqtt"], ""),
        ("", ["en"], ""),
        ("x" * 200, ["xx"], ""),
    ],
)
def test_a_name_is_offered_only_where_a_few_slips_make_it(typed: str, known: list[str], meant: str) -> None:
    """A wrong guess costs more than none; what is allowed is listed anyhow."""
    assert nearest_of(typed, known) == meant


def test_a_key_on_a_wrong_level_is_sent_home_and_not_guessed_at(tmp_path: Path) -> None:
    (mistake,) = check(write_config(tmp_path, table("seats = 7", "seats = 7\nbetween = 5\npresence_s = 50")))[1:]
    assert "it belongs in [settings]" in mistake.problem
    assert mistake.nearest == ""


def test_all_faults_of_all_files_come_in_one_run(tmp_path: Path) -> None:
    edits = [case[1] for case in BROKEN if case[0] in ("typo in a key", "text for a number", "unknown driver")]
    edits += [host('"lab"', '"labor"'), table("26:00000340", "26:00000140")]
    keys = {mistake.key for mistake in check(write_config(tmp_path, *edits))}
    assert {
        "settings.presnce_s",
        "table.seats",
        "devices[0].driver",
        "host.profile",
        "staff[0].badge",
    } <= keys


def test_a_mistyped_key_is_one_mistake_and_not_also_a_missing_one(tmp_path: Path) -> None:
    (mistake,) = check(write_config(tmp_path, table("serial_number", "serial_numbr")))
    assert mistake.key == "devices[0].serial_numbr"


def test_a_broken_line_does_not_hide_the_next_one(tmp_path: Path) -> None:
    mistakes = check(write_config(tmp_path, table("count = 3", "count = = 3"), table("= 104", "= 104 cards")))
    assert [found_at(mistake)[:1] for mistake in mistakes] == ["=", "c"]
    assert all(mistake.problem.startswith("not TOML") for mistake in mistakes)


def test_a_line_reads_as_file_line_column_key_and_remedy(tmp_path: Path) -> None:
    (mistake,) = check(write_config(tmp_path, table("presence_s =", "presnce_s =")))
    head, _, rest = str(mistake).partition(": refused: ")
    assert head == f"{tmp_path / 'table.toml'}:49:1"
    assert rest.startswith('settings.presnce_s: unknown key. Did you mean "presence_s"? Allowed: presence_s, ')


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        (b"", 1, 1, "is empty"),
        (b" \n\t\n", 1, 1, "is empty"),
        (codecs.BOM_UTF8 + TABLE.encode(), 1, 1, "byte-order mark"),
        (TABLE.encode("utf-16"), 1, 1, "no UTF-8"),
        (TABLE.replace("Dealer", "José").encode("latin-1"), 44, 12, "0xe9 is no UTF-8"),
        (b'[tabel]\nname = "x"\n', 1, 2, 'did you mean "[table]"'),
        (b'[devices]\nname = "x"\n', 1, 2, "neither [host] nor [table]"),
        (TABLE.encode() + b"[host]\n", 57, 2, "both [host] and [table]"),
        (b'[table]\nname = "BJ', 2, 11, "not TOML"),
        (b"\x00\x01\x02\x03", 1, 1, "not TOML"),
    ],
    ids=["empty", "blank", "mark", "utf-16", "latin-1", "tabel", "devices", "both", "cut off", "binary"],
)
def test_files_that_are_hardly_files(tmp_path: Path, content: bytes, line: int, column: int, words: str) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    mistake = check(path)[0]
    assert (mistake.line, mistake.column) == (line, column)
    assert words in str(mistake)


def test_a_missing_file_is_said_and_not_raised(tmp_path: Path) -> None:
    (mistake,) = check(tmp_path / "absent.toml")
    assert "No such file" in str(mistake)


def test_a_missing_table_file_is_said_beside_the_hosts_own_mistakes(tmp_path: Path) -> None:
    path = write_config(tmp_path, host('"lab"', '"labor"'))
    (tmp_path / "table.toml").unlink()
    assert {mistake.file.name for mistake in check(path)} == {"host.toml", "table.toml"}


def test_a_hosts_file_named_as_a_table_is_refused(tmp_path: Path) -> None:
    (mistake,) = check(write_config(tmp_path, host('"table.toml"', '"host.toml"')))
    assert "is a host's file" in mistake.problem


def test_loading_refuses_with_every_mistake(tmp_path: Path) -> None:
    edits = [table("presence_s =", "presnce_s ="), host('"lab"', '"labor"')]
    with pytest.raises(ConfigRefused) as refusal:
        load_host(write_config(tmp_path, *edits))
    assert len(refusal.value.mistakes) == 2
    assert "presnce_s" in str(refusal.value)
    assert "labor" in str(refusal.value)


def test_warnings_do_not_refuse_and_are_handed_on(tmp_path: Path) -> None:
    config = load_host(write_config(tmp_path, host('reserve_directory = "reserve"\n', "")))
    (warning,) = config.warnings
    assert "second disk" in warning.allowed
    assert not warning.is_refused


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(TABLE)), length=st.integers(0, 40), put=st.text(max_size=12))
def test_no_slip_of_the_pen_ends_in_a_traceback(tmp_path: Path, at: int, length: int, put: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE[:at] + put + TABLE[at + length :], encoding="utf-8", errors="replace")
    for mistake in check(path):
        assert mistake.line >= 1
        assert mistake.column >= 1
        assert mistake.problem
