"""Devices at I/O boards in the configuration: every wire named once, polls quick enough, one bus for several boards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tableside.config import check, load_host
from tests.support.config_files import Edit, write_config

SHUFFLER = """driver = "tdl-continuous-shuffler"
address = "serial:///dev/serial/by-id/shuffler?baud=115200"
serial_number = "000123"
model = "CSM"
capacity_cards = 380
"""
WIRED = """driver = "retrofit-shuffler"
address = "serial:///dev/serial/by-id/board?baud=19200"
serial_number = "000123"
model = "CSM"
capacity_cards = 380

[devices.wiring]
unit = 1
poll_ms = 50

[devices.wiring.jam_lamp]
input = 0
jam = "blinking"

[devices.wiring.lid]
input = 1
is_active_low = true

[devices.wiring.card_in]
counter = 2

[devices.wiring.card_out]
counter = 3

[devices.wiring.tray]
input = 4
"""
LAMP = """
[[devices]]
name = "lamp"
role = "lamp"
driver = "modbus-lamp"
address = "serial:///dev/serial/by-id/board?baud=19200"
serial_number = "R-1"
model = "relays"

[devices.coils]
unit = 2
red = 0
amber = 1
blue = 2
"""


def host(folder: Path, *changes: tuple[str, str], lamp: str = LAMP) -> Path:
    wired = WIRED
    for old, new in changes:
        if old in wired:
            wired = wired.replace(old, new)
        else:
            assert old in lamp
            lamp = lamp.replace(old, new)
    return write_config(folder, Edit("table", SHUFFLER, wired), Edit("table", "", lamp))


def test_a_shuffler_and_a_lamp_share_a_bus(tmp_path: Path) -> None:
    path = host(tmp_path)
    assert check(path) == []
    (table,) = load_host(path).tables
    wirings = [device.wiring for device in table.devices if device.wiring is not None]
    assert [(wiring.unit, wiring.jam_lamp.jam, wiring.card_in.counter) for wiring in wirings] == [(1, "blinking", 2)]
    assert [device.coils.all for device in table.devices if device.coils is not None] == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("changes", "key", "problem"),
    [
        ((("counter = 2", "pulse_ms = 30"),), "devices[0].wiring.card_in", "counter or input"),
        ((("counter = 2", "counter = 2\ninput = 5"),), "devices[0].wiring.card_in", "not both"),
        ((("counter = 2", "input = 5"),), "devices[0].wiring.card_in", "needs poll_ms of 15 or less"),
        ((("counter = 3", "counter = 3\nis_counter_wide = true"),), "devices[0].wiring.card_out", "another width"),
        ((("input = 4", "input = 1"),), "devices[0].wiring.lid", "two contacts at one terminal"),
        ((("poll_ms = 50", "poll_ms = 2"),), "devices[0].wiring.poll_ms", "2"),
        ((('jam = "blinking"', 'jam = "pink"'),), "devices[0].wiring.jam_lamp.jam", "pink"),
        ((("amber = 1", "amber = 0"),), "devices[3].coils", "one coil for two colours"),
        ((("red = 0\n", ""),), "devices[3].coils.red", "is missing"),
        ((("baud=19200\"\nserial_number = \"R-1", "baud=9600\"\nserial_number = \"R-1"),), "devices[3].address",
         "other line settings"),
    ],
)  # fmt: skip
def test_what_a_wiring_cannot_be(tmp_path: Path, changes: tuple[tuple[str, str], ...], key: str, problem: str) -> None:
    mistakes = check(host(tmp_path, *changes))
    assert [mistake.key for mistake in mistakes] == [key]
    assert problem in mistakes[0].problem


def test_wires_belong_to_drivers_of_boards_only(tmp_path: Path) -> None:
    (mistake,) = check(host(tmp_path, ("retrofit-shuffler", "tdl-continuous-shuffler"), lamp="\n"))
    assert (mistake.key, mistake.problem) == ("devices[0].wiring", 'means nothing for "tdl-continuous-shuffler"')


def test_a_board_without_its_wires_is_told_what_is_missing(tmp_path: Path) -> None:
    bare = WIRED.partition("\n[devices.wiring]")[0] + "\n"
    (mistake,) = check(write_config(tmp_path, Edit("table", SHUFFLER, bare)))
    assert (mistake.key, mistake.problem) == ("devices[0].wiring", "is missing")


def test_the_example_of_the_documents_is_sound(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "protocols" / "modbus-retrofit.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    head = '[[devices]]\nname = "shuffler"\nrole = "shuffler"\n'
    assert check(write_config(tmp_path, Edit("table", head + SHUFFLER, ""), Edit("table", "", example))) == []


def test_production_is_told_that_no_wire_says_which_machine_it_is(tmp_path: Path) -> None:
    path = host(tmp_path)
    path.write_text(path.read_text("utf-8").replace('"lab"', '"production"'), "utf-8")
    told = [(mistake.key, mistake.is_refused) for mistake in check(path)]
    assert ("devices[0].serial_number", False) in told
