"""Configuration as the daemon uses it: `load_host` for everything, `check` for everything that is wrong.

One TOML a host, one a table; the shapes are in `tableside.configuration.shape`. Paths in a file count from
the folder of that file; what is handed out is absolute.
"""

from __future__ import annotations

import datetime
import tomllib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tableside.cards import CARDS_PER_DECK
from tableside.configuration.addresses import absolute_address
from tableside.configuration.broker import BrokerPlace, broker_place
from tableside.configuration.check import check
from tableside.configuration.ledger import LedgerPlace, ledger_place, settings_of
from tableside.configuration.mistake import Mistake
from tableside.configuration.shape import (
    AlertTimes,
    Client,
    Consumer,
    DeckGroup,
    Device,
    DeviceRole,
    HostFile,
    Language,
    Maintenance,
    Metrics,
    Page,
    Profile,
    Section,
    Settings,
    SpecialCards,
    TableFile,
)
from tableside.games.blackjack_settings import BlackjackSettings
from tableside.house import TableKind
from tableside.jackpot.settings import JackpotSettings
from tableside.people import StaffMember


class ConfigRefused(ValueError):
    """A configuration that cannot be used; its text is every mistake, a line each."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(str(mistake) for mistake in mistakes))
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """One table, its file's and its host's staff together."""

    path: Path
    name: str
    section: str
    jurisdiction: str
    languages: tuple[Language, ...]
    kind: TableKind
    seats: int
    tag_register: Path | None
    decks: tuple[DeckGroup, ...]
    devices: tuple[Device, ...]
    staff: tuple[StaffMember, ...]
    jackpot: JackpotSettings | None
    ledger: LedgerPlace | None
    blackjack: BlackjackSettings | None
    special_cards: SpecialCards | None
    settings: Settings
    alerts: AlertTimes
    maintenance: tuple[Maintenance, ...]

    @property
    def cards_in_play(self) -> int:
        """Cards brought to the table for play, reserve decks not counted."""
        return CARDS_PER_DECK * sum(group.count for group in self.decks)

    def devices_of(self, role: DeviceRole) -> tuple[Device, ...]:
        """The table's devices of one role, in the file's order."""
        return tuple(device for device in self.devices if device.role is role)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """One host and its tables."""

    path: Path
    name: str
    profile: Profile
    journal_directory: Path
    reserve_directory: Path
    control_socket: Path
    control_group: str | None
    log_level: str
    time_zone: str
    gaming_day_starts: datetime.time
    has_pit_manager: bool
    usb_allowed: tuple[str, ...] | None
    room_management: tuple[str, ...]
    sections: tuple[Section, ...]
    staff: tuple[StaffMember, ...]
    tables: tuple[TableConfig, ...]
    page: Page | None
    metrics: Metrics | None
    broker: BrokerPlace | None
    consumers: tuple[Consumer, ...]
    clients: tuple[Client, ...]
    warnings: tuple[Mistake, ...]


def load_host(path: Path) -> HostConfig:
    """The host's file and its tables' files. Raises `ConfigRefused` with all mistakes and warnings at once."""
    path = path.resolve()
    mistakes = check(path)
    if any(mistake.is_refused for mistake in mistakes):
        raise ConfigRefused(mistakes)
    file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), HostFile)
    tables = tuple(_load_table(path.parent / name, file.staff) for name in file.host.tables)
    host = file.host
    folder = path.parent
    return HostConfig(
        path=path,
        name=host.name,
        profile=host.profile,
        journal_directory=(folder / host.journal_directory).resolve(),
        reserve_directory=(folder / (host.reserve_directory or host.journal_directory)).resolve(),
        control_socket=(folder / host.control_socket).resolve(),
        control_group=host.control_group,
        log_level=host.log_level,
        time_zone=host.time_zone,
        gaming_day_starts=host.gaming_day_starts,
        has_pit_manager=host.has_pit_manager,
        usb_allowed=host.usb_allowed,
        room_management=host.room_management,
        sections=file.sections,
        staff=file.staff,
        tables=tables,
        page=file.page,
        metrics=file.metrics,
        broker=None if file.broker is None else broker_place(file.broker, folder),
        consumers=file.consumers,
        clients=file.clients,
        warnings=tuple(mistakes),
    )


def _load_table(path: Path, host_staff: tuple[StaffMember, ...]) -> TableConfig:
    path = path.resolve()
    file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), TableFile)
    return TableConfig(
        path=path,
        name=file.table.name,
        section=file.table.section,
        jurisdiction=file.table.jurisdiction,
        languages=file.table.languages,
        kind=file.table.kind,
        seats=file.table.seats,
        tag_register=(path.parent / file.table.tag_register).resolve() if file.table.tag_register else None,
        decks=file.decks,
        devices=tuple(_absolute(device, path.parent) for device in file.devices),
        staff=host_staff + file.staff,
        jackpot=None if file.jackpot is None else settings_of(file.jackpot),
        ledger=ledger_place(file.jackpot, path.parent),
        blackjack=file.blackjack,
        special_cards=file.special_cards,
        settings=file.settings,
        alerts=file.alerts,
        maintenance=file.maintenance,
    )


def _absolute(device: Device, folder: Path) -> Device:
    """The device with its files and a relative serial address made absolute."""
    key_file = device.osdp_key_file and str((folder / device.osdp_key_file).resolve())
    firmware_list = device.firmware_list and str((folder / device.firmware_list).resolve())
    address = absolute_address(device.address, folder)
    return msgspec.structs.replace(device, address=address, osdp_key_file=key_file, firmware_list=firmware_list)


__all__ = ["ConfigRefused", "HostConfig", "Mistake", "TableConfig", "check", "load_host"]
