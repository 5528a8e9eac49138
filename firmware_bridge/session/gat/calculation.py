"""One calculation, from *initiate* to the whole result: status walk, then frame by frame (docs/protocols/gat.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.session.gat.session import GatSession
from firmware_bridge.wire.gat.codes import Calculation, Format
from firmware_bridge.wire.gat.messages import Initiate, InitiateAck, Results, ResultsQuery, Status

# gsa-p0093: a host asks about once a second.
ASK_AGAIN_S = 1.0
# Digests of gigabytes on a small processor take minutes; nobody waits for more than half an hour.
CALCULATION_LIMIT_S = 1_800.0
# The largest result that is taken: some thousand components; 65,535 frames would be 16 MB.
MAX_RESULT_BYTES = 1_000_000

# Told at each look: how the calculation stands.
Progress = Callable[[Status], None]


class NotTold(Exception):
    """The device answers, and tells no result: says why and what to do."""


async def calculate(
    session: GatSession, asked: Initiate, form: Format, progress: Progress = lambda _status: None
) -> bytes:
    """The whole result of one calculation. Raises NotTold, SessionOver."""
    await _begin(session, asked)
    await _until_done(session, progress)
    last = await session.last_status()
    if last.level != asked.level:
        raise NotTold(
            f"level {last.level:02X}h was calculated last, and {asked.level:02X}h was asked for: somebody else asks "
            "this device too; leave one of you at it"
        )
    return await _fetch(session, form)


async def _begin(session: GatSession, asked: Initiate) -> None:
    """It takes the place of whatever is calculated, so a copy of it does no harm."""
    answer = await session.ask(asked, InitiateAck)
    if answer.is_level_unknown:
        raise NotTold(f"the device knows no level {asked.level:02X}h: its firmware cannot be proved this way")
    if not answer.is_accepted:
        raise NotTold("the device will not calculate now; ask again when it stands idle")


async def _until_done(session: GatSession, progress: Progress) -> None:
    """requested → calculating → done. Raises NotTold where it goes another way."""
    try:
        async with asyncio.timeout(CALCULATION_LIMIT_S):
            while True:
                status = await session.status()
                progress(status)
                if status.is_done:
                    return
                if status.calculation is Calculation.FAILED:
                    raise NotTold("the device says that its calculation failed; ask again, then call its maker")
                if status.calculation is Calculation.IDLE:
                    raise NotTold("the device has forgotten what it calculated: it was started anew; ask again")
                await asyncio.sleep(ASK_AGAIN_S)
    except TimeoutError:
        raise NotTold(f"not calculated within {CALCULATION_LIMIT_S:g} s; start the device anew") from None


async def _fetch(session: GatSession, form: Format) -> bytes:
    """Every frame of the result, in order; one that does not come, or comes out of turn, is asked for again."""
    result, number = bytearray(), 1
    while True:
        frame = await _one(session, form, number)
        if frame.is_failed:
            raise NotTold(f"the device says that frame {number} of its result is faulty; ask again")
        result += frame.data
        if frame.is_last:
            return bytes(result)
        if len(result) > MAX_RESULT_BYTES or not frame.data:
            raise NotTold(f"the result has no end ({len(result)} bytes after {number} frames); call the device's maker")
        number += 1


async def _one(session: GatSession, form: Format, number: int) -> Results:
    return await session.ask(ResultsQuery(form, number), Results, lambda frame: frame.number == number)
