"""Devices in the configuration: names that stay, simulators that are marked, buses that are shared rightly."""

from __future__ import annotations

import os
import pty
import re
from pathlib import Path

import pytest

from drivers.registry import (
    ALPHA_SIGN,
    BADGE_DRIVERS,
    CCTALK_SLOT,
    GAT_PORT,
    MODBUS_DRIVERS,
    PAGE,
    PLAIN_DRIVERS,
    PN532_ANTENNA,
    TDL_DRIVERS,
)
from simulator.world.firmware import example_firmware
from tableside.config import check, load_host
from tableside.configuration.addresses import AddressRefused, read_address
from tableside.configuration.device_rules import DRIVERS
from tableside.configuration.house import house_of
from tableside.configuration.mistake import Severity
from tests.support.config_files import TABLE, Edit, write_config
from tests.support.firmware_list import listing

SHUFFLER = "serial:///dev/serial/by-id/shuffler?baud=115200"
PRODUCTION = Edit("host", '"lab"', '"production"\nusb_allowed = []')
SECOND_READER = """
[[devices]]
name = "badges-2"
role = "badge_reader"
driver = "osdp-badge-reader"
address = "serial:///dev/serial/by-id/badges?baud=9600"
serial_number = "902"
model = "PD"
osdp_address = 2
"""


def key_file(folder: Path, text: str = "00112233445566778899AABBCCDDEEFF", mode: int = 0o600) -> Edit:
    """A test key beside the files, and the line that names it."""
    path = folder / "test.key"
    path.write_text(text, encoding="ascii")
    path.chmod(mode)
    return Edit("table", "osdp_address = 1", 'osdp_address = 1\nosdp_key_file = "test.key"')


def shuffler_at(address: str) -> Edit:
    return Edit("table", SHUFFLER, address)


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "/dev/ttyACM3"])
def test_a_name_by_order_of_plugging_is_warned_of(tmp_path: Path, port: str) -> None:
    """BR-021: after a reconnect the same name may be another device."""
    (warning,) = check(write_config(tmp_path, shuffler_at(f"serial://{port}")))
    assert (warning.severity, warning.key) == (Severity.WARNING, "devices[0].address")
    assert port in warning.problem
    assert "/dev/serial/by-id" in str(warning)


def test_a_sound_production_host_is_taken(tmp_path: Path) -> None:
    assert check(write_config(tmp_path, PRODUCTION, key_file(tmp_path))) == []


@pytest.mark.parametrize(
    "address",
    [
        "tcp://127.0.0.1:4001",
        "tcp://[::1]:4001",
        "tcp://localhost:4001",
        "usb://1209:0001/000123",
    ],
)
def test_production_refuses_a_simulated_address(tmp_path: Path, address: str) -> None:
    """BR-070: a simulator is never taken for the machine."""
    (mistake,) = check(write_config(tmp_path, PRODUCTION, key_file(tmp_path), shuffler_at(address)))
    assert (mistake.key, mistake.is_refused) == ("devices[0].address", True)
    assert "simulated" in mistake.problem


def test_production_sees_a_pseudo_terminal_behind_a_link(tmp_path: Path) -> None:
    """BR-070: the link's name says nothing, what it points to does."""
    ours, theirs = pty.openpty()
    try:
        (tmp_path / "shuffler").symlink_to(os.ttyname(theirs))
        edits = PRODUCTION, key_file(tmp_path), shuffler_at(f"serial://{tmp_path}/shuffler")
        (mistake,) = check(write_config(tmp_path, *edits))
    finally:
        os.close(ours)
        os.close(theirs)
    assert "pty" in mistake.problem


def test_production_refuses_the_mark_itself(tmp_path: Path) -> None:
    """BR-070."""
    mark = Edit("table", 'model = "BOX"', 'model = "BOX"\nis_simulated = true')
    (mistake,) = check(write_config(tmp_path, PRODUCTION, key_file(tmp_path), mark))
    assert mistake.key == "devices[1].is_simulated"


def test_production_demands_the_secure_channel_and_an_approval(tmp_path: Path) -> None:
    unapproved = Edit("table", 'presence_approved_by = "Inspection"\npresence_approved_on = 2026-01-15\n', "")
    keys = {mistake.key for mistake in check(write_config(tmp_path, PRODUCTION, unapproved))}
    assert keys == {"devices[2].osdp_key_file", "settings.presence_approved_by"}


