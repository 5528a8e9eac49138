"""The simulation file: every key has its place, paths count from its folder, mistakes say where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cables import CableRefused, socket_for
from simulator.plan import Kind, PlanRefused, read_plan

DEMO = Path(__file__).parents[3] / "demo" / "simulation.toml"
SHUFFLER = '[[devices]]\nname = "s"\nkind = "shuffler"\nserial_number = "1"\naddress = "memory://s"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "simulation.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_demo_stands_at_the_addresses_of_its_table() -> None:
    plan = read_plan(DEMO)
    assert [device.serial_number for device in plan.of_kind(Kind.SHUFFLER)] == ["000123", "000124"]
    table = (DEMO.parent / "table.toml").read_text("utf-8")
    for line in DEMO.read_text("utf-8").splitlines():
        if line.startswith(("address", "serial_number")):
            assert line in table


def test_paths_count_from_the_folder_of_the_file(tmp_path: Path) -> None:
    text = SHUFFLER.replace("memory://s", "serial://../run/dev/s?baud=9600")
    text = '[simulation]\nside_channel = "side.sock"\n' + text
    plan = read_plan(written(tmp_path, text))
    assert plan.simulation.side_channel == str(tmp_path / "side.sock")
    assert plan.devices[0].address == f"serial://{tmp_path.parent}/run/dev/s?baud=9600"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[simulation]\nspeed = 3\n" + SHUFFLER, "speed"),
        ("[simulation]\npace = 0\n" + SHUFFLER, "pace 0"),
        (SHUFFLER + SHUFFLER, "'s' stands twice"),
        (SHUFFLER.replace("memory://s", "smoke://s"), "smoke"),
        (SHUFFLER.replace('"shuffler"', '"toaster"'), "toaster"),
        ("[table]\nseats = 7\n", "at least one"),
        ("[[devices]\n", "simulation.toml"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(PlanRefused, match=says):
        read_plan(written(tmp_path, text))


def test_usb_is_simulated_behind_usbip() -> None:
    with pytest.raises(CableRefused, match="usbip=127"):
        socket_for("usb://1209:0001/000123", lambda: 1)
