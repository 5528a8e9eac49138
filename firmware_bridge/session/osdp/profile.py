"""What is set for a bus and for each station, and the times that hold for all (docs/protocols/osdp.md, *Timing*)."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.osdp.frame import CONFIGURATION_ADDRESS
from firmware_bridge.wire.osdp.secure import BaseKey

POLL_PERIOD_S = 0.2  # taps are human
PROMPTED_PERIOD_S = 0.05  # somebody was asked to tap: he shall see the answer at once
PROMPTED_FOR_S = 2.0
REPLY_TIMEOUT_S = 0.2  # a peripheral begins its answer within 200 ms (standard)
PIECES_APART_S = 0.02  # an operating system hands the pieces of one reply over in its own rhythm
LATE_LOOP_S = 0.05  # an event loop later than this says nothing about a station
MISSES_BEFORE_PROBING = 3
PROBE_WAITS_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
OFF_LINE_AFTER_S = 8.0  # standard; shorter ones were too eager in the field (libosdp 140)
# A lost channel is made again at once; then slower, but never the 600 s that kept readers away in the field.
CHANNEL_WAITS_S = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
WRONG_DEVICE_WAIT_S = 60.0  # somebody must change the device or the configuration
LISTEN_FIRST_S = 0.1  # what lay in the cable before we spoke is nobody's answer (BR-006)
TURNAROUND_CHARACTERS = 2  # the line changes its driver between two frames

BITS_PER_CHARACTER = 10  # 8N1
FRAME_MAX = 256  # more than any reply that we ask for; bounds what a damaged length can hold up
FTDI_LATENCY_S = 0.016  # the commonest adapter's latency timer, unless it has been set low


@dataclass(frozen=True, slots=True)
class LineProfile:
    """The cable: its speed, and how long the adapter may keep bytes back."""

    baud: int = 9_600
    adapter_latency_s: float = FTDI_LATENCY_S

    def wire_s(self, characters: int) -> float:
        """How long so many bytes take on the wire."""
        return characters * BITS_PER_CHARACTER / self.baud


@dataclass(frozen=True, slots=True)
class StationProfile:
    """One peripheral: where, who, and how it is secured.

    `key` None is the plain channel. With `is_install_mode` a station that has only the default key is given
    `key`; otherwise it is refused. `serial` is compared with PDID where it is set.
    """

    address: int
    key: BaseKey | None = None
    is_install_mode: bool = False
    serial: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.address < CONFIGURATION_ADDRESS:
            raise ValueError(f"OSDP address {self.address}: 0 to {CONFIGURATION_ADDRESS - 1} are stations' addresses")
        if self.is_install_mode and self.key is None:
            raise ValueError(f"OSDP address {self.address}: install mode needs the key that shall be installed")
