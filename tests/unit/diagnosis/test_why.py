"""The walk from port to identity on what was counted and heard: the first step that fails is the answer."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.lamps.modbus_lamp import LampCoils
from firmware_bridge.links.recording import Direction, Entry
from firmware_bridge.wire.cctalk.acceptor import command, reply
from firmware_bridge.wire.cctalk.codes import Header
from firmware_bridge.wire.cctalk.frame import encode
from firmware_bridge.wire.gat.frame import encode_frame
from firmware_bridge.wire.gat.messages import StatusQuery, encode_message
from firmware_bridge.wire.modbus.frame import Frame as ModbusFrame
from firmware_bridge.wire.modbus.rtu import encode_rtu
from firmware_bridge.wire.osdp.frame import MARK
from simulator.uart import misread
from tableside.configuration.shape import Device, DeviceRole
from tableside.diagnosis.buses import without_own
from tableside.diagnosis.evidence import JUST_BEGUN_NS, WINDOW_NS, Evidence, of_last_connection, station_of
from tableside.diagnosis.strangers import READABLE, TALKERS, is_starting, stranger
from tableside.diagnosis.why import Cause, Step, why
from tests.vectors import osdp as osdp_vectors
from tests.vectors import tdl as tdl_vectors

NS_PER_S = 1_000_000_000
ASKED = bytes.fromhex("000301050134")
GOOD = b"".join(vector.stream for vector in tdl_vectors.load())
OSDP_REPLY = osdp_vectors.ALL_BYTES[1]
POLL, POLL_3 = (encode(command(station, Header.SIMPLE_POLL)) for station in (2, 3))
REPLY_OF_3 = encode(reply(3))
ASK_2 = encode_rtu(ModbusFrame(2, bytes.fromhex("0200000001")))
ANSWER_OF_1 = encode_rtu(ModbusFrame(1, bytes.fromhex("020101")))
OSDP_ASKED = bytes((MARK,)) + osdp_vectors.ALL_BYTES[0]


def evidence(
    heard: bytes = b"",
    ended_by: str = "silent",
    *,
    sent: bytes = ASKED,
    profile: str = "tdl",
    station: int | None = None,
    other_speed: int | None = None,
    other_station: int | None = None,
    is_connected: bool = False,
    address: str = "serial:///dev/x",
) -> Evidence:
    entries = [Entry(0, Direction.OUT, sent)] if sent else []
    entries += [Entry(1, Direction.IN, heard)] if heard else []
    return Evidence(
        device="shuffler",
        address=address,
        profile=profile,
        serial="000123",
        model="CSM",
        is_connected=is_connected,
        ended_by=ended_by,
        why_away="as it was said",
        entries=tuple(entries),
        station=station,
        other_speed=other_speed,
        other_station=other_station,
    )


@pytest.mark.parametrize(
    ("given", "step", "cause"),
    [
        (evidence(ended_by="absent"), Step.PORT, Cause.ADAPTER),
        (evidence(ended_by="absent", address="tcp://10.0.0.7:4001"), Step.PORT, Cause.NETWORK),
        (evidence(ended_by="refused"), Step.PORT, Cause.ADAPTER),
        (evidence(ended_by="link_lost"), Step.PORT, Cause.ADAPTER),
        (evidence(ended_by="forbidden"), Step.PORT, Cause.RIGHTS),
        (evidence(ended_by="busy"), Step.PORT, Cause.PORT_TAKEN),
        (evidence(sent=b"", ended_by="no_page", address="http://127.0.0.1:8378"), Step.PORT, Cause.NO_PAGE),
        (evidence(sent=b"", ended_by="refused", address="http://127.0.0.1:8378"), Step.PORT, Cause.PORT_TAKEN),
        (evidence(ended_by="stuck"), Step.OUR_BYTES, Cause.STUCK),
        (evidence(), Step.THEIR_BYTES, Cause.NO_POWER_OR_CABLE),
        (evidence(sent=b""), Step.THEIR_BYTES, Cause.NO_POWER_OR_CABLE),
        (evidence(other_speed=9_600), Step.THEIR_BYTES, Cause.SPEED),
        (evidence(ASKED), Step.THEIR_BYTES, Cause.ECHO),
        (evidence(bytes(3)), Step.FRAMES, Cause.WIRES_CROSSED),
        (evidence(b"\r\nU-Boot 2012.10\r\nHit any key"), Step.FRAMES, Cause.STILL_BOOTING),
        (evidence(b"$GPGGA,123519,4807.038,N\r\n"), Step.FRAMES, Cause.OTHER_DEVICE),
        (evidence(OSDP_REPLY), Step.FRAMES, Cause.OTHER_DEVICE),
        (evidence(misread(GOOD[:80], 9_600, 38_400)), Step.FRAMES, Cause.SPEED),
        (evidence(profile="osdp", station=1, other_station=5), Step.THEIR_BYTES, Cause.ADDRESS),
        (evidence(OSDP_REPLY, profile="osdp", station=7), Step.ADDRESS, Cause.ADDRESS),
        (evidence(POLL * 3, "", sent=POLL * 3, profile="cctalk", station=2), Step.THEIR_BYTES, Cause.NO_POWER_OR_CABLE),
        (evidence(POLL, other_station=3, sent=POLL, profile="cctalk", station=2), Step.THEIR_BYTES, Cause.ADDRESS),
        (evidence(POLL + REPLY_OF_3, "", sent=POLL, profile="cctalk", station=2), Step.ADDRESS, Cause.ADDRESS),
        (evidence(POLL_3 + REPLY_OF_3, "", sent=POLL_3, profile="cctalk", station=3), None, Cause.UNKNOWN),
        (evidence(REPLY_OF_3), Step.FRAMES, Cause.OTHER_DEVICE),
        (evidence(ANSWER_OF_1, "", sent=ASK_2, profile="modbus-rtu", station=2), Step.ADDRESS, Cause.ADDRESS),
        (evidence(ASK_2, "", sent=ASK_2, profile="modbus-rtu", station=2), Step.THEIR_BYTES, Cause.NO_POWER_OR_CABLE),
        (evidence(OSDP_ASKED, sent=OSDP_ASKED, profile="osdp", station=1), Step.THEIR_BYTES, Cause.NO_POWER_OR_CABLE),
        (evidence(OSDP_REPLY, "wrong_key", profile="osdp", station=1), Step.KEY, Cause.KEY),
        (evidence(GOOD, "wrong_device"), Step.IDENTITY, Cause.OTHER_DEVICE),
        (evidence(GOOD, "wrong_version"), Step.IDENTITY, Cause.VERSION),
        (evidence(GOOD, "other_host"), Step.IDENTITY, Cause.OTHER_HOST),
        (evidence(GOOD, "unanswered"), None, Cause.UNKNOWN),
        (evidence(is_connected=True), None, Cause.NOTHING),
        (evidence(sent=b"", profile="angel eye", is_connected=True), Step.THEIR_BYTES, Cause.UNKNOWN),
        (evidence(REPLY_OF_3, sent=b"", profile="angel eye", is_connected=True), Step.FRAMES, Cause.OTHER_DEVICE),
    ],
    ids=lambda each: str(getattr(each, "value", ""))[:30],
)
def test_the_first_step_that_fails_names_the_cause(given: Evidence, step: Step | None, cause: Cause) -> None:
    finding = why(given)
    assert (finding.step, finding.named_cause) == (step, cause), finding
    assert finding.line.startswith(f"shuffler: {cause}")
    assert finding.next_step
    before = [walked for walked, _ in finding.walked]
    assert before == list(Step)[: len(before)]
    if step is not None:
        assert list(Step)[len(before)] is step, "every step before it was walked"


@pytest.mark.parametrize("cut", range(1, len(POLL)))
def test_an_echo_of_which_a_piece_is_missing_is_an_echo(cut: int) -> None:
    """BR-005: what is looked at begins and ends anywhere; the last byte alone of a frame is anybody's."""
    for heard in (POLL[: -cut or None], POLL + POLL[:cut], *([POLL[cut:] + POLL] if cut < len(POLL) - 1 else [])):
        assert without_own("cctalk", [POLL], heard) == b"", heard.hex()
    assert without_own("cctalk", [POLL], POLL + REPLY_OF_3 + POLL[:cut]).startswith(REPLY_OF_3)


