"""A link that notes when the bytes in question are handed to the session."""

from __future__ import annotations

import time

from firmware_bridge.links.base import Link, Receiver


class StampingLink:
    """Another link, which notes when the chunk with the bytes `awaited` is handed to the receiver: `handed_ns`."""

    def __init__(self, link: Link) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self.write = link.write
        self.pause_reading = link.pause_reading
        self.resume_reading = link.resume_reading
        self.close = link.close
        self.awaited = b""
        self.handed_ns = 0
        self._link = link

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver, stamped."""
        self._receiver = receiver
        self._link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        """From the other link."""
        if self.awaited in chunk:
            self.handed_ns = time.perf_counter_ns()
        self._receiver.chunk_received(chunk)

    def link_lost(self, reason: Exception) -> None:
        """From the other link."""
        self._receiver.link_lost(reason)
