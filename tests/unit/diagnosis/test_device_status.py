"""How far each kind of device is believed, and since when nothing came."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware_bridge.clock import NS_PER_MS, LoopClock
from firmware_bridge.links.recording import Direction
from tableside.configuration.device_rules import DRIVERS
from tableside.configuration.shape import Device, DeviceRole
from tableside.devices import DeviceLevels
from tableside.diagnosis.device_status import TELLS_ITSELF, Trust, device_status, trust_of
from tableside.diagnosis.traces import Cable
from tests.support.jumping_loop import JumpingLoop

READER = Device(
    name="badges",
    role=DeviceRole.BADGE_READER,
    driver="osdp-badge-reader",
    address="serial:///dev/x",
    serial_number="901",
    model="PD",
)
HERE = DeviceLevels(is_connected=True, serial="901", model="PD", firmware="1.2")


def test_a_reader_is_authenticated_by_its_key_and_while_it_is_here() -> None:
    keyed = replace(READER, osdp_key_file="key")
    assert trust_of(keyed, HERE) is Trust.AUTHENTICATED
    assert trust_of(keyed, replace(HERE, is_secure=False)) is Trust.SELF_REPORTED
    assert trust_of(keyed, replace(HERE, is_connected=False)) is Trust.SELF_REPORTED
    assert trust_of(READER, HERE) is Trust.SELF_REPORTED, "without a key a channel proves nothing"


@pytest.mark.parametrize(
    ("driver", "trust"),
    [
        ("tdl-continuous-shuffler", Trust.SELF_REPORTED),
        ("gat-firmware-port", Trust.SELF_REPORTED),
        ("blink1-lamp", Trust.SELF_REPORTED),
        ("alpha-sign", Trust.ANONYMOUS),
        ("retrofit-shuffler", Trust.ANONYMOUS),
        ("angel-eye-shoe", Trust.ANONYMOUS),
        ("display-page", Trust.ANONYMOUS),
        ("one that nobody has judged", Trust.ANONYMOUS),
    ],
)
def test_who_says_nothing_of_itself_is_anonymous(driver: str, trust: Trust) -> None:
    """A driver that nobody has judged is believed least."""
    assert trust_of(replace(READER, driver=driver), HERE) is trust


def test_the_drivers_that_are_believed_exist() -> None:
    assert set(DRIVERS) >= TELLS_ITSELF


def test_identity_and_the_time_of_the_last_byte_stand_beside_the_links_health() -> None:
    loop = JumpingLoop()
    try:
        cable = Cable("osdp", LoopClock(loop, wall_start_ns=0))
        never = device_status(READER, None, {"is_connected": False}, cable, 0)
        assert (never["silent_ms"], never["serial"], never["firmware"]) == (None, "901", "")
        cable.note(Direction.OUT, b"asked")
        assert cable.heard_ns is None, "what we say is no sign of life"
        cable.note(Direction.IN, b"answered")
        now = device_status(READER, HERE, {"is_connected": True}, cable, (cable.heard_ns or 0) + 250 * NS_PER_MS)
        assert (now["silent_ms"], now["firmware"], now["is_connected"]) == (250, "1.2", True)
    finally:
        loop.close()