def test_what_a_mark_leaves_behind_is_nobodys_answer_and_an_answer_stays_whole() -> None:
    assert without_own("osdp", [OSDP_ASKED], OSDP_ASKED * 2) == b""
    assert without_own("osdp", [OSDP_ASKED], OSDP_ASKED + OSDP_REPLY).endswith(OSDP_REPLY)
    assert without_own("tdl", [ASKED], ASKED) == ASKED, "elsewhere an echo is what is wrong"


@pytest.mark.parametrize(
    ("fields", "station"),
    [
        ({"osdp_address": 0}, 0),
        ({"cctalk_address": 11}, 11),
        ({"coils": LampCoils(unit=7, red=0, amber=1, blue=2)}, 7),
        ({}, None),
    ],
)
def test_a_station_is_where_the_tables_file_has_it(fields: dict[str, Any], station: int | None) -> None:
    device = Device(
        name="x", role=DeviceRole.LAMP, driver="x", address="serial:///x", serial_number="1", model="M", **fields
    )
    assert station_of(device) == station


SAID_BY = {
    "a GPS receiver (NMEA 0183)": b"$GNRMC,1,A,2,N,3,E*00\r\n",
    "a ship's or weather instrument (NMEA 0183)": b"$WIMWV,120,R,5.5,M,A*2F\r\n",
    "a modem (AT commands)": b"\r\nNO CARRIER\r\n",
    "a milling machine (Grbl)": b"Grbl 1.1h ['$' for help]\r\n",
    "a 3D printer (Marlin)": b"echo:Unknown command\nok T:20\n",
    "a scale": b"ST,GS,+00012.5kg\r\n",
    "a computer's console (login)": b"Debian GNU/Linux table ttyS0\n\ntable login: ",
    "a switch or router (console)": b"Press RETURN to get started!\r\n",
    "a measuring instrument (SCPI)": b"KEITHLEY,MODEL 2000,1234567,A02\r\n",
    "a program that tells JSON": b'{"temperature": 21.5}\r\n',
    "a reader of barcodes or cards that types digits": b"4006381333931\r\n",
}