@pytest.mark.parametrize("profile", ["training", "lab"])
def test_training_and_lab_take_what_is_simulated(tmp_path: Path, profile: str) -> None:
    edits = Edit("host", '"lab"', f'"{profile}"'), shuffler_at("tcp://127.0.0.1:4001")
    assert check(write_config(tmp_path, *edits)) == []


def test_two_stations_share_a_bus(tmp_path: Path) -> None:
    assert check(write_config(tmp_path, Edit("table", "", SECOND_READER))) == []


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("osdp_address = 2", "osdp_address = 1", "devices[3].osdp_address"),
        ("baud=9600", "baud=19200", "devices[3].address"),
    ],
)
def test_stations_of_a_bus_differ_in_address_and_not_in_speed(tmp_path: Path, old: str, new: str, key: str) -> None:
    (mistake,) = check(write_config(tmp_path, Edit("table", "", SECOND_READER.replace(old, new))))
    assert mistake.key == key
    assert '"badges"' in mistake.problem


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("00112233445566778899AABBCCDDEEFF", 0o640, "chmod 600"),
        ("0011", 0o600, "holds no such key"),
        ("not hex at all, but secret anyway", 0o600, "holds no such key"),
    ],
)
def test_a_key_file_is_checked_and_never_shown(tmp_path: Path, text: str, mode: int, words: str) -> None:
    (mistake,) = check(write_config(tmp_path, key_file(tmp_path, text, mode)))
    assert words in str(mistake)
    assert text not in str(mistake)


def test_an_absent_key_file_is_said(tmp_path: Path) -> None:
    edit = key_file(tmp_path)
    (tmp_path / "test.key").unlink()
    (mistake,) = check(write_config(tmp_path, edit))
    assert "No such file" in mistake.problem


def test_tables_of_a_host_share_neither_name_nor_port_nor_badge(tmp_path: Path) -> None:
    path = write_config(tmp_path, Edit("host", '["table.toml"]', '["table.toml", "second.toml"]'))
    (tmp_path / "second.toml").write_text(TABLE.replace('"D-1"', '"D-2"'), encoding="utf-8")
    mistakes = check(path)
    assert {mistake.file.name for mistake in mistakes} == {"second.toml"}
    assert {mistake.key for mistake in mistakes} == {
        "table.name",
        "devices[0].address",
        "devices[1].address",
        "devices[2].osdp_address",
        "staff[0].badge",
    }


def test_a_serial_number_that_no_reader_can_tell_is_refused(tmp_path: Path) -> None:
    """PDID tells 32 bits: anything else would be the wrong device for ever."""
    (mistake,) = check(write_config(tmp_path, Edit("table", '"901"', '"PD-901"')))
    assert mistake.key == "devices[2].serial_number"
    assert "hex digits" in str(mistake)


def test_the_key_that_everybody_knows_is_refused(tmp_path: Path) -> None:
    public = bytes(range(0x30, 0x40)).hex()
    (mistake,) = check(write_config(tmp_path, key_file(tmp_path, public)))
    assert mistake.key == "devices[2].osdp_key_file"
    assert "everybody knows" in mistake.problem
    assert public not in str(mistake)


def test_a_spare_shuffler_is_no_second_one(tmp_path: Path) -> None:
    start = TABLE.index('[[devices]]\nname = "shuffler"')
    spare = TABLE[start : TABLE.index("[[devices]]", start + 1)]
    for old, new in (('"shuffler"', '"spare"'), ("000123", "000124"), ("by-id/shuffler", "by-id/spare")):
        spare = spare.replace(old, new, 1)
    spare = spare.replace("tdl-continuous-spare", "tdl-continuous-shuffler")
    config = load_host(
        write_config(tmp_path, Edit("table", "", spare.replace('"spare"\nrole', '"spare"\nis_spare = true\nrole')))
    )
    assert [device.name for device in config.tables[0].devices if device.is_spare] == ["spare"]
    (mistake,) = check(write_config(tmp_path, Edit("table", "", spare)))
    assert "2 of role shuffler" in mistake.problem


