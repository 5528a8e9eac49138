"""Addresses of devices: what they say, and every mistake with what is allowed."""

from __future__ import annotations

import pytest

from firmware_bridge.links.address import SCHEMES, AddressError, Surroundings, open_link, parse_address
from firmware_bridge.links.address_kinds import (
    MemoryAddress,
    SerialAddress,
    SerialSettings,
    TcpAddress,
    UsbAddress,
)
from firmware_bridge.links.base import LinkAbsent
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.links.mqtt_address import MqttAddress, MqttsAddress


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("serial:///dev/serial/by-id/usb-X_1", SerialAddress("/dev/serial/by-id/usb-X_1")),
        ("serial:///dev/ttyS0?baud=9600", SerialAddress("/dev/ttyS0", SerialSettings(9600))),
        (
            "serial:///dev/ttyS0?format=7E2&dtr=off&rts=off",
            SerialAddress("/dev/ttyS0", SerialSettings(115_200, 7, "E", 2, dtr=False, rts=False)),
        ),
        ("serial:///a%20name", SerialAddress("/a name")),
        ("tcp://shuffler-7.lan:4001", TcpAddress("shuffler-7.lan", 4001)),
        ("tcp://[::1]:4001", TcpAddress("::1", 4001)),
        ("usb://1209:0001/SN0001", UsbAddress(0x1209, 1, "SN0001")),
        ("usb://0C2E:0B61/?port=1-1.4", UsbAddress(0x0C2E, 0x0B61, "", "1-1.4")),
        ("usb://1209:0001/S?usbip=127.0.0.1:3240", UsbAddress(0x1209, 1, "S", server=("127.0.0.1", 3240))),
        ("mqtt://broker/casino/pit-3/csm-12", MqttAddress("broker", 1883, "casino/pit-3", "csm-12")),
        ("mqtt://[::1]:1884/tdl/csm", MqttAddress("::1", 1884, "tdl", "csm")),
        (
            "mqtts://broker/pit-1/wall?certificates=/etc/keys&name=BJ-07",
            MqttsAddress("broker", 8883, "pit-1", "wall", "/etc/keys", "BJ-07"),
        ),
        ("memory://t7", MemoryAddress("t7")),
    ],
)
def test_what_an_address_says(text: str, parsed: object) -> None:
    assert parse_address(text) == parsed


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("", ["kind of link '' is not known, allowed: "]),
        ("seriel:///dev/x", ["did you mean serial?"]),
        ("/dev/ttyUSB0", ["kind of link ''"]),
        ("serial://dev/ttyS0", ["three slashes"]),
        ("serial:///", ["names a node"]),
        (
            "serial:///dev/ttyS0?bauds=1&format=9X3&dtr=up&rts=on&rts=on#x",
            ["did you mean baud?", "format '9X3'", "dtr 'up'", "'rts' is given twice", "follows a #"],
        ),
        ("serial:///dev/ttyS0?baud=115201", ["baud '115201'", "9600"]),
        ("serial:///dev/ttyS0?baud=fast&baud=9600", ["baud 'fast'", "given twice"]),
        ("tcp://host", ["port must be a number from 1 to 65535"]),
        ("tcp://host:0", ["port must be"]),
        ("tcp://host:70000", ["port must be"]),
        ("tcp://:4001", ["host is missing"]),
        ("tcp://me:secret@host:1/path?x=1", ["passwords do not stand in an address", "'/path'", "setting 'x'"]),
        ("tcp://[::1:5", ["Invalid IPv6"]),
        ("usb://1209/", ["four hexadecimal digits each", "serial number is missing"]),
        ("usb://1209:00g1/a/b?x=y", ["four hexadecimal digits each", "serial number is missing", "setting 'x'"]),
        ("usb://1209:0001/S?port=1-1", ["leave the port out"]),
        ("usb://1209:0001/?port=COM3", ["as the kernel names it"]),
        ("usb://1209:0001/S?usbip=10.0.0.7:3240", ["on this machine only"]),
        ("mqtt://broker/csm", ["a prefix and a device follow"]),
        ("mqtt://broker:x/a/+/c?qos=2", ["the port must be", "without + and #", "setting 'qos'"]),
        ("mqtt://broker/$SYS/csm", ["do not begin with $"]),
        ("mqtts://broker/pit-1/wall", ["?certificates=FOLDER", "&name=NAME"]),
        ("mqtts://broker/wall?certificates=k&name=../x&user=me", ["a prefix and", "&name=NAME", "setting 'user'"]),
        ("mqtt://broker/pit-1/wall?certificates=k", ["setting 'certificates'"]),
        ("memory://", ["one name"]),
    ],
)
def test_every_mistake_is_said_with_what_is_allowed(text: str, mistakes: list[str]) -> None:
    with pytest.raises(AddressError) as refused:
        parse_address(text)
    assert len(refused.value.mistakes) >= len(mistakes)
    for mistake in mistakes:
        assert mistake in str(refused.value)


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_the_form_is_told_with_each_mistake(scheme: str) -> None:
    with pytest.raises(AddressError, match=f"its form is {scheme}://"):
        parse_address(f"{scheme}://?nonsense=1")


def test_a_secret_in_an_address_is_not_repeated() -> None:
    with pytest.raises(AddressError) as refused:
        parse_address("tcp://me:secret@host:1")
    assert "secret" not in str(refused.value).replace("file of secrets", "")


@pytest.mark.parametrize(
    ("node", "is_advised"),
    [("/dev/ttyUSB0", True), ("/dev/ttyACM12", True), ("/dev/serial/by-id/usb-1", False), ("/dev/ttyS0", False)],
)
def test_a_name_that_may_change_is_advised_against(node: str, is_advised: bool) -> None:
    """BR-021: the system numbers these in the order of plugging in."""
    assert (SerialAddress(node).advice is not None) == is_advised


def test_settings_in_a_technicians_words() -> None:
    assert SerialSettings(9600).text == "9600 8N1"


async def test_a_memory_address_finds_who_answers_by_name() -> None:
    near, _ = memory_pair("t7")
    assert await open_link("memory://t7", Surroundings(memory={"t7": lambda: near})) is near
    with pytest.raises(LinkAbsent, match="names here: t7"):
        await open_link("memory://t8", Surroundings(memory={"t7": lambda: near}))
