"""What the devices of a table must keep together: roles, drivers, addresses, keys."""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from importlib.util import find_spec
from pathlib import Path

from drivers import registry
from drivers.displays.page.address import FORM, PageAddressRefused, parse_page_address
from drivers.registry import TDL_DRIVERS
from firmware_bridge.links.address import SCHEMES
from firmware_bridge.links.mqtt_address import MqttsAddress
from firmware_bridge.wire.osdp.secure import DEFAULT_KEY
from tableside.configuration.addresses import AddressRefused, DeviceAddress, read_address
from tableside.configuration.antenna_rules import MOST_ANTENNAS, antenna_findings
from tableside.configuration.board_rules import board_findings, is_at_board
from tableside.configuration.draft import Draft
from tableside.configuration.firmware_rules import firmware_findings
from tableside.configuration.jackpot_rules import jackpot_findings
from tableside.configuration.mistake import MISSING, Finding, Severity, listed, nearest_of
from tableside.configuration.shape import DeviceRole
from tableside.configuration.slot_rules import slot_findings
from tableside.configuration.table_rules import cards_in_play, repeated
from tableside.house import TableKind

OSDP_BADGE_READER = registry.OSDP_BADGE_READER.name
KEYBOARD_READER = registry.KEYBOARD_READER.name
RETROFIT_SHUFFLER = registry.RETROFIT_SHUFFLER.name
BATCH_SHUFFLER = "tdl-batch-shuffler"
# Driver name → (role it plays, schemes it speaks over).
DRIVERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tdl-continuous-shuffler": ("shuffler", TDL_DRIVERS["tdl-continuous-shuffler"].schemes),
    "tdl-batch-shuffler": ("shuffler", TDL_DRIVERS["tdl-batch-shuffler"].schemes),
    "tdl-switch-box": ("switch_box", TDL_DRIVERS["tdl-switch-box"].schemes),
    registry.PAGE.name: ("display", registry.PAGE.schemes),
    registry.ALPHA_SIGN.name: ("display", registry.ALPHA_SIGN.schemes),
    registry.GAT_PORT.name: ("firmware_port", registry.GAT_PORT.schemes),
    "tdl-display": ("display", TDL_DRIVERS["tdl-display"].schemes),
    registry.CCTALK_SLOT.name: ("chip_slots", registry.CCTALK_SLOT.schemes),
    "tdl-slots": ("chip_slots", TDL_DRIVERS["tdl-slots"].schemes),
    registry.PN532_ANTENNA.name: ("antenna", registry.PN532_ANTENNA.schemes),
    "tdl-card-reader": ("card_reader", TDL_DRIVERS["tdl-card-reader"].schemes),
    OSDP_BADGE_READER: ("badge_reader", registry.OSDP_BADGE_READER.schemes),
    KEYBOARD_READER: ("badge_reader", registry.KEYBOARD_READER.schemes),
    **{driver.name: (driver.role, driver.schemes) for driver in registry.PLAIN_DRIVERS.values()},
    **{driver.name: (driver.role, driver.schemes) for driver in registry.MODBUS_DRIVERS.values()},
}
# By kind of table: role → fewest and most, spares aside. Any other may be there or not.
_AT_A_TABLE: dict[str, dict[str, tuple[int, int]]] = {
    TableKind.SHUFFLER: {
        "shuffler": (1, 1),
        "switch_box": (1, 1),
        "badge_reader": (1, 4),
        "chip_slots": (0, 7),
        "card_reader": (0, 14),
        "antenna": (0, MOST_ANTENNAS),
        "shoe": (0, 0),
    },
    # Two decks in turn through one machine.
    TableKind.BATCH: {
        "shuffler": (1, 1),
        "switch_box": (1, 1),
        "badge_reader": (1, 4),
        "chip_slots": (0, 0),
        "card_reader": (0, 14),
        "antenna": (0, MOST_ANTENNAS),
        "shoe": (0, 0),
    },
    # Cards are shuffled by hand; a reader may watch the shoe.
    TableKind.HAND_SHOE: {
        "shuffler": (0, 0),
        "switch_box": (0, 1),
        "badge_reader": (1, 4),
        "card_reader": (0, 1),
        "antenna": (0, MOST_ANTENNAS),
        "shoe": (0, 0),
    },
    # Observed only: people are called by page and lamp, and nobody's presence is asked for.
    TableKind.SHOE: {
        "shoe": (1, 1),
        "shuffler": (0, 0),
        "switch_box": (0, 1),
        "chip_slots": (0, 0),
        "card_reader": (0, 14),
        "antenna": (0, MOST_ANTENNAS),
    },
}
_OTHERS_AT_A_TABLE = (0, 4)
OSDP_KEY_BYTES = 16
# PDID tells a number of 32 bits, which the reader's label and our own page show in hex.
OSDP_SERIAL = re.compile(r"[0-9A-Fa-f]{1,8}")
# By which key the stations of one bus are told apart.
_STATION_KEYS = ("osdp_address", "cctalk_address")
# Which keys belong to which role only.
_ROLE_KEYS = {
    "capacity_cards": "shuffler",
    "is_spare": "shuffler",
    "display_characters": "display",
    "caption": "display",
    "sign_address": "display",
    "seats": "chip_slots",
    "cctalk_address": "chip_slots",
    "chip_position": "chip_slots",
    "of": "firmware_port",
    "firmware_list": "firmware_port",
    "place": "antenna",
    "lies_face_up": "antenna",
    "bcc_span": "shoe",
    "osdp_address": "badge_reader",
    "osdp_key_file": "badge_reader",
    "is_reversed": "badge_reader",
    "keyboard": "badge_reader",
    "badge_characters": "badge_reader",
}


