"""The same question at other speeds, and to other addresses: asked where a port is ours and its device is silent.

Each is a question that every device of its kind answers and that changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from firmware_bridge.links.address import open_link, parse_address
from firmware_bridge.links.address_kinds import SerialAddress, Surroundings
from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.session.tdl.hello import hello_body
from firmware_bridge.wire.alpha.codes import Special
from firmware_bridge.wire.alpha.commands import read_special
from firmware_bridge.wire.alpha.packet import Packet, encode_packet
from firmware_bridge.wire.cctalk.acceptor import command as cctalk_command
from firmware_bridge.wire.cctalk.codes import FIRST_ACCEPTOR, MAX_ADDRESS, Header
from firmware_bridge.wire.cctalk.frame import encode as encode_cctalk
from firmware_bridge.wire.gat.frame import encode_frame as encode_gat
from firmware_bridge.wire.gat.messages import StatusQuery, encode_message
from firmware_bridge.wire.modbus.codes import HIGHEST_UNIT, LOWEST_UNIT, Function
from firmware_bridge.wire.modbus.frame import Frame as ModbusFrame
from firmware_bridge.wire.modbus.messages import Read, encode_question
from firmware_bridge.wire.modbus.rtu import encode_rtu
from firmware_bridge.wire.osdp.codes import CommandCode
from firmware_bridge.wire.osdp.frame import MARK, encode_frame
from firmware_bridge.wire.osdp.frame import Frame as OsdpFrame
from firmware_bridge.wire.pn532.codes import WAKE_UP
from firmware_bridge.wire.pn532.commands import get_firmware_version
from firmware_bridge.wire.pn532.frame import encode as encode_pn532
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame as TdlFrame
from firmware_bridge.wire.tdl.stream import encode_stream
from tableside.diagnosis.buses import answering, without_own
from tableside.diagnosis.speech import ALPHA, CCTALK, GAT, MODBUS_RTU, OSDP, PN532, TDL
from tableside.diagnosis.strangers import frames_of

# The usual ones, most usual first; a device of a table speaks at one of them.
SPEEDS = (9_600, 115_200, 19_200, 38_400, 57_600, 4_800, 230_400)
# An answer of 100 bytes at 4,800 baud takes 0.2 s, and a slow device thinks for as long.
ANSWER_S = 0.6
# OSDP: a reader answers within 20 ms as a rule; its whole frame at 9,600 baud takes 30 ms, an adapter 16 ms. ccTalk
# acceptors and I/O boards answer sooner, and with fewer bytes.
STATION_ANSWER_S = 0.1
# By bus, where stations may be; acceptors stand at 2 and 11 to 17 as a rule.
_ACCEPTORS = (FIRST_ACCEPTOR, *range(11, 18))
STATIONS: Mapping[str, Sequence[int]] = {
    OSDP: range(127),
    CCTALK: (*_ACCEPTORS, *(each for each in range(FIRST_ACCEPTOR, MAX_ADDRESS + 1) if each not in _ACCEPTORS)),
    MODBUS_RTU: range(LOWEST_UNIT, HIGHEST_UNIT + 1),
}
_LOOK_AGAIN_S = 0.02

Notice = Callable[[str], None]


def strange_epoch() -> int:
    """Nobody's: a device that obeys its own host answers, and takes neither permits nor commands (TDL 4.3)."""
    return secrets.randbelow(0xFFFF_FFFE) + 1


def _hello(_station: int) -> bytes:
    body = hello_body(secrets.token_bytes(8), strange_epoch())
    return encode_stream(TdlFrame(MessageType.HELLO, 0, 1, secrets.randbelow(0xFFFF) + 1, body))


def _who_are_you(station: int) -> bytes:
    frame = OsdpFrame(address=station, is_reply=False, sequence=0, code=CommandCode.ID, data=b"\x00")
    return bytes((MARK,)) + encode_frame(frame)


def _first_input(unit: int) -> bytes:
    """A board without inputs refuses, which is an answer."""
    return encode_rtu(ModbusFrame(unit, encode_question(Read(Function.READ_INPUTS, 0, 1))))


# By what is spoken on the cable; of the others nothing is known that every one of them answers.
QUESTIONS: Mapping[str, Callable[[int], bytes]] = {
    TDL: _hello,
    OSDP: _who_are_you,
    GAT: lambda _station: encode_gat(encode_message(StatusQuery())),
    CCTALK: lambda station: encode_cctalk(cctalk_command(station, Header.SIMPLE_POLL)),
    MODBUS_RTU: _first_input,
    PN532: lambda _station: WAKE_UP + encode_pn532(get_firmware_version()),
    ALPHA: lambda _station: encode_packet(Packet((read_special(Special.GENERAL),))),
}


async def other_speed(address: str, profile: str, station: int, notice: Notice) -> int | None:
    """The speed at which it answers, where it does not at that of its address; None: at none of the usual ones."""
    parsed = parse_address(address)
    if not isinstance(parsed, SerialAddress) or profile not in QUESTIONS:
        return None
    for baud in SPEEDS:
        if baud == parsed.settings.baud:
            continue
        notice(f"asking at {baud} baud")
        other = replace(parsed, settings=replace(parsed.settings, baud=baud))
        asked = await _asked(lambda other=other: other.open(address, Surroundings()), profile, [station], ANSWER_S)  # type: ignore[misc]  # bound now, not later
        if asked is not None:
            return baud
    return None


async def other_station(address: str, profile: str, ours: int, notice: Notice) -> int | None:
    """An address on this bus at which somebody answers; None: at none, or the cable is no bus."""
    others = [station for station in STATIONS.get(profile, ()) if station != ours]
    if not others:
        return None
    notice(f"asking every address of the bus, {len(others) * STATION_ANSWER_S:.0f} s at most")
    return await _asked(lambda: open_link(address), profile, others, STATION_ANSWER_S)


async def _asked(
    open_it: Callable[[], Awaitable[Link]], profile: str, stations: Sequence[int], limit_s: float
) -> int | None:
    """The first station that answers, asked one after the other over one link."""
    try:
        link = await open_it()
    except LinkRefused:
        return None
    heard = _Heard()
    link.start(heard)
    try:
        for station in stations:
            heard.data.clear()
            question = QUESTIONS[profile](station)
            await link.write(question)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_s):
                    while not _has_answered(profile, station, question, bytes(heard.data)):  # noqa: ASYNC110 - bytes come in any pieces
                        await asyncio.sleep(_LOOK_AGAIN_S)
                    return station
    except LinkClosed:
        return None
    finally:
        await link.close()
    return None


def _has_answered(profile: str, station: int, question: bytes, heard: bytes) -> bool:
    """Not with our own question (BR-005), and of a bus this very station: the one before may only be late (BR-011)."""
    theirs = without_own(profile, [question], heard)
    return station in answering(profile, theirs) if profile in STATIONS else frames_of(profile, theirs) > 0


class _Heard:
    """Keeps what comes."""

    def __init__(self) -> None:
        self.data = bytearray()

    def chunk_received(self, chunk: bytes) -> None:
        self.data += chunk

    def link_lost(self, reason: Exception) -> None:
        """Whoever writes next finds out."""
