"""The devices of one table, built from its configuration: what the hub commands, and what must run."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from typing import NoReturn

from drivers.device import Device, Report
from drivers.registry import build_tdl
from drivers.tdl import Surroundings, TdlLine, TdlSettings
from tableside.config import TableConfig
from tableside.configuration import shape
from tableside.configuration.shape import DeviceRole
from tableside.ground import Ground

Run = Callable[[], Coroutine[None, None, NoReturn]]
Health = Callable[[], dict[str, object]]


@dataclass(slots=True)
class Equipment:
    """Of one table, by device name. `running` has the buses too."""

    devices: dict[str, Device] = field(default_factory=dict)
    running: dict[str, Run] = field(default_factory=dict)
    health: dict[str, Health] = field(default_factory=dict)
    lines: list[TdlLine] = field(default_factory=list)

    @property
    def has_orders(self) -> bool:
        """Orders are on their way to a device."""
        return any(line.has_orders for line in self.lines)


def equip(table: TableConfig, ground: Ground, report: Report, epoch: int) -> Equipment:
    """Every device of the table, not yet running. The configuration was checked: nothing here refuses it."""
    equipment = Equipment()
    for device in table.devices:
        if device.role is not DeviceRole.BADGE_READER:
            _add_tdl(equipment, device, ground, report, epoch)
    return equipment


def _add_tdl(equipment: Equipment, device: shape.Device, ground: Ground, report: Report, epoch: int) -> None:
    around = Surroundings(
        report=report,
        connect=lambda: ground.connect(device.address),
        next_session=ground.next_session,
        epoch=epoch,
        jitter=ground.jitter(),
    )
    settings = TdlSettings(device.name, device.address, device.serial_number, device.model)
    driver = build_tdl(device.driver, settings, around)
    equipment.devices[device.name] = driver
    equipment.running[device.name] = driver.run
    equipment.lines.append(driver.line)
    equipment.health[device.name] = lambda: _tdl_health(driver.line)


def _tdl_health(line: TdlLine) -> dict[str, object]:
    """What the technician sees of one cable."""
    counts = asdict(line.counts)
    return {
        "is_connected": line.keeper.is_up,
        "losses": line.keeper.losses,
        "attempts": line.keeper.attempts_since_up,
        "counts": counts,
    }