def device_findings(file: Draft, folder: Path) -> Iterator[Finding]:
    """Everything across keys that is wrong with the devices of a table's file."""
    devices = file.parts("devices")
    for device, name in repeated(devices, "name"):
        yield Finding(device.at("name"), f'"{name}" is another device already', "each name once")
    for device, serial in repeated(devices, "serial_number"):
        yield Finding(
            device.at("serial_number"),
            f'"{serial}" is another device already',
            "each serial number once: it says which device is which",
        )
    yield from _roles(file)
    yield from _batch_machine(file)
    for device in devices:
        for rule in _DEVICE_RULES:
            yield from rule(device)
        yield from _capacity(device, cards_in_play(file))
        yield from _address(device, folder)
        yield from _key_file(device, folder)
        yield from firmware_findings(device, devices, folder)
    yield from slot_findings(file)
    yield from jackpot_findings(file)
    yield from antenna_findings(file, folder)
    yield from shared_addresses([(device, folder) for device in devices])


def shared_addresses(devices: list[tuple[Draft, Path]]) -> Iterator[Finding]:
    """Two devices on one port; stations of one OSDP bus share theirs and differ in their address."""
    taken: dict[Hashable, list[tuple[Draft, DeviceAddress]]] = {}
    for device, folder in devices:
        try:
            address = read_address(device.text("address") or "", folder)
        except AddressRefused:
            continue  # told by the address rule
        others = taken.setdefault(address.cable, [])
        for other, other_address in others:
            yield from _shared(device, address, other, other_address)
        others.append((device, address))


def _shared(device: Draft, address: DeviceAddress, other: Draft, other_address: DeviceAddress) -> Iterator[Finding]:
    """What is wrong with `device` on the cable that `other` has."""
    name = other.text("name") or "?"
    if is_at_board(device) and is_at_board(other):
        if address.parsed != other_address.parsed:
            problem = f'has other line settings than "{name}" on the same bus'
            yield Finding(device.at("address"), problem, "the same settings for all boards of a bus")
        return
    key = next((key for key in _STATION_KEYS if device.number(key) is not None and other.number(key) is not None), None)
    if key is None:
        yield Finding(device.at("address"), f'is the port of "{name}" too', "one device on a port")
    elif device.number(key) == other.number(key):
        problem = f'is {device.number(key)}, as that of "{name}" on the same bus'
        yield Finding(device.at(key), problem, "each station address once on a bus")
    elif address.parsed != other_address.parsed:
        problem = f'has other line settings than "{name}" on the same bus'
        yield Finding(device.at("address"), problem, "the same settings for all stations of a bus")


