"""What a monitoring system reads: every family of a daemon in virtual time, and nothing that it may not see."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import CollectorRegistry

from tableside.daemon import Daemon
from tableside.metrics.families import FAMILIES, Told
from tableside.metrics.server import HostCollector
from tests.support.simulated_host import SimulatedTable, host_in, is_connected, new_clock, running, until

pytestmark = pytest.mark.virtual_time
DEVICES = ("shuffler", "switches", "badges")
# Told only where there is such a thing: no broker, no part that broke, and no journal that is full at this table.
ABSENT = {
    "tableside_restarts_total",
    "tableside_output_connected",
    "tableside_output_behind_rows",
    "tableside_disk",
}


def told(daemon: Daemon) -> Told:
    return Told(daemon.desk.status(), {name: table.state for name, table in daemon.tables.items()})


def samples(daemon: Daemon) -> dict[str, dict[tuple[str, ...], float]]:
    registry = CollectorRegistry()
    registry.register(HostCollector(lambda: told(daemon)))
    text = generate_latest(registry).decode()
    labels = {family.name.removesuffix("_total"): family.labels for family in FAMILIES}
    return {
        family.name: {
            tuple(sample.labels[label] for label in labels[family.name]): sample.value for sample in family.samples
        }
        for family in text_string_to_metric_families(text)
    }


def test_names_are_ours_and_unique_and_say_their_unit() -> None:
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)
    for family in FAMILIES:
        assert family.name.startswith("tableside_")
        assert not family.name.endswith(("_ms", "_ns", "_percent", "_kb")), "Prometheus wants base units"
        assert family.text.endswith(".")


async def test_a_table_that_runs_and_one_whose_device_is_lost(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        seen = samples(daemon)
        assert seen["tableside_table_running"] == {("BJ-1",): 1}
        assert seen["tableside_table_in_session"] == {("BJ-1",): 0}
        assert seen["tableside_device_connected"] == {("BJ-1", name): 1 for name in DEVICES}
        assert seen["tableside_journal_rows"][("BJ-1",)] > 0
        await table.links["serial:///dev/serial/by-id/shuffler?baud=115200"].close()
        table.away.add("serial:///dev/serial/by-id/shuffler?baud=115200")
        await until(lambda: not is_connected(daemon, "shuffler"))
        lost = samples(daemon)
        assert lost["tableside_device_connected"][("BJ-1", "shuffler")] == 0
        assert lost["tableside_device_losses"][("BJ-1", "shuffler")] == 1


async def test_every_family_has_a_sample_with_its_labels_or_says_why_not(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        for family in FAMILIES:
            given = list(family.of(told(daemon)))
            assert given or family.name in ABSENT or family.name == "tableside_cards", family.name
            assert all(len(labels) == len(family.labels) for labels, _ in given), family.name


async def test_nobody_is_named_and_no_card_is(tmp_path: Path) -> None:
    host = host_in(tmp_path)
    async with running(host, SimulatedTable(), new_clock()) as daemon:
        text = str(samples(daemon))
    for person in (*host.staff, *host.tables[0].staff):
        assert person.staff_id not in text
        assert person.name not in text
