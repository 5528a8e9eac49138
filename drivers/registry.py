"""Which drivers exist: an explicit table, no discovery, so that the configuration can be checked against it."""

from __future__ import annotations

import difflib
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import structlog

from drivers.badges.keyboard_reader import KeyboardReader, TypingReaderSettings
from drivers.badges.osdp_reader import OsdpBadgeReader, ReaderSettings
from drivers.card_events import CardReaderLost
from drivers.device import Connect, PlainDevice, PlainSettings, Report
from drivers.displays import alpha_sign
from drivers.displays.alpha_sign import AlphaSign, SignSettings
from drivers.displays.page import PageDisplay, PageSettings
from drivers.displays.page import display as page_display
from drivers.displays.showing import Limits
from drivers.displays.tdl_display import MAX_AMOUNT, TdlDisplay
from drivers.errors import AddressRefused, DriverUnknown
from drivers.fact import Lost
from drivers.firmware.gat_port import GatPort, GatPortSettings
from drivers.lamp_events import LampLost
from drivers.lamps.blink1_lamp import Blink1Lamp
from drivers.lamps.modbus_lamp import ModbusLamp, ModbusLampSettings
from drivers.readers.angel_eye_shoe import AngelEyeShoe
from drivers.readers.pn532_antenna import AntennaSet, AntennaSettings, Pn532Antenna
from drivers.readers.tdl_card_reader import TdlCardReader
from drivers.shufflers.retrofit_shuffler import RetrofitSettings, RetrofitShuffler
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.slots.cctalk_slots import CctalkSlot, CctalkSlotSettings
from drivers.slots.tdl_slots import TdlSlots
from drivers.switchboxes.tdl_switch_box import TdlSwitchBox
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.session.cctalk import CctalkBus
from firmware_bridge.session.modbus import ModbusBus
from firmware_bridge.session.osdp import OsdpBus
from firmware_bridge.wire.alpha.characters import missing
from firmware_bridge.wire.tdl.codes import Profile

# The kinds of cable on which a TDL device can be reached.
TDL_SCHEMES = ("serial", "tcp", "usb", "mqtt", "mqtts")

# OSDP and the PN532's host protocol are streams of bytes: a serial adapter, or a serial server.
OSDP_SCHEMES = ("serial", "tcp")

# Modbus RTU on a serial adapter; Modbus TCP at the board itself or at a gateway.
MODBUS_SCHEMES = ("serial", "tcp")

# A reader that types is a keyboard.
KEYBOARD_SCHEMES = ("usb",)

# Each driver of a TDL device; they share the line of drivers/tdl and no base class.
AnyTdl = TdlShuffler | TdlSwitchBox | TdlDisplay | TdlSlots | TdlCardReader

_log = structlog.get_logger("registry")


@dataclass(frozen=True, slots=True)
class TdlDriver:
    """One driver of a TDL device. `verified_against` names the real devices (model, firmware) it was tried on."""

    name: str
    title: str
    build: Callable[[TdlSettings, Surroundings], AnyTdl]
    schemes: tuple[str, ...] = TDL_SCHEMES
    verified_against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadgeDriver:
    """One driver of a badge reader; `verified_against` as above."""

    name: str
    title: str
    build: type[OsdpBadgeReader] | type[KeyboardReader]
    schemes: tuple[str, ...] = OSDP_SCHEMES
    verified_against: tuple[str, ...] = ()


TDL_DRIVERS: Mapping[str, TdlDriver] = {
    driver.name: driver
    for driver in (
        TdlDriver("tdl-continuous-shuffler", "continuous shuffler, TDL profile 1", TdlShuffler),
        TdlDriver("tdl-batch-shuffler", "batch shuffler, TDL profile 2", partial(TdlShuffler, profile=Profile.BATCH)),
        TdlDriver("tdl-switch-box", "switch box with lamp, lid, tray and keys, TDL profile 6", TdlSwitchBox),
        TdlDriver("tdl-display", "jackpot display, TDL profile 4", TdlDisplay),
        TdlDriver("tdl-slots", "jackpot chip slots, one a seat, TDL profile 5", TdlSlots),
        TdlDriver("tdl-card-reader", "card reader (dealt cards only), TDL profile 3", TdlCardReader),
    )
}


@dataclass(frozen=True, slots=True)
class CoinSlotDriver:
    """One driver of a coin acceptor on a bus; `verified_against` as above."""

    name: str
    title: str
    build: type[CctalkSlot]
    schemes: tuple[str, ...]
    verified_against: tuple[str, ...] = ()


# A single wire behind a serial adapter, or behind a serial server.
CCTALK_SLOT = CoinSlotDriver(
    "cctalk-slot", "jackpot chip slot of one seat, ccTalk coin acceptor", CctalkSlot, ("serial", "tcp")
)

# Whose windows are emptied by command (COLLECT); elsewhere a chip falls into the box by itself.
COLLECTING_SLOTS = frozenset({"tdl-slots"})


@dataclass(frozen=True, slots=True)
class SignDriver:
    """One driver of a sign of its own protocol; `verified_against` as above."""

    name: str
    title: str
    build: type[AlphaSign]
    schemes: tuple[str, ...]
    verified_against: tuple[str, ...] = ()