@pytest.mark.parametrize("text", ["/dev/ttyUSB0", "serial://", "tcp://host", "tcp://[::1:4001", "memory://table"])
def test_what_is_no_address_of_a_device_is_refused(text: str) -> None:
    with pytest.raises(AddressRefused, match=re.escape(text)):
        read_address(text, Path("/etc"))


def test_the_drivers_of_the_configuration_are_those_of_the_registry() -> None:
    plain = {ALPHA_SIGN.name, CCTALK_SLOT.name, GAT_PORT.name, PAGE.name, PN532_ANTENNA.name}
    others = {*BADGE_DRIVERS, *MODBUS_DRIVERS, *plain}
    assert set(DRIVERS) - others == {*TDL_DRIVERS, *PLAIN_DRIVERS}


@pytest.mark.parametrize("typed", ["host.toml", "folder/host.toml", "./folder/../folder/host.toml"])
def test_a_relative_port_is_the_same_from_whichever_folder_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    """What the check refuses the daemon must not take, and the other way round: both count from the file's folder."""
    folder = tmp_path / "folder"
    folder.mkdir()
    write_config(folder, shuffler_at("serial://../run/dev/shuffler?baud=115200"))
    monkeypatch.chdir(tmp_path if "/" in typed else folder)
    assert check(Path(typed)) == []
    (shuffler, *_) = load_host(Path(typed)).tables[0].devices
    assert shuffler.address == f"serial://{tmp_path}/run/dev/shuffler?baud=115200"


TYPED = (
    Edit("table", "osdp-badge-reader", "keyboard-badge-reader"),
    Edit("table", "serial:///dev/serial/by-id/badges?baud=9600", "usb://0c2e:0b61/901"),
    Edit("table", "osdp_address = 1", 'keyboard = "de"\nbadge_characters = 10'),
)


def test_a_reader_that_types_needs_its_map_and_the_length_of_a_badge(tmp_path: Path) -> None:
    assert check(write_config(tmp_path, *TYPED)) == []
    bare = (*TYPED[:2], Edit("table", "osdp_address = 1", ""))
    keys = {mistake.key for mistake in check(write_config(tmp_path, *bare))}
    assert keys == {"devices[2].keyboard", "devices[2].badge_characters"}


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"de"', '"fr"', "devices[2].keyboard"),
        ("= 10", "= 33", "devices[2].badge_characters"),
        ("badge_characters = 10", "badge_characters = 10\nosdp_address = 1", "devices[2].osdp_address"),
        ("usb://0c2e:0b61/901", "tcp://reader:4001", "devices[2].address"),
    ],
)
def test_what_a_reader_that_types_cannot_have(tmp_path: Path, old: str, new: str, key: str) -> None:
    (mistake,) = check(write_config(tmp_path, *TYPED, Edit("table", old, new)))
    assert mistake.key == key


def test_keys_of_typing_mean_nothing_for_osdp(tmp_path: Path) -> None:
    (mistake,) = check(write_config(tmp_path, Edit("table", "osdp_address = 1", 'osdp_address = 1\nkeyboard = "us"')))
    assert mistake.key == "devices[2].keyboard"


def test_production_is_told_that_anybody_can_type(tmp_path: Path) -> None:
    mistakes = check(write_config(tmp_path, *TYPED, PRODUCTION))
    assert [(mistake.key, mistake.is_refused) for mistake in mistakes] == [("devices[2].driver", False)]


def test_a_device_behind_usbip_counts_as_simulated(tmp_path: Path) -> None:
    """BR-070."""
    edits = Edit("table", "usb://1234:abcd/000777", "usb://1234:abcd/000777?usbip=127.0.0.1:3240"), PRODUCTION
    assert "devices[1].address" in {mistake.key for mistake in check(write_config(tmp_path, *edits))}


SIGN = """
[[devices]]
name = "sign"
role = "display"
driver = "alpha-sign"
address = "serial:///dev/serial/by-id/sign?baud=9600&format=7E1"
serial_number = "S-1"
model = "BetaBrite"
display_characters = 13
"""
PAGE_ADDRESS = ("serial:///dev/serial/by-id/sign?baud=9600&format=7E1", "http://127.0.0.1:8378")


