"""The devices of one table, built from its configuration: what the hub commands, and what must run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from drivers.badges.keyboard_reader import TypingReaderSettings
from drivers.badges.osdp_reader import ReaderSettings
from drivers.card_events import CardReaderLost
from drivers.device import PlainSettings, Report
from drivers.displays.alpha_sign import SignSettings
from drivers.displays.page import PageDisplay, PageSettings
from drivers.events import DeviceLost, DisplayLost, FirmwarePortLost, LampLost, ReaderLost
from drivers.firmware.allow_list import read_allow_list
from drivers.firmware.gat_port import GatPortSettings
from drivers.lamps.modbus_lamp import ModbusLamp, ModbusLampSettings
from drivers.readers.angel_eye_shoe import ShoeSettings
from drivers.readers.pn532_antenna import AntennaSet, AntennaSettings
from drivers.readers.tag_register import read_register
from drivers.registry import (
    ALPHA_SIGN,
    CCTALK_SLOT,
    GAT_PORT,
    KEYBOARD_READER,
    MODBUS_DRIVERS,
    PAGE,
    PLAIN_DRIVERS,
    build_antenna,
    build_badge_reader,
    build_firmware_port,
    build_keyboard_reader,
    build_modbus_lamp,
    build_page,
    build_plain,
    build_retrofit_shuffler,
    build_sign,
    build_tdl,
)
from drivers.shufflers.retrofit_shuffler import RetrofitSettings, RetrofitShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.address import parse_address
from firmware_bridge.links.address_kinds import SerialAddress
from firmware_bridge.session.gat.session import DEFAULT_BAUD
from firmware_bridge.session.modbus import BusSettings as ModbusSettings
from firmware_bridge.session.modbus import LineProfile as ModbusProfile
from firmware_bridge.session.modbus import ModbusBus
from firmware_bridge.session.osdp import BusSettings, OsdpBus
from firmware_bridge.wire.alpha.codes import BROADCAST
from firmware_bridge.wire.osdp.secure import BaseKey
from tableside.cabling import (
    BROKEN,
    Equipment,
    SharedBus,
    bus_name,
    connected,
    health_of,
    line_profile,
    share,
    silence_since,
)
from tableside.coin_slots import add_coin_slot
from tableside.configuration import shape
from tableside.configuration.shape import DeviceRole
from tableside.diagnosis.evidence import NO_PAGE_OPEN
from tableside.diagnosis.speech import ALPHA, GAT, KEYBOARD, MODBUS_RTU, MODBUS_TCP, OSDP, PN532, TDL
from tableside.diagnosis.traces import Cable
from tableside.ground import Ground


class Furnished(Protocol):
    """A table's configuration, as far as its devices need it."""

    @property
    def devices(self) -> Sequence[shape.Device]: ...

    @property
    def languages(self) -> tuple[str, ...]: ...

    @property
    def tag_register(self) -> Path | None: ...


def equip(table: Furnished, ground: Ground, report: Report, epoch: int, buses: dict[str, SharedBus]) -> Equipment:
    """Every device of the table, not yet running. The configuration was checked: nothing here refuses it.

    `buses`, by address, may have stations of other tables: a bus runs with the table that names it first.
    """
    equipment = Equipment()
    antennas = AntennaSet(read_register(table.tag_register) if table.tag_register else {})
    for device in table.devices:
        if device.driver == KEYBOARD_READER.name:
            _add_keyboard_reader(equipment, device, ground, report)
        elif device.role is DeviceRole.BADGE_READER:
            _add_reader(equipment, device, ground, report, buses)
        elif device.driver == CCTALK_SLOT.name:
            add_coin_slot(equipment, device, ground, report, epoch, buses)
        elif device.driver == PAGE.name:
            _add_page(equipment, device, table.languages, ground, report)
        elif device.driver == ALPHA_SIGN.name:
            _add_sign(equipment, device, ground, report)
        elif device.driver == GAT_PORT.name:
            _add_firmware_port(equipment, device, ground, report)
        elif device.driver in MODBUS_DRIVERS:
            _add_at_board(equipment, device, ground, report, epoch, buses)
        elif device.role is DeviceRole.ANTENNA:
            _add_antenna(equipment, device, antennas, ground, report)
        elif device.driver in PLAIN_DRIVERS:
            _add_plain(equipment, device, ground, report)
        else:
            _add_tdl(equipment, device, ground, report, epoch)
    return equipment


def _add_tdl(equipment: Equipment, device: shape.Device, ground: Ground, report: Report, epoch: int) -> None:
    cable = equipment.cables[device.name] = Cable(TDL, ground.clock)
    around = Surroundings(
        report=report,
        connect=lambda: connected(ground, device.address, cable),
        next_session=ground.next_session,
        epoch=epoch,
        jitter=ground.jitter(),
    )
    settings = TdlSettings(device.name, device.address, device.serial_number, device.model)
    driver = build_tdl(device.driver, settings, around)
    equipment.devices[device.name] = driver
    equipment.running[device.name] = driver.run
    equipment.lines.append(driver.line)
    equipment.behind[device.name] = [partial(report, DeviceLost(device=device.name, why=BROKEN))]
    line = driver.line
    equipment.health[device.name] = lambda: health_of(line.keeper, line.counts, is_connected=line.keeper.is_up)


