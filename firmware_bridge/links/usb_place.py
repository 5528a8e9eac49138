"""Which USB device is meant: by numbers and serial number, or by the socket where it has none; and what is plugged in.

What the kernel lists is read from sysfs: no rights, no libusb and no udev are needed for that.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

SYSFS = Path("/sys/bus/usb/devices")
# A hub is part of the wiring, not a device that somebody could read from or write to (USB 2.0 §11.23.1).
HUB_CLASS = 0x09


@dataclass(frozen=True, slots=True)
class UsbPlace:
    """A device of a kind, by its serial number, else by its `port` (as the kernel names it: 1-1.4).

    `server`: host and port of the USB/IP server that has it; None: it is plugged in here.
    """

    vendor: int
    product: int
    serial: str = ""
    port: str = ""
    server: tuple[str, int] | None = None

    @property
    def kind(self) -> str:
        return f"{self.vendor:04x}:{self.product:04x}"

    def __str__(self) -> str:
        return f"{self.kind} {self.serial or f'at port {self.port}'}"


@dataclass(frozen=True, slots=True, order=True)
class Plugged:
    """A device that is plugged in. `address` is new each time it comes."""

    port: str
    address: int
    vendor: int
    product: int
    serial: str = ""
    name: str = ""
    device_class: int = 0

    @property
    def is_hub(self) -> bool:
        return self.device_class == HUB_CLASS

    def __str__(self) -> str:
        serial = f" {self.serial}" if self.serial else ""
        name = f" ({self.name})" if self.name else ""
        return f"{self.vendor:04x}:{self.product:04x}{serial}{name} at port {self.port}"


def plugged_in() -> frozenset[Plugged]:
    """Every device that the kernel knows now, hubs among them. A machine without USB has none. Reads sysfs."""
    try:
        folders = [Path(entry) for entry in os.scandir(SYSFS)]
    except OSError:
        return frozenset()
    found = (_plugged(folder) for folder in folders if ":" not in folder.name)
    return frozenset(device for device in found if device is not None)


def _plugged(folder: Path) -> Plugged | None:
    """None: it went while it was read."""
    try:
        return Plugged(
            port=folder.name,
            address=int(_text(folder / "devnum")),
            vendor=int(_text(folder / "idVendor"), 16),
            product=int(_text(folder / "idProduct"), 16),
            serial=_text(folder / "serial", else_=""),
            name=_text(folder / "product", else_=""),
            device_class=int(_text(folder / "bDeviceClass"), 16),
        )
    except (OSError, ValueError):
        return None


def _text(path: Path, else_: str | None = None) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except FileNotFoundError:
        if else_ is None:
            raise
        return else_
