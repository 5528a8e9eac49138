"""The one end of a link: the first reason stands, and the receiver hears of it exactly once."""

from __future__ import annotations

import asyncio

from firmware_bridge.links.base import LinkClosed, Receiver


class Ending:
    """State of a link's end; shared by every link so that "exactly once" is written once."""

    __slots__ = ("_address", "_loop", "_receiver", "_told", "reason")

    def __init__(self, address: str) -> None:
        self._address = address
        self.reason: LinkClosed | None = None
        self._receiver: Receiver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """True from the first reason on."""
        return self.reason is not None

    def started(self, receiver: Receiver) -> None:
        """The link has a receiver now; one that ended before it was started tells it at once."""
        if self._receiver is not None:
            raise RuntimeError("a link is started once; open another one")
        self._loop = asyncio.get_running_loop()
        self._receiver = receiver
        if self.reason is not None:
            self._loop.call_soon(self._tell, self._receiver, self.reason)

    def end(self, reason: Exception) -> bool:
        """Note why the link ended; True for the first reason, which alone is told, as a `LinkClosed` with its cause.

        The receiver is called in a later turn of the loop, so that nobody is called from within its own call.
        """
        if self.reason is not None:
            return False
        self.reason = reason if isinstance(reason, LinkClosed) else self._named(reason)
        if self._loop is not None and self._receiver is not None:
            self._loop.call_soon(self._tell, self._receiver, self.reason)
        return True

    def check(self) -> None:
        """Raise `LinkClosed` when the link is over."""
        if self.reason is not None:
            raise self.error()

    def error(self) -> LinkClosed:
        """What a write on a link that is over raises: a new one each time, so that tracebacks do not grow."""
        error = LinkClosed(str(self.reason))
        error.__cause__ = self.reason
        return error

    async def told(self) -> None:
        """Wait until the receiver of a started link has heard of the end."""
        if self._receiver is not None:
            await self._told.wait()

    def _tell(self, receiver: Receiver, reason: LinkClosed) -> None:
        self._told.set()
        receiver.link_lost(reason)

    def _named(self, reason: Exception) -> LinkClosed:
        named = LinkClosed(f"{self._address}: {str(reason) or type(reason).__name__}")
        named.__cause__ = reason
        return named
