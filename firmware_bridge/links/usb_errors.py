"""What a USB error means: told apart by its class and by libusb's own code, never by errno.

errno differs between systems and is None for some; pyusb has a class for time-outs alone. libusb's codes (libusb.h)
are the same everywhere, and our own backends raise them too.
"""

from __future__ import annotations

from enum import Enum, auto

import usb.core


class UsbCause(Enum):
    """Why a request was not done."""

    TIMEOUT = auto()
    STALLED = auto()  # the device refuses the request, or has halted the endpoint
    GONE = auto()
    BUSY = auto()
    FORBIDDEN = auto()
    OTHER = auto()


# LIBUSB_ERROR_…
ACCESS, NO_DEVICE, NOT_FOUND, BUSY, TIMEOUT, PIPE = -3, -4, -5, -6, -7, -9

_BY_CODE = {
    ACCESS: UsbCause.FORBIDDEN,
    NO_DEVICE: UsbCause.GONE,
    NOT_FOUND: UsbCause.GONE,
    BUSY: UsbCause.BUSY,
    TIMEOUT: UsbCause.TIMEOUT,
    PIPE: UsbCause.STALLED,
}


def cause_of(error: Exception) -> UsbCause:
    """Why, as far as it is told."""
    if isinstance(error, usb.core.USBTimeoutError):
        return UsbCause.TIMEOUT
    if isinstance(error, usb.core.USBError):
        return _BY_CODE.get(error.backend_error_code, UsbCause.OTHER)
    return UsbCause.OTHER
