"""Serves one consumer of one table: rows from the journal into its window, messages out, acknowledgements in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

from tableside.control.desk import Table
from tableside.outputs.northbound.broker import Connection
from tableside.outputs.northbound.cursors import Cursors
from tableside.outputs.northbound.window import Shaper, Window, fitting

# How often cursors go to the disk at most: what a crash forgets is sent again.
KEEP_PERIOD_S = 1.0

Send = Callable[[bytes], Awaitable[None]]


class Delivery:
    """One consumer. `topic` is where it gets its messages at the broker; over HTTP it has none."""

    def __init__(self, consumer: str, table: Table, shaper: Shaper, cursors: Cursors, topic: str = "") -> None:
        self.consumer = consumer
        self.topic = topic
        self.sent = 0
        self._table = table
        self._cursors = cursors
        position = fitting(cursors.position(consumer), self._hash_of)
        self._window = Window(position, shaper)
        self._prefix = f"{table.name}:{table.journal.genesis.epoch:08x}:"
        self._acknowledged = asyncio.Event()

    def health(self) -> dict[str, object]:
        """How far the consumer is, for the technician."""
        window = self._window
        return {
            "acknowledged_row": window.acknowledged.row,
            "behind_rows": self._table.published - window.acknowledged.row,
            "under_way": window.under_way,
            "resent": window.resent,
            "acks_ignored": window.acks_ignored,
        }

    def acknowledge(self, name: str) -> None:
        """The consumer has the message of this id and all before it; one that is not under way is counted."""
        row = name.removeprefix(self._prefix)
        if row == name or not row.isdecimal():
            self._window.acks_ignored += 1
        elif self._window.acknowledge(int(row), _now_s()):
            self._cursors.put(self.consumer, self._window.acknowledged)
            self._acknowledged.set()

    def acknowledge_sent(self, payload: bytes) -> None:
        """Whoever took this message in person has it, and with it all before it."""
        self._window.taken(payload, _now_s())
        self._cursors.put(self.consumer, self._window.acknowledged)
        self._acknowledged.set()

    async def serve(self, connection: Connection) -> NoReturn:
        """Over a broker's connection, until it ends. Raises `LinkClosed`."""
        await self.run(lambda payload: connection.publish(self.topic, payload))

    async def run(self, send: Send) -> NoReturn:
        """Send what is not acknowledged, in order, again where nobody answers; raises what `send` raises."""
        self._window.start_over()
        while True:
            self._acknowledged.clear()
            self._window.again_if_due(_now_s())
            self._fill()
            for sending in self._window.to_send():
                await send(sending.payload)
                self.sent += 1
                self._window.sent(sending, _now_s())
            await self._until_something()

    def _fill(self) -> None:
        end = self._table.published
        if self._window.has_room and self._window.read_to < end:
            self._window.read(self._table.journal.records(self._window.read_to), end)
            self._cursors.put(self.consumer, self._window.acknowledged)

    async def _until_something(self) -> None:
        """News, where there is room for it; an acknowledgement; or the time to send again."""
        waits: list[asyncio.Future[object]] = [asyncio.ensure_future(self._acknowledged.wait())]
        if self._window.has_room:
            waits.append(asyncio.ensure_future(self._table.until_news(self._window.read_to)))
        try:
            await asyncio.wait(waits, timeout=self._window.due_in_s(_now_s()), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _hash_of(self, row: int) -> str | None:
        record = next(self._table.journal.records(row - 1), None)
        return record.hash.hex() if record is not None and record.seq == row else None


async def keep_on(cursors: Cursors) -> NoReturn:
    """Write the cursors where they have changed, until cancelled; then once more."""
    try:
        while True:
            await asyncio.sleep(KEEP_PERIOD_S)
            await cursors.keep()
    finally:
        await cursors.keep()


def _now_s() -> float:
    return asyncio.get_running_loop().time()
