"""What every link offers: chunks in, bytes out, one end (shape after `asyncio.Protocol`, less its options).

A link is used once: `start`, any number of `write`, one end. The keeper opens the next. A link never
interprets: chunks come in whatever sizes the cable made of them ("a read is not a message", design rule 3).
"""

from __future__ import annotations

from typing import Protocol

# A writer waits above HIGH bytes not yet taken by the operating system, and goes on below LOW.
# 16 kB is 1.4 s of 115,200 baud: more would only hide a peer that does not read.
HIGH_WATER_BYTES = 16_384
LOW_WATER_BYTES = 4_096


class LinkClosed(ConnectionError):
    """The cable is gone or the link was closed; its text is for the technician."""


class LinkRefused(ConnectionError):
    """The link could not be opened: says what, why and what to do next."""


class LinkAbsent(LinkRefused):
    """Nobody is there: no such node, no such device, nobody answers at the address."""


class LinkForbidden(LinkRefused):
    """The operating system or the broker does not let this account in."""


class LinkBusy(LinkRefused):
    """Somebody else holds the cable, by name where that can be known."""


class Receiver(Protocol):
    """Who takes what a link brings. Called in the event loop, never concurrently."""

    def chunk_received(self, chunk: bytes) -> None:
        """Some bytes, of any size above zero; on a message link one whole message."""

    def link_lost(self, reason: Exception) -> None:
        """The end: called exactly once for a started link, also after `close`."""


class Link(Protocol):
    """One open cable."""

    @property
    def address(self) -> str:
        """The address it was opened with, without secrets."""

    @property
    def is_message_based(self) -> bool:
        """True where one write is one message to the peer (MQTT), False on a byte stream."""

    @property
    def is_simulated(self) -> bool:
        """True where the cable itself shows that no real device is behind it (pty, loopback, emulator id)."""

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver chunks. Called once."""

    async def write(self, data: bytes) -> None:
        """Hand bytes over; waits only while the peer takes none. Raises `LinkClosed`.

        A cancelled write counts as sent: some or all of the bytes may go out.
        """

    def pause_reading(self) -> None:
        """Take no more from the cable until `resume_reading`: back-pressure reaches the device."""

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""

    async def close(self) -> None:
        """End it within 1 s, unsent bytes discarded. May be called again and by anybody.

        When it returns, the receiver has been told and the cable is free for the next opening; only where the
        operating system keeps hold of it for longer than a second, the freeing goes on by itself.
        """
