"""Virtual time: an event loop whose clock starts at 0 and jumps to the next timer when nothing is ready.

It refuses everything that lives in real time (threads, sockets, child processes), so that nobody mixes the two.
"""

from __future__ import annotations

import asyncio
import math
import random
import selectors
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NoReturn, TypeVar

import pytest

T = TypeVar("T")

# A loop that turns this often at one instant will never move on: a day's load at one instant takes some thousand.
STANDSTILL_TURNS = 1_000_000

# Sums and differences of two times of a day differ by less than this.
ROUNDING_S = 1e-6

REFUSED = {
    "run_in_executor": "a thread",
    "add_reader": "a file descriptor",
    "add_writer": "a file descriptor",
    "add_signal_handler": "a signal",
    "create_connection": "a socket",
    "create_server": "a socket",
    "create_unix_connection": "a socket",
    "create_unix_server": "a socket",
    "create_datagram_endpoint": "a socket",
    "connect_accepted_socket": "a socket",
    "start_tls": "a socket",
    "sock_recv": "a socket",
    "sock_recv_into": "a socket",
    "sock_recvfrom": "a socket",
    "sock_recvfrom_into": "a socket",
    "sock_sendall": "a socket",
    "sock_sendto": "a socket",
    "sock_connect": "a socket",
    "sock_accept": "a socket",
    "sock_sendfile": "a socket",
    "connect_read_pipe": "a pipe",
    "connect_write_pipe": "a pipe",
    "subprocess_exec": "a child process",
    "subprocess_shell": "a child process",
}


class RealTimeRefused(RuntimeError):
    """Something of the real world was asked for in virtual time."""


class DeadLock(RuntimeError):
    """Nothing is ready and no timer is set: the tasks named here would wait for ever."""


class Standstill(RuntimeError):
    """The loop turns and turns at one instant: the tasks named here are busy for ever."""


class _JumpingSelector(selectors.SelectSelector):
    """Instead of waiting for descriptors, tells the loop how long it would have waited."""

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._jump(timeout)
        return []


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time; `time()` is in seconds since its start."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._turns_at_now = 0
        self._home_thread = threading.get_ident()
        super().__init__(_JumpingSelector(self._jump))
        self._ring_on_time()

    def time(self) -> float:
        return self._now_s

    def call_soon_threadsafe(self, callback: Callable[..., object], *args: Any, **options: Any) -> asyncio.Handle:
        if threading.get_ident() != self._home_thread:
            raise RealTimeRefused(_refusal("call_soon_threadsafe", "another thread"))
        return self.call_soon(callback, *args, **options)

    def _jump(self, timeout_s: float | None) -> None:
        if timeout_s is None:
            raise DeadLock(f"nothing is ready and no timer is set at {self._now_s:.3f} s; waiting:{_waiting(self)}")
        if timeout_s > 0:
            self._now_s = self._due_after(timeout_s)
            self._ring_on_time()
            self._turns_at_now = 0
            return
        self._turns_at_now += 1
        if self._turns_at_now > STANDSTILL_TURNS:
            raise Standstill(f"{STANDSTILL_TURNS} turns at {self._now_s:.3f} s; tasks:{_waiting(self)}")

    def _ring_on_time(self) -> None:
        """Timers ring at their time, not one nanosecond early as in the base loop.

        A real clock moves on by itself; here whoever looks and finds that his time has not come would set his timer
        again, and it would ring at the same instant for ever.
        """
        self._clock_resolution = math.ulp(self._now_s)

    def _due_after(self, timeout_s: float) -> float:
        """The next timer's own time: a sum could miss it by a rounding."""
        due_s: float = self._scheduled[0].when()  # type: ignore[attr-defined]  # the base loop's heap of timers
        is_next = abs(self._now_s + timeout_s - due_s) < ROUNDING_S
        return due_s if is_next else self._now_s + timeout_s


def _refusal(name: str, what: str) -> str:
    return (
        f"{name} in virtual time: {what} lives in real time. Use the in-loop twin (memory link, fake USB device, "
        "synchronous journal), or write a real-time test without the jumping loop"
    )


def _refuse(name: str, what: str) -> Callable[..., NoReturn]:
    def refused(self: JumpingLoop, *args: object, **options: object) -> NoReturn:
        raise RealTimeRefused(_refusal(name, what))

    refused.__name__ = name
    return refused


for _name, _what in REFUSED.items():
    setattr(JumpingLoop, _name, _refuse(_name, _what))


def _waiting(loop: asyncio.AbstractEventLoop) -> str:
    tasks = sorted(asyncio.all_tasks(loop), key=lambda task: task.get_name())
    return "".join(f"\n  {task.get_name()}: {_where(task)}" for task in tasks) or " no task"


def _where(task: asyncio.Task[Any]) -> str:
    """The innermost line that the task has reached, following what it awaits."""
    awaited: Any = task.get_coro()
    place = "not begun"
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            place = f"{frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})"
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return place


def run_virtual(main: Coroutine[Any, Any, T], *, seed: int = 0) -> T:
    """Run a coroutine in virtual time from 0, with the global random seeded for the while."""
    state = random.getstate()
    random.seed(seed)
    try:
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            return runner.run(main)
    finally:
        random.setstate(state)


@pytest.fixture
def virtual_loop() -> Iterator[JumpingLoop]:
    """A jumping loop for tests that are not coroutines themselves; those take the mark `virtual_time`."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, JumpingLoop)
        yield loop
