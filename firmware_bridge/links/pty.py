"""The device side of a pseudo-terminal: what a simulated device on a serial cable holds."""

from __future__ import annotations

import os
import termios
import tty
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.links.descriptor import DescriptorLink

# A terminal's attributes: its speeds stand there as the system's own numbers.
OUTPUT_SPEED = 5
SPEEDS = {
    getattr(termios, f"B{baud}"): baud
    for baud in (1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200, 230_400)
}


@dataclass(frozen=True, slots=True)
class Pty:
    """An open pseudo-terminal: the device's link, and the node that a host opens."""

    link: DescriptorLink
    node: str
    host: int  # the node's descriptor on this side

    @property
    def baud(self) -> int:
        """The speed to which whoever opened the node has set it; 0 where it is no usual one."""
        return SPEEDS.get(termios.tcgetattr(self.host)[OUTPUT_SPEED], 0)


def open_pty(name: Path | None = None) -> Pty:
    """A new pseudo-terminal, reached under `name` where one is given (a symbolic link, replaced if it is there).

    The node stays open on this side too: as on a real cable, the device does not notice a host that leaves.
    Closing the link pulls the cable, and removes the name if it is still ours. Needs a running loop.
    """
    device, host = os.openpty()
    tty.setraw(host)
    os.set_blocking(device, False)
    node = os.ttyname(host)
    if name is not None:
        _point(name, node)

    def release() -> None:
        if name is not None:
            _unpoint(name, node)
        os.close(host)
        os.close(device)

    link = DescriptorLink(device, address=f"serial://{name or node}", is_simulated=True, release=release)
    return Pty(link, node, host)


def _point(name: Path, node: str) -> None:
    """In one step: whoever opens the name finds the old node or the new one."""
    fresh = name.with_name(f".{name.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(node)
    fresh.replace(name)


def _unpoint(name: Path, node: str) -> None:
    try:
        if os.readlink(name) == node:
            name.unlink()
    except OSError:
        return  # removed or replaced meanwhile
