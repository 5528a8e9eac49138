"""The host's and the tables' files as the daemon gets them."""

from __future__ import annotations

from pathlib import Path

from tableside.config import load_host
from tableside.configuration.shape import DeviceRole, Profile

DEMO = Path(__file__).parents[2] / "demo"


def test_the_demo_files_load_into_one_host_with_one_table() -> None:
    host = load_host(DEMO / "host.toml")
    assert (host.profile, host.room_management, host.has_pit_manager) == (Profile.LAB, ("R-401",), True)
    assert host.journal_directory == DEMO.parent / "run"
    (table,) = host.tables
    assert (table.name, table.seats, table.cards_in_play) == ("BJ-07", 7, 312)
    assert [device.name for device in table.devices_of(DeviceRole.SHUFFLER)] == ["shuffler", "spare"]


def test_staff_of_host_and_table_are_known_at_the_table() -> None:
    (table,) = load_host(DEMO / "host.toml").tables
    assert {"S-201", "D-101", "R-401"} <= {person.staff_id for person in table.staff}


def test_a_relative_serial_address_counts_from_the_folder_of_its_file() -> None:
    (table,) = load_host(DEMO / "host.toml").tables
    assert table.devices[0].address == f"serial://{DEMO.parent}/run/dev/shuffler?baud=115200"
