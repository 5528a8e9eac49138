"""Serial ports: pyserial opens, sets and locks; the bytes then move as `descriptor` does it."""

from __future__ import annotations

import errno
import os
import stat
import termios
from pathlib import Path

import serial

from firmware_bridge.links.address_kinds import SerialSettings
from firmware_bridge.links.apart import open_apart
from firmware_bridge.links.base import LinkAbsent, LinkBusy, LinkForbidden, LinkRefused
from firmware_bridge.links.descriptor import DescriptorLink
from firmware_bridge.links.holder import holder_of, rights_of

# Linux: major numbers of the slave sides of pseudo-terminals.
PSEUDO_TERMINAL_MAJORS = range(136, 144)

_ABSENT = {errno.ENOENT, errno.ENXIO, errno.ENODEV}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_BUSY = {errno.EBUSY, errno.EAGAIN}  # EAGAIN: somebody else has the lock


async def open_serial(node: str, settings: SerialSettings | None = None, *, address: str = "") -> DescriptorLink:
    """An opened, locked port with an empty input (BR-006). Raises `LinkRefused` and its kinds."""
    settings = settings or SerialSettings()
    address = address or f"serial://{node}"
    port = await open_apart(lambda: _open_port(node, settings), what=address, undo=serial.Serial.close)
    descriptor = port.fileno()
    is_pty = os.major(os.fstat(descriptor).st_rdev) in PSEUDO_TERMINAL_MAJORS
    return DescriptorLink(descriptor, address=address, is_simulated=is_pty, release=port.close)


def _open_port(node: str, settings: SerialSettings) -> serial.Serial:
    port = serial.Serial(
        baudrate=settings.baud,
        bytesize=settings.data_bits,
        parity=settings.parity,
        stopbits=settings.stop_bits,
        timeout=0,
        exclusive=True,  # a lock that each of us respects (BR-062); TIOCEXCL would outlive us on a pty
    )
    port.port = node
    port.dtr = settings.dtr
    port.rts = settings.rts
    try:
        port.open()
        _refine(port.fileno())
    except (OSError, ValueError, termios.error) as error:
        port.close()
        raise _refusal(node, settings, error) from error
    return port


def _refine(descriptor: int) -> None:
    """What pyserial leaves open. No hang-up at close (BR-023), and a read of nothing is not an end of file."""
    attributes = termios.tcgetattr(descriptor)
    attributes[2] &= ~termios.HUPCL
    attributes[6][termios.VMIN] = 1
    attributes[6][termios.VTIME] = 0
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
    os.set_blocking(descriptor, False)
    termios.tcflush(descriptor, termios.TCIFLUSH)


def _refusal(node: str, settings: SerialSettings, error: Exception) -> LinkRefused:
    number = _number_of(error)
    if number in _ABSENT:
        return LinkAbsent(f"{node} is not there: plug the device in and power it. Ports here: {_ports_here()}")
    if number in _FORBIDDEN:
        return LinkForbidden(f"{node} may not be opened: {rights_of(node)}")
    if number in _BUSY:
        holder = holder_of(node) or "another process, which cannot be named from here"
        return LinkBusy(f"{node} is held by {holder}. End that, or ask it instead of the port")
    if number == errno.ENOTTY or not _is_character_device(node):
        return LinkRefused(f"{node} is not a serial port. Ports here: {_ports_here()}")
    return LinkRefused(f"{node} cannot be set to {settings.text}: {error}. Check speed and format in the address")


def _number_of(error: BaseException | None) -> int | None:
    """The operating system's number of an error; pyserial hides that of termios in the context of its own."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if isinstance(error, termios.error) and error.args and isinstance(error.args[0], int):
            return error.args[0]
        error = error.__context__
    return None


def _is_character_device(node: str) -> bool:
    try:
        return stat.S_ISCHR(os.stat(node).st_mode)
    except OSError:
        return False


def _ports_here() -> str:
    by_id = Path("/dev/serial/by-id")
    names = sorted(str(path) for path in by_id.glob("*")) if by_id.is_dir() else []
    return ", ".join(names) or "none with a lasting name (/dev/serial/by-id/…)"