# A sign is a stream of bytes: a serial adapter, or a converter on the network.
ALPHA_SIGN = SignDriver("alpha-sign", "jackpot display, ALPHA sign (BetaBrite and kin)", AlphaSign, ("serial", "tcp"))


@dataclass(frozen=True, slots=True)
class PageDriver:
    """The driver of a page in a browser: no cable, an address at which it is served."""

    name: str
    title: str
    build: type[PageDisplay]
    schemes: tuple[str, ...] = ("http",)
    verified_against: tuple[str, ...] = ()


PAGE = PageDriver(
    "display-page",
    "jackpot display, a page in a browser",
    PageDisplay,
    verified_against=("Chromium (Debian), tests/system/test_display_page.py",),
)


@dataclass(frozen=True, slots=True)
class FirmwarePortDriver:
    """One driver of a port by which a machine proves its firmware; `verified_against` as above."""

    name: str
    title: str
    build: type[GatPort]
    schemes: tuple[str, ...]
    verified_against: tuple[str, ...] = ()


# A serial port of the machine: an adapter, or a serial server.
GAT_PORT = FirmwarePortDriver("gat-firmware-port", "firmware proof of a machine, GAT 3.50", GatPort, ("serial", "tcp"))

# What each driver of a display can show; how many characters stand on it, its table's file says.
DISPLAY_LIMITS: Mapping[str, Limits] = {
    "tdl-display": Limits(characters=0, max_amount=MAX_AMOUNT),
    PAGE.name: Limits(characters=0, max_amount=page_display.MAX_AMOUNT),
    ALPHA_SIGN.name: Limits(characters=0, max_amount=alpha_sign.MAX_AMOUNT, missing=missing),
}


@dataclass(frozen=True, slots=True)
class AntennaDriver:
    """The driver of an antenna: those of a table look in turn, and decide together what lies where."""

    name: str
    title: str
    build: type[Pn532Antenna]
    schemes: tuple[str, ...]
    verified_against: tuple[str, ...] = ()


PN532_ANTENNA = AntennaDriver(
    "pn532-antenna", "antenna for cards and chips, PN532 over HSU", Pn532Antenna, OSDP_SCHEMES
)

OSDP_BADGE_READER = BadgeDriver("osdp-badge-reader", "badge reader, OSDP v2", OsdpBadgeReader)
KEYBOARD_READER = BadgeDriver(
    "keyboard-badge-reader",
    "badge or barcode reader that types (keyboard wedge, USB HID)",
    KeyboardReader,
    KEYBOARD_SCHEMES,
)
BADGE_DRIVERS: Mapping[str, BadgeDriver] = {driver.name: driver for driver in (OSDP_BADGE_READER, KEYBOARD_READER)}


@dataclass(frozen=True, slots=True)
class PlainDriver:
    """One driver of a device with a protocol of its own and nothing of its own to set; `verified_against` as above.

    `role` is what it is to a table; `profile` what is spoken on its cable (`tableside/diagnosis/speech.py`); `lost` the
    fact that says for it that it is away. What is said here is all that configuration and daemon need to know of it.
    """

    name: str
    title: str
    role: str
    profile: str
    build: Callable[[PlainSettings, Report, Connect, random.Random], PlainDevice]
    lost: type[Lost]
    schemes: tuple[str, ...]
    verified_against: tuple[str, ...] = ()


_PLAIN: tuple[PlainDriver, ...] = (
    # One line a device (docs/howto/add-a-device.md).
    PlainDriver(
        "angel-eye-shoe",
        "electronic baccarat shoe, Angel Eye II-EX (observed)",
        role="shoe",
        profile="angel eye",
        build=AngelEyeShoe,
        lost=CardReaderLost,
        schemes=("serial", "tcp"),  # RS-232, or a terminal server before it
    ),
    PlainDriver(
        "blink1-lamp", "warning lamp, blink(1) with its watchdog", "lamp", "blink1", Blink1Lamp, LampLost, ("usb",)
    ),
)
PLAIN_DRIVERS: Mapping[str, PlainDriver] = {driver.name: driver for driver in _PLAIN}


@dataclass(frozen=True, slots=True)
class ModbusDriver:
    """One driver of a device at an I/O board: boards share a bus, which is run by whoever owns it."""

    name: str
    title: str
    role: str
    schemes: tuple[str, ...] = MODBUS_SCHEMES
    verified_against: tuple[str, ...] = ()


RETROFIT_SHUFFLER = ModbusDriver(
    "retrofit-shuffler", "any shuffler, watched through a Modbus I/O board (RTU or TCP)", "shuffler"
)
MODBUS_LAMP = ModbusDriver("modbus-lamp", "warning lamp at the coils of a Modbus board (RTU or TCP)", "lamp")
MODBUS_DRIVERS: Mapping[str, ModbusDriver] = {driver.name: driver for driver in (RETROFIT_SHUFFLER, MODBUS_LAMP)}


