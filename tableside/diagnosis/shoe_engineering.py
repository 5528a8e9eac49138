"""Telling an Angel Eye shoe something, by a technician in engineering mode; the daemon never does (angel-eye.md).

A command goes out once. Only where the shoe itself says that its check was wrong, so that it did nothing, is it sent
with the check's other span: sources do not agree on which one shoes want.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from firmware_bridge.links.base import Link
from firmware_bridge.session.angel_eye import Answer, Said, ShoeSession, Unreadable
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.angel_eye.codes import Refusal
from firmware_bridge.wire.angel_eye.commands import Command
from firmware_bridge.wire.angel_eye.copies import Copies


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a command: its answer (None: nobody knows), and whether its check covered STX."""

    answer: Answer | None
    bcc_includes_stx: bool


class _Done(Exception):
    """The conversation is over."""


async def tell(connect: Callable[[], Awaitable[Link]], command: Command, spans: tuple[bool, ...]) -> Told:
    """Send it on a line of its own, with the first span; with the next one where the check was refused.

    Raises SessionOver, LinkRefused.
    """
    for span in spans:
        told = Told(await _once(connect, command, span), span)
        is_check_refused = told.answer is not None and told.answer.code == Refusal.CHECK
        if not is_check_refused:
            break
    return told


async def _once(connect: Callable[[], Awaitable[Link]], command: Command, span: bool) -> Answer | None:
    session = ShoeSession(await connect(), LinkCounts(), Copies(), _unheard, is_engineering=True, bcc_includes_stx=span)
    found: list[Answer | None] = []

    async def ask() -> None:
        await asyncio.sleep(0)  # the session listens before anything is said
        found.append(await session.command(command))
        raise _Done

    try:
        await run_together(session.run(), ask())
    except _Done:
        return found[0]


async def _unheard(_said: Said | Unreadable) -> None:
    """What the shoe tells meanwhile is the daemon's to hear: it tells each thing once it is back on the line."""