def _roles(file: Draft) -> Iterator[Finding]:
    counts = Counter(device.text("role") for device in file.parts("devices") if not device.flag("is_spare"))
    if None in counts:
        return  # a broken role is told already, and may be the one that seems to lack
    kind = file.part("table").text("kind") or TableKind.SHUFFLER
    for role in DeviceRole if kind in _AT_A_TABLE else ():
        fewest, most = _AT_A_TABLE[kind].get(role, _OTHERS_AT_A_TABLE)
        if not fewest <= counts[role] <= most:
            allowed = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            spare = ", spares marked is_spare = true" if role == "shuffler" else ""
            allowed_here = f"{allowed}{spare} at a table of kind {kind}"
            yield Finding(("devices",), f"{counts[role]} of role {role}", allowed_here)


def _batch_machine(file: Draft) -> Iterator[Finding]:
    """A batch table has a batch shuffler, and no other table has one."""
    is_batch = file.part("table").text("kind") == TableKind.BATCH
    for device in file.parts("devices"):
        if device.text("role") == "shuffler" and (device.text("driver") == BATCH_SHUFFLER) is not is_batch:
            allowed = BATCH_SHUFFLER if is_batch else "a continuous shuffler, or kind = batch in [table]"
            yield Finding(device.at("driver"), f'is "{device.text("driver")}"', allowed)


def _driver(device: Draft) -> Iterator[Finding]:
    driver, role = device.text("driver"), device.text("role")
    if driver is None:
        return
    if driver not in DRIVERS:
        nearest = nearest_of(driver, DRIVERS)
        yield Finding(device.at("driver"), f'is "{driver}"', listed(DRIVERS), nearest=nearest)
    elif role is not None and DRIVERS[driver][0] != role:
        fitting = listed(name for name, (plays, _) in DRIVERS.items() if plays == role)
        yield Finding(device.at("driver"), f'"{driver}" drives no {role}', fitting)


def _role_keys(device: Draft) -> Iterator[Finding]:
    role = device.text("role")
    for key, owner in _ROLE_KEYS.items():
        if role is not None and device.has(key) and role != owner and device.values[key] is not False:
            yield Finding(device.at(key), f"means nothing for a {role}", f"only for a {owner}")


def _station(device: Draft) -> Iterator[Finding]:
    if device.text("driver") == OSDP_BADGE_READER and not device.has("osdp_address"):
        yield Finding(device.at("osdp_address"), MISSING, "a whole number from 0 to 126")
    serial = device.text("serial_number")
    if device.text("driver") == OSDP_BADGE_READER and serial and not OSDP_SERIAL.fullmatch(serial):
        yield Finding(
            device.at("serial_number"), f'is "{serial}"', "1 to 8 hex digits, the number that the reader tells"
        )


def _typing(device: Draft) -> Iterator[Finding]:
    """What a reader that types needs, and what means nothing for one."""
    driver = device.text("driver")
    if driver not in (KEYBOARD_READER, OSDP_BADGE_READER):
        return
    for key, allowed in (("keyboard", "us, de or pt, as its keys are"), ("badge_characters", "1 to 32, of each badge")):
        if driver == KEYBOARD_READER and not device.has(key):
            yield Finding(device.at(key), MISSING, allowed)
        elif driver != KEYBOARD_READER and device.has(key):
            yield Finding(device.at(key), f'means nothing for "{driver}"', f"only for {KEYBOARD_READER}")
    for key in ("osdp_address", "osdp_key_file", "is_reversed"):
        if driver == KEYBOARD_READER and device.has(key) and device.values[key] is not False:
            yield Finding(device.at(key), f'means nothing for "{driver}"', f"only for {OSDP_BADGE_READER}")