def tdl_driver(name: str, address: str) -> TdlDriver:
    """The driver of that name, for that address. Raises DriverUnknown, AddressRefused."""
    driver = TDL_DRIVERS.get(name)
    if driver is None:
        nearest = sorted(TDL_DRIVERS, key=lambda other: -difflib.SequenceMatcher(None, name, other).ratio())
        raise DriverUnknown(f"driver {name!r} does not exist; there are {', '.join(nearest)}")
    scheme = address.partition("://")[0]
    if scheme not in driver.schemes:
        offered = ", ".join(f"{scheme}://" for scheme in driver.schemes)
        raise AddressRefused(f"driver {name} cannot be reached at {address}: {offered} are offered")
    return driver


def build_tdl(name: str, settings: TdlSettings, around: Surroundings) -> AnyTdl:
    """A driver for one configured device, not yet running. Raises DriverUnknown, AddressRefused."""
    driver = tdl_driver(name, settings.address)
    _say_unverified(driver, settings.name)
    return driver.build(settings, around)


def display_limits(driver: str, characters: int) -> Limits:
    """What a display with this driver can show, `characters` at once. Raises DriverUnknown."""
    limits = DISPLAY_LIMITS.get(driver)
    if limits is None:
        raise DriverUnknown(f"driver {driver!r} drives no display; there are {', '.join(DISPLAY_LIMITS)}")
    return replace(limits, characters=characters)


def build_badge_reader(settings: ReaderSettings, bus: OsdpBus, report: Report) -> OsdpBadgeReader:
    """A driver for one configured reader, added to its bus; neither runs yet. Raises ValueError for its settings."""
    _say_unverified(OSDP_BADGE_READER, settings.name)
    return OsdpBadgeReader(settings, bus, report)


def build_keyboard_reader(
    settings: TypingReaderSettings, connect: Callable[[], Awaitable[Link]], report: Report, jitter: random.Random
) -> KeyboardReader:
    """A driver for one configured reader that types, not yet running. Raises ValueError for its settings."""
    _say_unverified(KEYBOARD_READER, settings.name)
    return KeyboardReader(settings, connect, report, jitter)


def build_sign(
    settings: SignSettings, report: Report, connect: Callable[[], Awaitable[Link]], jitter: random.Random
) -> AlphaSign:
    """A driver for one configured sign, not yet running."""
    _say_unverified(ALPHA_SIGN, settings.name)
    return ALPHA_SIGN.build(settings, report, connect, jitter)


def build_plain(
    name: str, settings: PlainSettings, report: Report, connect: Connect, jitter: random.Random
) -> PlainDevice:
    """A driver for one configured device that stands in `PLAIN_DRIVERS`, not yet running."""
    driver = PLAIN_DRIVERS[name]
    _say_unverified(driver, settings.name)
    return driver.build(settings, report, connect, jitter)


def build_firmware_port(settings: GatPortSettings, report: Report, connect: Connect, jitter: random.Random) -> GatPort:
    """A driver for one configured port, not yet running."""
    _say_unverified(GAT_PORT, settings.name)
    return GAT_PORT.build(settings, report, connect, jitter)


def build_antenna(
    settings: AntennaSettings, antennas: AntennaSet, report: Report, connect: Connect, jitter: random.Random
) -> Pn532Antenna:
    """A driver for one configured antenna among those of its table, not yet running."""
    _say_unverified(PN532_ANTENNA, settings.name)
    return PN532_ANTENNA.build(settings, antennas, report, connect, jitter)


def build_coin_slot(
    settings: CctalkSlotSettings, bus: CctalkBus, report: Report, next_boot: Callable[[], int], epoch: int
) -> CctalkSlot:
    """A driver for one configured acceptor, added to its bus; neither runs yet. Raises ValueError for its address."""
    _say_unverified(CCTALK_SLOT, settings.name)
    return CCTALK_SLOT.build(settings, bus, report, next_boot=next_boot, epoch=epoch)


def build_page(settings: PageSettings, report: Report, jitter: random.Random) -> PageDisplay:
    """A driver for one configured page, not yet running."""
    return PAGE.build(settings, report, jitter)


def build_retrofit_shuffler(
    settings: RetrofitSettings, bus: ModbusBus, report: Report, next_session: Callable[[], int]
) -> RetrofitShuffler:
    """A driver for one configured shuffler at a board, not yet running; its bus runs beside it."""
    _say_unverified(RETROFIT_SHUFFLER, settings.name)
    return RetrofitShuffler(settings, bus, report, next_session)


def build_modbus_lamp(settings: ModbusLampSettings, bus: ModbusBus, report: Report) -> ModbusLamp:
    """A driver for one configured lamp at coils, not yet running; its bus runs beside it."""
    _say_unverified(MODBUS_LAMP, settings.name)
    return ModbusLamp(settings, bus, report)


def _say_unverified(
    driver: TdlDriver
    | BadgeDriver
    | SignDriver
    | FirmwarePortDriver
    | PlainDriver
    | ModbusDriver
    | AntennaDriver
    | CoinSlotDriver,
    device: str,
) -> None:
    if not driver.verified_against:
        _log.warning("driver_unverified", driver=driver.name, device=device)
