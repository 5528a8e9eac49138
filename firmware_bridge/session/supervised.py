"""Tasks that live and die together (BR-026)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import NoReturn

from firmware_bridge.session.endings import SessionOver


async def run_together(*parts: Coroutine[None, None, NoReturn]) -> NoReturn:
    """Run parts that never end by themselves; when one fails all are cancelled and its exception is raised.

    Where several fail at once, one that nobody foresaw is raised before the end of a session.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            for part in parts:
                tasks.create_task(part)
    except BaseExceptionGroup as group:
        raise _first_cause(group) from None
    raise RuntimeError("a part that never ends has ended; every part of a session runs until cancelled")


def _first_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    unforeseen = [error for error in group.exceptions if not isinstance(error, SessionOver)]
    return (unforeseen or list(group.exceptions))[0]
