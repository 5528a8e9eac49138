"""README's table *device × transport*: what the registry offers, and which test shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drivers.registry import (
    ALPHA_SIGN,
    BADGE_DRIVERS,
    CCTALK_SLOT,
    GAT_PORT,
    MODBUS_DRIVERS,
    PLAIN_DRIVERS,
    PN532_ANTENNA,
    TDL_DRIVERS,
    AntennaDriver,
    BadgeDriver,
    CoinSlotDriver,
    FirmwarePortDriver,
    ModbusDriver,
    PlainDriver,
    SignDriver,
    TdlDriver,
)

Driver = (
    TdlDriver
    | BadgeDriver
    | SignDriver
    | FirmwarePortDriver
    | PlainDriver
    | ModbusDriver
    | AntennaDriver
    | CoinSlotDriver
)

# What stands on the other end of each kind of cable in the tests, in the order in which a technician meets them.
OTHER_ENDS: Mapping[str, str] = {
    "serial": "a pseudo-terminal: real bytes, no UART, no modem lines",
    "tcp": "a socket on loopback",
    "usb": "pyusb on a simulated device, in the process and over USB/IP; with libusb and a kernel in `make test-usb`",
    "mqtt": "a mosquitto broker on loopback",
    "mqtts": "the same in TLS, with certificates on both sides",
}
# README's columns; `memory` is for tests only.
TRANSPORTS = tuple(OTHER_ENDS)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The test of a driver on each cable that it is offered on, and what else holds it to its protocol."""

    test: str
    besides: tuple[str, ...] = ()


BOARDS = "tests/contract/test_boards_on_cables.py"
CABLES = "tests/contract/test_every_offered_cable.py"
CARDS = "tests/contract/test_cards_on_every_cable.py"
ANTENNAS = "tests/contract/test_antennas_on_cables.py"
EVIDENCE: Mapping[str, Evidence] = {
    "tdl-continuous-shuffler": Evidence(
        f"{CABLES}::test_a_tdl_device",
        (
            "tests/contract/test_tdl_device.py",
            "tests/contract/test_tdl_wire.py",
            "tests/contract/test_driver_on_simulator.py",
            "tests/peers/test_tdl_stranger.py",
        ),
    ),
    "tdl-batch-shuffler": Evidence(
        f"{ANTENNAS}::test_a_batch_is_mixed_counted_and_dealt",
        ("tests/contract/test_tdl_batch.py", "tests/unit/simulator/test_tdl_batch.py"),
    ),
    "tdl-switch-box": Evidence(f"{CABLES}::test_a_tdl_device", ("tests/contract/test_tdl_switch_box.py",)),
    "pn532-antenna": Evidence(
        f"{ANTENNAS}::test_an_antenna",
        (
            "tests/contract/test_pn532_antennas.py",
            "tests/peers/test_pn532_peers.py",
            "tests/unit/drivers/test_lying_tags.py",
        ),
    ),
    "alpha-sign": Evidence(
        f"{CABLES}::test_an_alpha_sign", ("tests/contract/test_alpha_sign.py", "tests/peers/test_alpha_peers.py")
    ),
    "tdl-display": Evidence(f"{CABLES}::test_a_display", ("tests/contract/test_tdl_display.py",)),
    "cctalk-slot": Evidence(
        f"{CABLES}::test_coin_slots", ("tests/contract/test_cctalk_slots.py", "tests/peers/test_cctalk_peer.py")
    ),
    "tdl-slots": Evidence(f"{CABLES}::test_chip_slots", ("tests/contract/test_tdl_slots.py",)),
    "tdl-card-reader": Evidence(f"{CARDS}::test_a_card_reader", ("tests/contract/test_tdl_card_reader.py",)),
    "angel-eye-shoe": Evidence(
        f"{CARDS}::test_a_shoe",
        ("tests/contract/test_angel_eye_shoe.py", "tests/unit/wire/angel_eye/test_telegram.py"),
    ),
    "osdp-badge-reader": Evidence(f"{CABLES}::test_a_badge_reader", ("tests/peers/test_osdp_libosdp.py",)),
    "retrofit-shuffler": Evidence(
        f"{BOARDS}::test_a_board", ("tests/contract/test_retrofit_shuffler.py", "tests/peers/test_pymodbus.py")
    ),
    "modbus-lamp": Evidence(
        f"{BOARDS}::test_a_board", ("tests/contract/test_modbus_lamp.py", "tests/peers/test_pymodbus.py")
    ),
    "blink1-lamp": Evidence(
        "tests/contract/test_blink1_cables.py::test_a_lamp_with_a_watchdog",
        ("tests/contract/test_blink1_lamp.py", "tests/peers/test_busylight.py", "tests/system/test_dead_daemon.py"),
    ),
    "gat-firmware-port": Evidence(f"{CABLES}::test_a_firmware_port", ("tests/contract/test_gat_port.py",)),
    "keyboard-badge-reader": Evidence(
        f"{CABLES}::test_a_reader_that_types",
        ("tests/peers/test_key_maps.py", "tests/unit/drivers/test_keyboard_reader.py"),
    ),
}


def table() -> str:
    """The table and what its words rest on."""
    drivers: tuple[Driver, ...] = (
        *TDL_DRIVERS.values(),
        *MODBUS_DRIVERS.values(),
        ALPHA_SIGN,
        CCTALK_SLOT,
        *BADGE_DRIVERS.values(),
        PN532_ANTENNA,
        GAT_PORT,
        *PLAIN_DRIVERS.values(),
    )
    head = ("device", *TRANSPORTS, "held to its protocol by")
    rows = [_line(head), _line(("---",) * len(head)), *(_line(_cells(driver)) for driver in drivers)]
    ends = "; ".join(f"*{name}*: {end}" for name, end in OTHER_ENDS.items())
    return "\n".join(
        (
            *rows,
            "",
            "**tested**: on the real device that is named. **simulated only**: the driver and the simulated device "
            f"understand each other over this kind of cable, in the linked test. What carries the bytes there: {ends}.",
        )
    )


def _cells(driver: Driver) -> tuple[str, ...]:
    evidence = EVIDENCE[driver.name]
    besides = ", ".join(f"[{path.rpartition('/')[2]}]({path})" for path in evidence.besides) or "–"
    return (f"{driver.title} (`{driver.name}`)", *(_cell(driver, name) for name in TRANSPORTS), besides)


def _cell(driver: Driver, transport: str) -> str:
    if transport not in driver.schemes:
        return "not offered"
    if driver.verified_against:
        return f"tested: {', '.join(driver.verified_against)}"
    return f"[simulated only]({EVIDENCE[driver.name].test.partition('::')[0]})"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
