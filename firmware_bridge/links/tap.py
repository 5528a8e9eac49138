"""A tap on any link: what passes goes into a recording, and on."""

from __future__ import annotations

from firmware_bridge.links.base import Link, Receiver
from firmware_bridge.links.recording import Direction, RecordingWriter


class TapLink:
    """The tapped link; it behaves as the link below it."""

    def __init__(self, link: Link, recording: RecordingWriter) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self._link = link
        self._recording = recording

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver and to record."""
        self._link.start(_Listener(receiver, self._recording))

    async def write(self, data: bytes) -> None:
        """Recorded before it is handed on: a write that is cancelled counts as sent. Raises `LinkClosed`."""
        self._recording.note(Direction.OUT, data)
        await self._link.write(data)

    def pause_reading(self) -> None:
        """As the link below."""
        self._link.pause_reading()

    def resume_reading(self) -> None:
        """As the link below."""
        self._link.resume_reading()

    async def close(self) -> None:
        """As the link below; the recording's file stays its owner's to close."""
        await self._link.close()


class _Listener:
    def __init__(self, receiver: Receiver, recording: RecordingWriter) -> None:
        self._receiver = receiver
        self._recording = recording

    def chunk_received(self, chunk: bytes) -> None:
        self._recording.note(Direction.IN, chunk)
        self._receiver.chunk_received(chunk)

    def link_lost(self, reason: Exception) -> None:
        self._recording.note(Direction.END, str(reason).encode())
        self._receiver.link_lost(reason)