def _add_sign(equipment: Equipment, device: shape.Device, ground: Ground, report: Report) -> None:
    cable = equipment.cables[device.name] = Cable(ALPHA, ground.clock)
    settings = SignSettings(
        device.name,
        device.address,
        model=device.model,
        serial=device.serial_number,
        sign_address=device.sign_address or BROADCAST,
        caption=device.caption or "",
        is_simulated=device.is_simulated,
    )
    sign = build_sign(settings, report, lambda: connected(ground, device.address, cable), ground.jitter())
    equipment.devices[device.name] = sign
    equipment.running[device.name] = sign.run
    equipment.behind[device.name] = [partial(report, DisplayLost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = lambda: health_of(sign.keeper, sign.counts, is_connected=sign.keeper.is_up)


def _add_antenna(
    equipment: Equipment, device: shape.Device, antennas: AntennaSet, ground: Ground, report: Report
) -> None:
    cable = equipment.cables[device.name] = Cable(PN532, ground.clock)
    settings = AntennaSettings(
        device.name,
        device.address,
        device.place or device.name,
        model=device.model,
        serial=device.serial_number,
        is_simulated=device.is_simulated,
    )
    antenna = build_antenna(
        settings, antennas, report, lambda: connected(ground, device.address, cable), ground.jitter()
    )
    equipment.devices[device.name] = antenna
    equipment.running[device.name] = antenna.run
    equipment.behind[device.name] = [partial(report, CardReaderLost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = lambda: health_of(antenna.keeper, antenna.counts, is_connected=antenna.keeper.is_up)


def _add_plain(equipment: Equipment, device: shape.Device, ground: Ground, report: Report) -> None:
    """A device that needs no word here: what is to be known of it stands in the registry."""
    driver = PLAIN_DRIVERS[device.driver]
    cable = equipment.cables[device.name] = Cable(driver.profile, ground.clock)
    plain = build_plain(
        device.driver,
        _plain_settings(device),
        report,
        lambda: connected(ground, device.address, cable),
        ground.jitter(),
    )
    equipment.devices[device.name] = plain
    equipment.running[device.name] = plain.run
    equipment.behind[device.name] = [partial(report, driver.lost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = lambda: health_of(plain.keeper, plain.counts, is_connected=plain.keeper.is_up)


def _plain_settings(device: shape.Device) -> PlainSettings:
    name, address, model, serial = device.name, device.address, device.model, device.serial_number
    if device.role is DeviceRole.SHOE:
        return ShoeSettings(
            name, address, model, serial, device.is_simulated, bcc_includes_stx=device.bcc_span != "without-stx"
        )
    return PlainSettings(name, address, model, serial, device.is_simulated)


def _add_firmware_port(equipment: Equipment, device: shape.Device, ground: Ground, report: Report) -> None:
    cable = equipment.cables[device.name] = Cable(GAT, ground.clock)
    settings = firmware_port_settings(device)
    port = build_firmware_port(settings, report, lambda: connected(ground, device.address, cable), ground.jitter())
    equipment.devices[device.name] = port
    equipment.firmware_ports[device.name] = port
    equipment.running[device.name] = port.run
    equipment.behind[device.name] = [partial(report, FirmwarePortLost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = lambda: health_of(port.keeper, port.counts, is_connected=port.keeper.is_up)


def firmware_port_settings(device: shape.Device) -> GatPortSettings:
    """What the port's driver needs; the check has read the list."""
    parsed = parse_address(device.address)
    return GatPortSettings(
        device.name,
        device.address,
        of=device.of or "",
        model=device.model,
        serial=device.serial_number,
        allowed=read_allow_list(Path(device.firmware_list or "").read_text("utf-8")),
        baud=parsed.settings.baud if isinstance(parsed, SerialAddress) else DEFAULT_BAUD,
        is_simulated=device.is_simulated,
    )


def _add_page(
    equipment: Equipment, device: shape.Device, languages: tuple[str, ...], ground: Ground, report: Report
) -> None:
    settings = PageSettings(
        device.name,
        device.address,
        model=device.model,
        serial=device.serial_number,
        caption=device.caption or "",
        languages=languages,
    )
    page = build_page(settings, report, ground.jitter())
    equipment.devices[device.name] = page
    equipment.running[device.name] = page.run
    equipment.behind[device.name] = [partial(report, DisplayLost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = partial(page_health, page)


def page_health(page: PageDisplay) -> dict[str, object]:
    """It has no cable that could tell since when nothing came; and without a browser nothing has ended."""
    health = health_of(
        page.keeper, page.counts, is_connected=page.is_connected, why_away=page.why_away, ended_by=NO_PAGE_OPEN
    )
    return {**health, "silent_ms": page.silent_ms}


def _add_reader(
    equipment: Equipment, device: shape.Device, ground: Ground, report: Report, buses: dict[str, SharedBus]
) -> None:
    """Readers at one address share its bus, which runs as a task of its own."""
    shared = buses.get(device.address)
    if shared is None:
        cable = Cable(OSDP, ground.clock)
        settings = BusSettings(bus_name(device), device.address, line_profile(device.address))
        made = OsdpBus(settings, lambda: connected(ground, device.address, cable), jitter=ground.jitter())
        shared = share(equipment, device, SharedBus(made), cable, buses)
    bus, lost = shared.bus, partial(report, ReaderLost(device=device.name, why=BROKEN))
    assert isinstance(bus, OsdpBus), "the check lets one protocol speak at an address"
    shared.behind.append(lost)
    equipment.behind[device.name] = [lost]
    reader = build_badge_reader(_reader_settings(device), bus, report)
    equipment.devices[device.name] = reader
    equipment.running[device.name] = reader.run
    station = device.osdp_address or 0
    equipment.health[device.name] = lambda: (
        health_of(
            bus.keeper,
            bus.counts,
            bus.station_counts(station),
            is_connected=reader.is_connected,
            why_away=reader.why_away,
            ended_by=reader.ended_by,
        )
        | silence_since(bus.answered_s(station))
    )


def _add_at_board(
    equipment: Equipment,
    device: shape.Device,
    ground: Ground,
    report: Report,
    epoch: int,
    buses: dict[str, SharedBus],
) -> None:
    """What is wired to boards at one address shares their bus, which runs as a task of its own."""
    shared = buses.get(device.address)
    if shared is None:
        parsed = parse_address(device.address)
        baud = parsed.settings.baud if isinstance(parsed, SerialAddress) else 0
        profile = ModbusProfile(is_tcp=False, baud=baud) if baud else ModbusProfile(is_tcp=True)
        cable = Cable(MODBUS_TCP if profile.is_tcp else MODBUS_RTU, ground.clock)
        bus_settings = ModbusSettings(bus_name(device), device.address, profile)
        made = ModbusBus(bus_settings, lambda: connected(ground, device.address, cable), ground.jitter())
        shared = share(equipment, device, SharedBus(made), cable, buses)
    bus = shared.bus
    assert isinstance(bus, ModbusBus), "the check lets one protocol speak at an address"
    driver: RetrofitShuffler | ModbusLamp
    lost: DeviceLost | LampLost
    if device.wiring is not None:
        settings = RetrofitSettings(
            device.name, device.serial_number, device.model, device.wiring, epoch, device.is_simulated
        )
        driver, unit = build_retrofit_shuffler(settings, bus, report, ground.next_session), device.wiring.unit
        lost = DeviceLost(device=device.name, why=BROKEN)
    else:
        assert device.coils is not None, "the check demands them"
        lamp = ModbusLampSettings(
            name=device.name,
            model=device.model,
            serial=device.serial_number,
            coils=device.coils,
            is_simulated=device.is_simulated,
        )
        driver, unit = build_modbus_lamp(lamp, bus, report), device.coils.unit
        lost = LampLost(device=device.name, why=BROKEN)
        equipment.lines.append(driver)
    tell = partial(report, lost)
    shared.behind.append(tell)
    equipment.behind[device.name] = [tell]
    equipment.devices[device.name] = driver
    equipment.running[device.name] = driver.run
    equipment.health[device.name] = lambda: (
        health_of(bus.keeper, bus.counts, is_connected=driver.is_connected, why_away=driver.why_away)
        | silence_since(bus.answered_s.get(unit))
    )


def _add_keyboard_reader(equipment: Equipment, device: shape.Device, ground: Ground, report: Report) -> None:
    cable = equipment.cables[device.name] = Cable(KEYBOARD, ground.clock)
    settings = TypingReaderSettings(
        device.name,
        device.address,
        device.serial_number,
        device.keyboard or "",
        device.badge_characters or 0,
        is_simulated=device.is_simulated,
    )
    reader = build_keyboard_reader(settings, lambda: connected(ground, device.address, cable), report, ground.jitter())
    equipment.devices[device.name] = reader
    equipment.running[device.name] = reader.run
    equipment.behind[device.name] = [partial(report, ReaderLost(device=device.name, why=BROKEN))]
    equipment.health[device.name] = lambda: health_of(reader.keeper, reader.counts, is_connected=reader.is_connected)


def _reader_settings(device: shape.Device) -> ReaderSettings:
    key = None
    if device.osdp_key_file is not None:
        key = BaseKey(bytes.fromhex(Path(device.osdp_key_file).read_text("ascii")))
    return ReaderSettings(
        device.name,
        device.osdp_address or 0,
        serial=device.serial_number,
        key=key,
        is_reversed=device.is_reversed,
        is_simulated=device.is_simulated,
    )