def display(*changes: tuple[str, str]) -> Edit:
    text = SIGN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Edit("table", "", text)


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("display_characters = 13", 'display_characters = 13\ncaption = "Prémio"'),),
        (("alpha-sign", "tdl-display"), ("?baud=9600&format=7E1", "?baud=115200")),
        (("alpha-sign", "display-page"), PAGE_ADDRESS),
        (("alpha-sign", "display-page"), PAGE_ADDRESS, ("= 13", '= 13\ncaption = "多寶"')),
    ],
)
def test_a_sound_display_is_taken(tmp_path: Path, changes: tuple[tuple[str, str], ...]) -> None:
    host = write_config(tmp_path, display(*changes))
    assert check(host) == []
    (house,) = [house_of(load_host(host), table, 1) for table in load_host(host).tables]
    assert [(shown.name, shown.characters) for shown in house.displays] == [("sign", 13)]


@pytest.mark.parametrize(
    ("changes", "key", "problem"),
    [
        ((("display_characters = 13\n", ""),), "display_characters", "is missing"),
        ((("= 13", "= 5"),), "display_characters", "5"),
        ((("= 13", '= 13\ncaption = "Prémio Mistério"'),), "caption", "takes 15 characters, and 13 fit"),
        ((("= 13", '= 13\ncaption = "Não"'),), "caption", "'ã', which is not in the display's code page"),
        ((("= 13", '= 13\ncaption = "€"'),), "caption", "'€', which is not"),
        ((("= 13", '= 13\nsign_address = "1"'),), "sign_address", "1"),
        ((("alpha-sign", "display-page"),), "address", "is not http://HOST:PORT"),
        ((("alpha-sign", "tdl-display"), ("= 13", '= 13\ncaption = "Hi"')), "caption", "means nothing"),
        ((("alpha-sign", "tdl-switch-box"),), "driver", "drives no display"),
    ],
)
def test_what_a_display_cannot_be_or_draw_is_said_with_its_key(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], key: str, problem: str
) -> None:
    """BR-059, BR-060: already when the file is checked, not when the first guest looks up."""
    found = [one for one in check(write_config(tmp_path, display(*changes))) if (one.key or "").endswith(key)]
    assert found, check(write_config(tmp_path, display(*changes)))
    assert any(problem in one.problem for one in found), found


PORT = """
[[devices]]
name = "proof"
role = "firmware_port"
driver = "gat-firmware-port"
address = "serial:///dev/serial/by-id/proof?baud=9600"
serial_number = "000123-G"
model = "CSM-SIM"
of = "shuffler"
firmware_list = "firmware.toml"
"""


def test_a_sound_firmware_port_is_taken(tmp_path: Path) -> None:
    (tmp_path / "firmware.toml").write_text(listing(example_firmware()), "utf-8")
    host = write_config(tmp_path, Edit("table", "", PORT))
    assert check(host) == []
    (table,) = load_host(host).tables
    assert house_of(load_host(host), table, 1).others == ("proof",)
    assert table.devices[-1].firmware_list == str(tmp_path / "firmware.toml")


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ('of = "shuffler"\n', "", "of", "is missing"),
        ('of = "shuffler"', 'of = "shufler"', "of", "is no device of this table"),
        ('of = "shuffler"', 'of = "proof"', "of", "is no device of this table"),
        ('firmware_list = "firmware.toml"\n', "", "firmware_list", "is missing"),
        ("firmware.toml", "none.toml", "firmware_list", "No such file"),
        ("firmware.toml", "table.toml", "firmware_list", "table.toml"),
        ('model = "CSM-SIM"', 'model = "CSM"', "model", 'nothing is listed of "CSM"'),
        ("gat-firmware-port", "alpha-sign", "driver", "drives no firmware_port"),
        ("serial:///dev/serial/by-id/proof?baud=9600", "usb://1234:5678/1", "address", "does not speak over usb"),
    ],
)
def test_what_a_firmware_port_lacks_is_said_with_its_key(
    tmp_path: Path, old: str, new: str, key: str, problem: str
) -> None:
    (tmp_path / "firmware.toml").write_text(listing(example_firmware()), "utf-8")
    assert old in PORT
    mistakes = check(write_config(tmp_path, Edit("table", "", PORT.replace(old, new))))
    assert [problem in one.problem for one in mistakes if one.key == f"devices[3].{key}"] == [True], mistakes
