"""Tasks that live and die together (BR-026), and that can always be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import NoReturn

from firmware_bridge.session.endings import SessionOver


class PartEnded(ConnectionError):
    """A part that should have run for ever has ended without an exception."""


async def run_together(*parts: Coroutine[object, object, object]) -> NoReturn:
    """Run parts until the first one ends; then cancel the others, wait for them, and raise what it raised.

    One that just ended raises `PartEnded`. Where several failed at once, one that nobody foresaw is raised before
    the end of a session. A cancel from outside always comes out as one. (A TaskGroup of Python 3.11 swallows it
    where a part fails in the same turn, and a keeper that goes on after its cancel as after any loss can never be
    stopped.)
    """
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await _end(tasks)
    except asyncio.CancelledError:
        await _end(tasks)
        _tell_unforeseen(_errors(tasks))
        raise
    raise _first_cause([*_errors(tasks), PartEnded("a session ended without saying why")])


async def _end(tasks: Sequence[asyncio.Future[object]]) -> None:
    """Cancel and wait, also when cancelled once more meanwhile: no task is left behind."""
    was_cancelled = False
    for task in tasks:
        task.cancel()
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            was_cancelled = True
    if was_cancelled:
        raise asyncio.CancelledError


def _errors(tasks: Sequence[asyncio.Future[object]]) -> list[BaseException]:
    return [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]


def _tell_unforeseen(errors: Sequence[BaseException]) -> None:
    """A cancel leaves no place to raise them; the loop's handler logs what nobody foresaw."""
    for error in errors:
        if not isinstance(error, SessionOver):
            asyncio.get_running_loop().call_exception_handler({"message": "failed while stopping", "exception": error})


def _first_cause(errors: Sequence[BaseException]) -> BaseException:
    unforeseen = [error for error in errors if not isinstance(error, SessionOver | PartEnded)]
    return (unforeseen or errors)[0]
