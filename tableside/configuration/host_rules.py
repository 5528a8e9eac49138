"""What the keys of a host's file must keep together, with its tables' files and the profile."""

from __future__ import annotations

import grp
import os.path
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import available_timezones

from firmware_bridge.links.mqtt_address import MqttsAddress
from tableside.configuration.addresses import AddressRefused, read_address
from tableside.configuration.broker import northbound_findings
from tableside.configuration.device_rules import KEYBOARD_READER, OSDP_BADGE_READER, RETROFIT_SHUFFLER
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import Finding, Severity, listed, nearest_of
from tableside.configuration.shape import Profile
from tableside.configuration.staff_rules import unknown_person
from tableside.configuration.table_rules import repeated

# sun_path of a Unix socket address holds 108 bytes with the final zero.
MAX_SOCKET_PATH_BYTES = 107


def host_findings(file: Draft, folder: Path) -> Iterator[Finding]:
    """Everything across keys that is wrong within a host's file."""
    yield from _sections(file)
    yield from _people_in_charge(file)
    yield from _time_zone(file)
    yield from _control_group(file)
    yield from _places(file, folder)
    yield from _usb_list(file)
    yield from northbound_findings(file, folder)


def table_in_host_findings(table: Draft, host: Draft, folder: Path) -> Iterator[Finding]:
    """What a table's file lacks for the host that names it."""
    section = table.part("table").text("section")
    known = [name for draft in host.parts("sections") if (name := draft.text("name")) is not None]
    if section is not None and section not in known:
        yield Finding(
            ("table", "section"),
            f'"{section}" is no section of the host',
            listed(known),
            nearest=nearest_of(section, known),
        )
    if host.part("host").text("profile") == Profile.PRODUCTION:
        yield from _production(table, folder)


def _sections(file: Draft) -> Iterator[Finding]:
    sections, staff = file.parts("sections"), file.parts("staff")
    known = [name for section in sections if (name := section.text("name")) is not None]
    for section, name in repeated(sections, "name"):
        yield Finding(section.at("name"), f'"{name}" is another section already', "each name once")
    for section in sections:
        neighbour = section.text("neighbour")
        others = [name for name in known if name != section.text("name")]
        if neighbour is not None and neighbour not in others:
            problem = f'"{neighbour}" is no other section'
            nearest = nearest_of(neighbour, others)
            yield Finding(section.at("neighbour"), problem, listed(others), nearest=nearest)
        for path, staff_id in section.texts("floor_supervisors"):
            yield from unknown_person(path, staff_id, "floor supervisor", staff)
        technician = section.text("technician")
        if technician is not None:
            yield from unknown_person(section.at("technician"), technician, "technician", staff)


def _people_in_charge(file: Draft) -> Iterator[Finding]:
    host, staff = file.part("host"), file.parts("staff")
    for path, staff_id in host.texts("room management"):
        yield from unknown_person(path, staff_id, "room management", staff)
    has_one = any(word == "pit manager" for person in staff for _, word in person.texts("roles"))
    if host.flag("has_pit_manager") and not has_one:
        yield Finding(
            host.at("has_pit_manager"),
            "is true and nobody in [[staff]] has the role pit manager",
            "false, or a person with that role",
        )


def _time_zone(file: Draft) -> Iterator[Finding]:
    name, zones = file.part("host").text("time_zone"), available_timezones()
    if name is not None and name not in zones:
        yield Finding(
            ("host", "time_zone"),
            f'"{name}" is no time zone of this machine',
            'a name of the tz database, such as "Europe/Lisbon" or "Asia/Macau"',
            nearest=nearest_of(name, zones),
        )


def _control_group(file: Draft) -> Iterator[Finding]:
    name = file.part("host").text("control_group")
    known = [group.gr_name for group in grp.getgrall()]
    if name is not None and name not in known:
        yield Finding(
            ("host", "control_group"),
            f'"{name}" is no group of this machine',
            "the name of a group whose members may ask the daemon, or no such key",
            nearest=nearest_of(name, known),
        )