@pytest.mark.parametrize("name", TALKERS)
def test_who_talks_is_named(name: str) -> None:
    assert stranger(SAID_BY[name], "tdl") == name


def test_nineteen_kinds_of_other_devices_are_known() -> None:
    assert len(READABLE) + len(TALKERS) == 19
    assert stranger(b"just some words that nobody knows\r\n", "tdl") == "a device that talks in plain text"


def test_what_we_read_ourselves_is_named_and_never_as_a_stranger_to_itself() -> None:
    assert stranger(GOOD, "osdp") == "a TDL device"
    assert stranger(GOOD, "tdl") == ""
    status = bytes.fromhex("8108035004029F7C")
    assert stranger(status, "tdl") == "a firmware port (GAT)"
    assert stranger(encode_frame(encode_message(StatusQuery())), "tdl") == "", "that is what a host says"


def test_noise_is_nobody() -> None:
    """One byte of yes or no (06, 15) lies in every noise."""
    assert stranger(bytes.fromhex("06 15 8e 06 f3 99 15 c2"), "tdl") == ""


@pytest.mark.parametrize(
    "said",
    [
        b"ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET)",
        b"Starting kernel ...\r\n",
        b"Bootloader v1.2 waiting\r\n",
        b"Press any key to stop autoboot: 3\r\n",
    ],
)
def test_a_starting_system_is_told_from_another_device(said: bytes) -> None:
    assert is_starting(said)
    assert not is_starting(b"$GPGGA,123519,4807.038,N\r\n")


def entries(*said: tuple[float, Direction, bytes]) -> list[Entry]:
    return [Entry(round(at_s * NS_PER_S), direction, data) for at_s, direction, data in said]


def test_the_connection_before_tells_more_than_one_that_has_just_begun() -> None:
    said = entries(
        (0, Direction.OUT, b"a"), (1, Direction.IN, b"b"), (2, Direction.END, b"silent"), (3, Direction.OUT, b"c")
    )
    now_ns = 3 * NS_PER_S
    assert [entry.data for entry in of_last_connection(said, now_ns)] == [b"a", b"b"]
    assert [entry.data for entry in of_last_connection(said, now_ns + JUST_BEGUN_NS)] == [b"c"]


def test_what_was_said_before_a_device_went_silent_is_over() -> None:
    """A bus stands while one of its stations is silent."""
    said = entries((0, Direction.IN, b"old"), (100, Direction.OUT, b"asked"))
    assert [entry.data for entry in of_last_connection(said, 100 * NS_PER_S)] == [b"asked"]
    assert of_last_connection([], WINDOW_NS) == ()
