"""Blocking calls of drivers (open, close) in a thread of their own, with a deadline.

Never in the default executor: there a port that hangs would queue before the jobs of everybody else. The
threads are daemons: a driver that never returns does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from firmware_bridge.links.base import LinkForbidden, LinkRefused

# A driver that takes longer to open is stuck: the device is unpowered or its adapter hangs.
OPEN_TIMEOUT_S = 3.0
# udev sets the rights a moment after the node appears: a refusal is believed only after this long (BR-027).
PERMISSION_GRACE_S = 5.0
PERMISSION_RETRY_S = 0.25

T = TypeVar("T")
X = TypeVar("X")


class _Call(Generic[T]):
    """One call under way: either its waiter gets the result, or `undo` does."""

    def __init__(self, call: Callable[[], T], undo: Callable[[T], object]) -> None:
        self._call = call
        self._undo = undo
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()  # between the call's end and the waiter's giving up
        self._is_awaited = True
        self.future: asyncio.Future[T] = self._loop.create_future()

    def run(self) -> None:
        """In the thread: make the call and hand its result to the loop, or undo it when nobody waits."""
        try:
            result = self._call()
        except Exception as error:
            self._post(self._fail, error)
            return
        if not self._post(self._succeed, result):
            self._undo(result)

    def give_up(self) -> None:
        """In the loop: nobody waits any more."""
        with self._lock:
            self._is_awaited = False
        if self.future.done() and not self.future.cancelled() and self.future.exception() is None:
            self._undo_late(self.future.result())

    def _post(self, deliver: Callable[[X], None], outcome: X) -> bool:
        with self._lock:
            if not self._is_awaited:
                return False
            try:
                self._loop.call_soon_threadsafe(deliver, outcome)
            except RuntimeError:  # the loop is closed: nobody waits
                return False
            return True

    def _succeed(self, result: T) -> None:
        if self._is_awaited and not self.future.done():
            self.future.set_result(result)
        else:
            self._undo_late(result)

    def _fail(self, error: Exception) -> None:
        if self._is_awaited and not self.future.done():
            self.future.set_exception(error)

    def _undo_late(self, result: T) -> None:
        threading.Thread(target=self._undo, args=(result,), name="undo a late result", daemon=True).start()


async def run_apart(
    call: Callable[[], T], *, name: str, timeout_s: float, undo: Callable[[T], object] = lambda result: None
) -> T:
    """The result of a blocking call. Raises what it raises, or `TimeoutError`.

    After the deadline, or when the waiter is cancelled, the call goes on by itself and its late result is handed
    to `undo` (a port that opened too late is closed again).
    """
    under_way = _Call(call, undo)
    threading.Thread(target=under_way.run, name=name, daemon=True).start()
    try:
        async with asyncio.timeout(timeout_s):
            return await under_way.future
    except (TimeoutError, asyncio.CancelledError):
        under_way.give_up()
        raise


async def open_apart(call: Callable[[], T], *, what: str, undo: Callable[[T], object]) -> T:
    """Open a device in a thread of its own. Raises `LinkRefused` and its kinds.

    A refusal of rights is retried silently for five seconds.
    """
    loop = asyncio.get_running_loop()
    believed_from_s = loop.time() + PERMISSION_GRACE_S
    while True:
        try:
            return await run_apart(call, name=f"open {what}", timeout_s=OPEN_TIMEOUT_S, undo=undo)
        except LinkForbidden:
            if loop.time() >= believed_from_s:
                raise
            await asyncio.sleep(PERMISSION_RETRY_S)
        except TimeoutError:
            raise LinkRefused(
                f"{what} did not open within {OPEN_TIMEOUT_S:.0f} s: its driver hangs. "
                "Unplug the device and plug it in anew"
            ) from None