def _places(file: Draft, folder: Path) -> Iterator[Finding]:
    host = file.part("host")
    for path, name in host.texts("tables"):
        earlier = [item for at, item in host.texts("tables") if at < path]
        if _same(folder, name) in {_same(folder, item) for item in earlier}:
            yield Finding(path, f'"{name}" is named twice', "each table's file once")
    socket = host.text("control_socket")
    if socket is not None and len(os.fsencode(_same(folder, socket))) > MAX_SOCKET_PATH_BYTES:
        yield Finding(
            host.at("control_socket"),
            f"{_same(folder, socket)} is too long for a socket",
            f"at most {MAX_SOCKET_PATH_BYTES} bytes",
        )
    journal, reserve = host.text("journal_directory"), host.text("reserve_directory")
    if journal is not None and _same(folder, reserve or journal) == _same(folder, journal):
        yield Finding(
            host.at("reserve_directory" if reserve else "journal_directory"),
            "the reserve lies beside the journal: one full or broken disk takes both",
            "reserve_directory on a second disk",
            severity=Severity.WARNING,
        )


def _same(folder: Path, name: str) -> str:
    return os.path.normpath(folder / name)


def _usb_list(file: Draft) -> Iterator[Finding]:
    host = file.part("host")
    if host.text("profile") == Profile.PRODUCTION and not host.has("usb_allowed"):
        yield Finding(
            host.at("usb_allowed"),
            "is missing: nobody is told of a strange USB device, and the host's profile is production",
            "usb_allowed = [], with what may be plugged in beside the tables' own devices",
            severity=Severity.WARNING,
        )


def _production(table: Draft, folder: Path) -> Iterator[Finding]:
    settings = table.part("settings")
    if not settings.has("presence_approved_by") and not settings.has("presence_approved_on"):
        yield Finding(
            settings.at("presence_approved_by"),
            "is missing, and the host's profile is production",
            "who approved presence_s, and presence_approved_on with the date",
        )
    for device in table.parts("devices"):
        for rule in _PRODUCTION_DEVICE_RULES:
            yield from rule(device, folder)


def _simulated(device: Draft, folder: Path) -> Iterator[Finding]:
    """A simulator must never be taken for the machine (BR-070)."""
    real, lab = "a real device", "profile training or lab for simulated ones"
    if device.flag("is_simulated"):
        yield Finding(device.at("is_simulated"), "is true in profile production", f"{real}; {lab}")
    try:
        address = read_address(device.text("address") or "", folder)
    except AddressRefused:
        return
    if address.is_simulated:
        problem = "is that of a simulated device (pty, loopback or emulator), and the host's profile is production"
        yield Finding(device.at("address"), problem, f"the address of {real}; {lab}")


def _plain_channel(device: Draft, folder: Path) -> Iterator[Finding]:
    if device.text("driver") == OSDP_BADGE_READER and device.text("osdp_key_file") is None:
        yield Finding(
            device.at("osdp_key_file"),
            "is missing: production speaks to badge readers in the secure channel only",
            "a file with the reader's key",
        )


def _plain_broker(device: Draft, folder: Path) -> Iterator[Finding]:
    """Whoever is on that network could show amounts and press keys; TDL has no check against that of its own."""
    if (device.text("address") or "").startswith("mqtt:"):
        yield Finding(device.at("address"), "is not encrypted, and the host's profile is production", MqttsAddress.form)


def _typed(device: Draft, folder: Path) -> Iterator[Finding]:
    if device.text("driver") == KEYBOARD_READER:
        yield Finding(
            device.at("driver"),
            "is a reader that types: whoever plugs in a keyboard with its numbers can type any badge",
            "a reader with OSDP's secure channel, or a closed housing around this one and its socket",
            severity=Severity.WARNING,
        )


def _watched_only(device: Draft, folder: Path) -> Iterator[Finding]:
    if device.text("driver") == RETROFIT_SHUFFLER:
        yield Finding(
            device.at("serial_number"),
            "is told by no wire: whether it is this machine, people must see at its plate",
            "a machine that says who it is, where one can be had",
            severity=Severity.WARNING,
        )


_PRODUCTION_DEVICE_RULES: tuple[Callable[[Draft, Path], Iterator[Finding]], ...] = (
    _simulated,
    _plain_channel,
    _plain_broker,
    _typed,
    _watched_only,
)