def _capacity(device: Draft, cards: int) -> Iterator[Finding]:
    if device.text("role") != "shuffler":
        return
    capacity = device.number("capacity_cards")
    if not device.has("capacity_cards"):
        yield Finding(device.at("capacity_cards"), MISSING, "how many cards the machine holds")
    elif capacity is not None and capacity < cards:
        yield Finding(device.at("capacity_cards"), f"is {capacity}", f"at least the {cards} cards in play")


def _display(device: Draft) -> Iterator[Finding]:
    if device.text("role") == "display" and not device.has("display_characters"):
        yield Finding(device.at("display_characters"), MISSING, "how many characters stand on the display at once")
    driver, caption, characters = (device.text("driver"), device.text("caption"), device.number("display_characters"))
    for key in ("caption", "sign_address"):
        if driver == "tdl-display" and device.has(key):
            yield Finding(device.at(key), "means nothing to a TDL display", f"no {key}")
    if driver is not None and caption is not None and characters is not None and driver in registry.DISPLAY_LIMITS:
        objection = registry.display_limits(driver, characters).text_objection(caption)
        if objection is not None:
            yield Finding(device.at("caption"), objection, "characters that the display draws, as many as fit on it")


def _address(device: Draft, folder: Path) -> Iterator[Finding]:
    text, driver = device.text("address"), device.text("driver")
    if text is None:
        return
    if driver == registry.PAGE.name:
        yield from _page_address(device, text)
        return
    schemes = DRIVERS[driver][1] if driver in DRIVERS else tuple(SCHEMES)
    allowed = listed(SCHEMES[scheme].form for scheme in schemes if scheme in SCHEMES)
    try:
        address = read_address(text, folder)
    except AddressRefused as refused:
        nearest = nearest_of(text.partition("://")[0], schemes)
        yield Finding(device.at("address"), str(refused), allowed, nearest)
        return
    if isinstance(address.parsed, MqttsAddress):
        for why, remedy in address.parsed.files.objections():
            yield Finding(device.at("address"), why, remedy)
    if address.scheme not in schemes:
        yield Finding(device.at("address"), f'"{driver}" does not speak over {address.scheme}', allowed)
    if address.advice:
        yield Finding(device.at("address"), address.advice, allowed, severity=Severity.WARNING)


def _page_address(device: Draft, text: str) -> Iterator[Finding]:
    """A page is served here, at no cable; what it needs is installed with the extra *web*."""
    try:
        parse_page_address(text)
    except PageAddressRefused as refused:
        yield Finding(device.at("address"), str(refused), f"{FORM}, such as http://127.0.0.1:8378")
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        yield Finding(device.at("driver"), "needs starlette and uvicorn, which are not installed", "tableside[web]")


def _key_file(device: Draft, folder: Path) -> Iterator[Finding]:
    name = device.text("osdp_key_file")
    if name is None:
        return
    path, allowed = folder / name, f"a file of {OSDP_KEY_BYTES * 2} hex digits that only its owner may read"
    try:
        mode, text = path.stat().st_mode, path.read_bytes()
    except OSError as problem:
        yield Finding(device.at("osdp_key_file"), f"{path}: {problem.strerror}", allowed)
        return
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:  # the text itself may be a key with a slip in it: never shown
        key = b""
    if len(key) != OSDP_KEY_BYTES:
        yield Finding(device.at("osdp_key_file"), f"{path} holds no such key", allowed)
    elif key == DEFAULT_KEY:
        yield Finding(
            device.at("osdp_key_file"), f"{path} holds the default key, which everybody knows", "a key of its own"
        )
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        mine = f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); run chmod 600 on it"
        yield Finding(device.at("osdp_key_file"), mine, allowed)


_DEVICE_RULES: tuple[Callable[[Draft], Iterator[Finding]], ...] = (
    _driver,
    _role_keys,
    _station,
    _display,
    _typing,
    board_findings,
)
