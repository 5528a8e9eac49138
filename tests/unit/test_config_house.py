"""What decisions are given of the configuration: settings, the law of the place, people, and no secrets."""

from __future__ import annotations

import datetime
import zoneinfo
from pathlib import Path

import msgspec
import pytest

from tableside.config import check, load_host
from tableside.configuration.house import house_of, staff_by_badge
from tableside.house import House, Role
from tests.support.config_files import Edit, write_config

DEMO = Path(__file__).parents[2] / "demo"
EPOCH = 0xA1B2C3D4


def house_from(path: Path) -> House:
    host = load_host(path)
    return house_of(host, host.tables[0], EPOCH)


def test_the_demos_table_is_what_its_files_say() -> None:
    house = house_from(DEMO / "host.toml")
    assert (house.table, house.seats, house.cards_at_table, house.epoch) == ("BJ-07", 7, 312, EPOCH)
    assert (house.shuffler, house.spare_shufflers, house.switch_box) == ("shuffler", ("spare",), "switches")
    assert house.readers == ("badges",)
    assert (house.class_1_neighbour_s, house.class_1_management_s, house.class_2_neighbour_s) == (2, 6, 15)
    assert house.section.supervisor == "S-201"
    assert (house.section.neighbour, house.section.pit_manager) == ("S-203", "P-301")
    person = house.person(staff_by_badge(load_host(DEMO / "host.toml").tables[0])["26:00020140"])
    assert person is not None
    assert (person.staff, person.roles) == ("S-201", (Role.FLOOR_SUPERVISOR,))


def test_no_secret_enters_the_state() -> None:
    state = msgspec.json.encode(house_from(DEMO / "host.toml")).decode()
    assert "scrypt" not in state
    assert not [badge for badge in staff_by_badge(load_host(DEMO / "host.toml").tables[0]) if badge in state]


@pytest.mark.parametrize(
    ("law", "reinsert", "counts", "swaps"), [("pt", "before", False, True), ("mo", "after", True, False)]
)
def test_the_law_decides_where_the_house_has_not(
    tmp_path: Path, law: str, reinsert: str, counts: bool, swaps: bool
) -> None:
    jurisdiction = house_from(write_config(tmp_path, Edit("table", '"pt"', f'"{law}"'))).jurisdiction
    assert (jurisdiction.reinsert, jurisdiction.full_count_after_jam, jurisdiction.swap_allowed) == (
        reinsert,
        counts,
        swaps,
    )


def test_the_house_decides_within_the_law(tmp_path: Path) -> None:
    chosen = Edit("table", "[settings]", '[settings]\nreinsert = "after"\nfull_count_after_jam = true')
    jurisdiction = house_from(write_config(tmp_path, chosen)).jurisdiction
    assert (jurisdiction.reinsert, jurisdiction.full_count_after_jam) == ("after", True)


def test_validity_runs_from_the_houses_midnight_to_its_midnight(tmp_path: Path) -> None:
    """BR-053: on the day the clocks go back, 31 October 2027, the day has 25 hours in Lisbon."""
    dates = Edit("table", 'name = "Dealer"', 'name = "Dealer"\nvalid_from = 2027-10-31\nvalid_until = 2027-10-31')
    dealer = house_from(write_config(tmp_path, dates)).person("D-1")
    assert dealer is not None
    assert dealer.valid_from_ns is not None
    assert dealer.valid_until_ns is not None
    hours = (dealer.valid_until_ns - dealer.valid_from_ns) / 3_600e9
    assert hours == 25
    start = datetime.datetime.fromtimestamp(dealer.valid_from_ns / 1e9, datetime.UTC)
    assert start == datetime.datetime(2027, 10, 30, 23, tzinfo=datetime.UTC)


def test_local_time_needs_no_database_of_the_system(tmp_path: Path) -> None:
    """A minimal system has none: the names then come from the package that we depend on."""
    zoneinfo.reset_tzpath(())
    try:
        assert check(write_config(tmp_path)) == []
    finally:
        zoneinfo.reset_tzpath()


def test_a_revoked_badge_is_still_known_and_does_not_count(tmp_path: Path) -> None:
    known = 'badge = "26:00000140"\n'
    house = house_from(write_config(tmp_path, Edit("host", known, f"{known}is_revoked = true\n")))
    assert [person.staff for person in house.persons if person.is_revoked] == ["S-1"]


def test_a_house_may_leave_no_decision_to_the_dealer(tmp_path: Path) -> None:
    assert house_from(write_config(tmp_path)).dealer_decides
    without = Edit("table", "[settings]", "[settings]\ndealer_decides = false")
    assert not house_from(write_config(tmp_path, without)).dealer_decides
