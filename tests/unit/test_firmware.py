"""What a machine says that it runs: a row for each proof, and somebody called where it is not allowed or not told."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.events import FirmwarePortLost, FirmwarePortReady, FirmwareTold, FirmwareUntold
from tableside.decisions import AlertCleared, AlertRaised, IncidentClosed, IncidentNoted, IncidentOpened
from tableside.locks import Scope, standing
from tests.support.table import HOUSE, Table

HOUSE_WITH_PORT = replace(HOUSE, others=("port",))
GOOD = FirmwareTold(
    device="port",
    of="shuffler",
    maker="EXAMPLE",
    model="CSM-SIM",
    version="2.1",
    is_listed=True,
    differences=(),
    key="AA" * 20,
    components=(("main", "B" * 40),),
)
BAD = replace(GOOD, version="", is_listed=False, differences=('"main" has another digest',))


def table_with_port() -> Table:
    table = Table(HOUSE_WITH_PORT)
    table.ready("shuffler")
    table.give(FirmwarePortReady(device="port", model="CSM-SIM", serial="000123"))
    return table


def raised(table: Table) -> list[str]:
    return [alert.text for alert in table.all_of(AlertRaised)]


def test_a_good_proof_calls_nobody() -> None:
    table = table_with_port()
    table.give(GOOD)
    assert raised(table) == []
    assert table.all_of(IncidentOpened) == []
    assert table.state.devices.known["port"].firmware == "2.1"


def test_firmware_that_is_not_listed_is_an_incident_and_calls_the_technician_once() -> None:
    table = table_with_port()
    table.give(BAD)
    table.give(BAD)
    table.give(replace(BAD, differences=('"loader" is not listed',)))
    (alert,) = table.all_of(AlertRaised)
    assert (alert.text, alert.fields["device"]) == ("FIRMWARE-UNLISTED", "shuffler")
    (incident,) = table.all_of(IncidentOpened)
    assert '"main" has another digest' in incident.text
    assert GOOD.key in incident.text, "whoever has the firmware reckons the digests again"
    (noted,) = table.all_of(IncidentNoted)
    assert '"loader"' in noted.text


def test_a_good_proof_afterwards_ends_both() -> None:
    table = table_with_port()
    table.give(BAD)
    table.give(GOOD)
    assert [cleared.why for cleared in table.all_of(AlertCleared)] == ["EXAMPLE CSM-SIM 2.1 is on the list"]
    assert len(table.all_of(IncidentClosed)) == 1


def test_a_machine_that_does_not_tell_is_the_technicians() -> None:
    table = table_with_port()
    table.give(FirmwareUntold(device="port", of="shuffler", why="its calculation failed"))
    table.give(FirmwareUntold(device="port", of="shuffler", why="its calculation failed"))
    assert raised(table) == ["FIRMWARE-UNTOLD"]
    table.give(BAD)
    assert raised(table) == ["FIRMWARE-UNTOLD", "FIRMWARE-UNLISTED"]
    assert len(table.all_of(AlertCleared)) == 1, "it has told, and something bad"


def test_a_silent_port_is_a_silent_device_and_stops_no_card() -> None:
    table = table_with_port()
    table.give(FirmwarePortLost(device="port", why="pulled"))
    table.wait(9)
    assert raised(table) == ["DEVICE-SILENT"]
    for scope in (Scope.DEAL, Scope.FEED):
        assert not [lock for lock in standing(table.state, scope) if "port" in lock.reason]
    table.give(FirmwarePortReady(device="port", model="CSM-SIM", serial="000123"))
    assert "DEVICE-SILENT:port" not in table.state.alerts.standing


def test_a_simulated_port_at_a_production_table_is_said_and_stops_no_card() -> None:
    table = Table(replace(HOUSE_WITH_PORT, profile="production"))
    table.give(FirmwarePortReady(device="port", model="CSM-SIM", serial="000123", is_simulated=True))
    assert "DEVICE-WRONG" in raised(table)
    assert not [lock for lock in standing(table.state, Scope.DEAL) if "port" in lock.reason]
