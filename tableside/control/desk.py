"""The desk: takes messages for all tables of the host to the table that they name. No sockets here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import msgspec

from drivers.firmware.gat_port import GatPort
from firmware_bridge.clock import Clock
from firmware_bridge.wire.gat.messages import Status
from tableside.control.acts import OF_HOST, OF_SECTION
from tableside.control.answers import (
    Answer,
    EndLine,
    ProofLine,
    StreamLine,
    TraceLine,
    Word,
    line_of,
    of_request,
    refused,
    told,
)
from tableside.control.curtain import Curtain
from tableside.control.message import HISTORY, SUBSCRIBE, TRACE, VERIFY_FIRMWARE, WHY, Act, Read
from tableside.control.pin_desk import PinDesk, PinWrong
from tableside.control.views import (
    SELF_REPORTED,
    alerts_view,
    entry_view,
    finding_view,
    heard_view,
    history_view,
    proof_view,
    state_view,
)
from tableside.decisions import RequestAnswered
from tableside.diagnosis.evidence import Evidence
from tableside.diagnosis.speech import REDACTION
from tableside.diagnosis.traces import Cable
from tableside.diagnosis.why import why
from tableside.journal.reading import PAGE_ROWS
from tableside.journal.record import RecordKind
from tableside.journal.store import Journal
from tableside.outputs.texts import Texts
from tableside.requests import AnyRequest
from tableside.state import TableState

# A commit of 5 s locks the table; who waits longer than this is told that nobody knows yet.
ANSWER_LIMIT_S = 30.0
_ROWS = frozenset({RecordKind.INPUT, RecordKind.DECISION})

Write = Callable[[bytes], Awaitable[None]]


class TableStopped(Exception):
    """The table takes no requests any more; its text says why."""


class Table(Protocol):
    """What the desk needs of a running table."""

    name: str
    section: str
    texts: Texts
    curtain: Curtain

    @property
    def state(self) -> TableState: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def published(self) -> int:
        """Number of the last row that the table's listeners, the curtain among them, have seen."""

    @property
    def stopped(self) -> str:
        """Why the table takes no requests any more; empty while it runs."""

    @property
    def blind(self) -> tuple[int, str] | None:
        """Since when (monotonic ns) nothing can be recorded, so that everything is locked, and why."""

    async def ask(self, request: AnyRequest) -> RequestAnswered:
        """Raises `TableStopped`."""

    async def until_news(self, after: int) -> None:
        """Wait until a row above `after` is published."""

    def knows(self, staff: str) -> bool: ...

    def cable(self, device: str) -> Cable | None: ...

    def evidence(self, device: str) -> Evidence | None: ...

    def firmware_port(self, device: str) -> GatPort | None: ...

    @property
    def device_names(self) -> tuple[str, ...]: ...

    @property
    def firmware_ports(self) -> tuple[str, ...]: ...

    @property
    def cables(self) -> tuple[str, ...]: ...

    def health(self) -> dict[str, object]: ...


class About(msgspec.Struct, frozen=True):
    """What the daemon says of itself."""

    host: str
    version: str
    profile: str
    pid: int


class Desk:
    """Answers messages. `health` tells how the process is."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        pins: PinDesk,
        clock: Clock,
        about: About,
        health: Callable[[], dict[str, object]],
    ) -> None:
        self._tables = tables
        self._pins = pins
        self._clock = clock
        self._about = about
        self._health = health

    async def answer(self, message: Read | Act) -> Answer:
        """The one answer to a message; a subscription is begun by `stream`."""
        if isinstance(message, Act):
            return await self._act(message)
        return READS[message.act](self, message)

    def table_of(self, message: Read | Act) -> Table | Answer:
        """The table that is meant, or why that cannot be told."""
        if not message.table and len(self._tables) == 1:
            return next(iter(self._tables.values()))
        table = self._tables.get(message.table)
        if table is not None:
            return table
        text = f'there is no table "{message.table}"' if message.table else "no table is named"
        return refused(message.id, message.table, text, f"name one of {', '.join(self._tables)}")

    # --- acts ---------------------------------------------------------------------------------------------------

    async def _act(self, act: Act) -> Answer:
        try:
            second_way = await self._pins.proved(act.pins)
        except PinWrong as wrong:
            return refused(act.id, act.table, str(wrong), wrong.next_step)
        request = act.request(second_way)
        if act.kind in OF_SECTION:
            return await self._act_of_section(act, request)
        if act.kind in OF_HOST:
            return await self._act_of_host(act, request)
        table = self.table_of(act)
        return table if isinstance(table, Answer) else await ask_table(table, act.staff, request)

    async def _act_of_section(self, act: Act, request: AnyRequest) -> Answer:
        section = act.section
        if not section:
            table = self.table_of(act)
            if isinstance(table, Answer):
                return table
            section = table.section
        tables = [table for table in self._tables.values() if table.section == section]
        if not tables:
            known = ", ".join(sorted({table.section for table in self._tables.values()}))
            return refused(act.id, "", f'there is no section "{section}" here', f"name one of {known}")
        answers = await asyncio.gather(*(ask_table(table, act.staff, request) for table in tables))
        worst = next((answer for answer in answers if answer.answer is not Word.ACCEPTED), answers[0])
        return msgspec.structs.replace(worst, tables=tuple(answers) if len(answers) > 1 else ())

    async def _act_of_host(self, act: Act, request: AnyRequest) -> Answer:
        """Done where one table has done it: whom a table's list of staff lacks has no business there."""
        answers = await asyncio.gather(*(ask_table(table, act.staff, request) for table in self._tables.values()))
        best = next((answer for answer in answers if answer.answer is Word.ACCEPTED), answers[0])
        return msgspec.structs.replace(best, tables=tuple(answers) if len(answers) > 1 else ())

    # --- reads --------------------------------------------------------------------------------------------------

    def _hello(self, read: Read) -> Answer:
        tables = [
            {"table": table.name, "section": table.section, "stopped": table.stopped} for table in self._tables.values()
        ]
        return told(read.id, {**msgspec.to_builtins(self._about), "tables": tables})

    def status(self, name: str = "") -> dict[str, object]:
        """How the daemon is, with the table of this name, or all."""
        tables = {each: table.health() for each, table in self._tables.items() if name in ("", each)}
        return {**msgspec.to_builtins(self._about), **self._health(), "tables": tables}

    def _status(self, read: Read) -> Answer:
        return told(read.id, self.status(read.table))

    def _state(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        view = state_view(table.state, table.texts, table.curtain, self._clock.now(), table.blind)
        return told(read.id, {**view, "row": table.published, "stopped": table.stopped}, table.name)

    def _alerts(self, read: Read) -> Answer:
        """Of all tables where none is named: a supervisor has several."""
        if read.table and isinstance(table := self.table_of(read), Answer):
            return table
        now = self._clock.now()
        views = [
            view
            for name, table in self._tables.items()
            if read.table in ("", name)
            for view in alerts_view(table.state, table.texts, now)
        ]
        return told(read.id, views, read.table)

    def _subscribe(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        return told(read.id, {"after": _after(read, table)}, table.name)

    def _history(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        return told(read.id, {"after": read.after or 0, "until": table.published}, table.name)

    def _trace(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        cable = table.cable(read.device)
        if cable is None:
            text = f'there is no cable of "{read.device}" at {table.name}'
            return refused(read.id, table.name, text, f"name one of {', '.join(table.cables)}")
        what = {"profile": cable.profile, "is_message_based": cable.is_message_based, "redaction": REDACTION}
        return told(read.id, what, table.name)

    def _why(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        evidence = table.evidence(read.device)
        if evidence is None:
            text = f'there is no device "{read.device}" at {table.name}'
            return refused(read.id, table.name, text, f"name one of {', '.join(table.device_names)}")
        return told(read.id, finding_view(evidence, why(evidence)), table.name)

    def _verify_firmware(self, read: Read) -> Answer:
        table = self.table_of(read)
        if isinstance(table, Answer):
            return table
        if table.firmware_port(read.device) is None:
            known = ", ".join(table.firmware_ports) or "none: it has none"
            text = f'"{read.device}" is no port of {table.name} that proves firmware'
            return refused(read.id, table.name, text, f"name one of {known}")
        return told(read.id, {"trust": SELF_REPORTED}, table.name)

    async def stream(self, read: Read, write: Write) -> None:
        """What a read has promised, until cancelled. Ends where there is no such table or cable."""
        table = self.table_of(read)
        if not isinstance(table, Answer):
            await STREAMED[read.act](read, table, write)


async def _stream_rows(read: Read, table: Table, write: Write) -> None:
    """Every row above `after`, from the journal, at the reader's own pace: a reader is a cursor over the journal."""
    after = _after(read, table)
    while True:
        await table.until_news(after)
        end = table.published
        for record in table.journal.records(after, _ROWS):
            if record.seq > end:
                break  # the curtain has not seen it yet
            view = entry_view(record, table.name, table.curtain, table.texts)
            await write(line_of(StreamLine(id=read.id, entry=view)))
        after = end


async def _stream_history(read: Read, table: Table, write: Write) -> None:
    """The rows of some types as they stand now, then the number of the last one that was looked at."""
    end, wanted = table.published, frozenset(read.types)
    for looked, record in enumerate(table.journal.records(read.after or 0), 1):
        if record.seq > end:
            break
        if not wanted or record.type in wanted or record.kind is RecordKind.GENESIS:
            view = history_view(record, table.curtain)
            await write(line_of(StreamLine(id=read.id, entry=view)))
        elif not looked % PAGE_ROWS:
            await asyncio.sleep(0)  # nobody else waits longer than one page takes
    await write(line_of(EndLine(id=read.id, end=end)))


async def _stream_trace(read: Read, table: Table, write: Write) -> None:
    """Every message of a cable; what a slow reader misses is counted."""
    cable = table.cable(read.device)
    if cable is None:
        return
    with cable.listening() as ear:
        while True:
            heard = await ear.next()
            if missed := ear.take_missed():
                await write(line_of(TraceLine(id=read.id, missed=missed)))
            await write(line_of(TraceLine(id=read.id, trace=heard_view(heard))))


async def _stream_proof(read: Read, table: Table, write: Write) -> None:
    """What the machine tells while it reckons, once each; then the proof, which goes on where the reader hangs up."""
    port = table.firmware_port(read.device)
    if port is None:
        return
    said: asyncio.Queue[str] = asyncio.Queue()
    proving = asyncio.ensure_future(port.prove(lambda status: said.put_nowait(_progress(status))))
    proving.add_done_callback(lambda _proof: said.put_nowait(""))
    last = ""
    while progress := await said.get():
        if progress != last:
            await write(line_of(ProofLine(id=read.id, progress=progress)))
        last = progress
    await write(line_of(ProofLine(id=read.id, proof=proof_view(await proving))))


def _progress(status: Status) -> str:
    return "done" if status.is_done else status.calculation.name.lower()


def _after(read: Read, table: Table) -> int:
    return table.published if read.after is None else read.after


async def ask_table(table: Table, staff: str, request: AnyRequest) -> Answer:
    """A request's answer, or why the table cannot be asked; `staff` must be known there where it is named."""
    if table.stopped:
        return refused(
            request.id, table.name, f"the table is stopped: {table.stopped}", "call the technician", rule="CSM-8"
        )
    if staff and not table.knows(staff):
        text = f'"{staff}" is not known at table {table.name}'
        return refused(request.id, table.name, text, "act under your own staff id, or tell who keeps the list of staff")
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            return of_request(table.name, await table.ask(request))
    except TableStopped as stopped:
        return refused(request.id, table.name, f"the table has stopped: {stopped}", "call the technician", rule="CSM-8")
    except TimeoutError:
        text = f"not answered within {ANSWER_LIMIT_S:g} s: nobody knows yet whether it will be done"
        step = "ask again with the same id"
        return Answer(id=request.id, answer=Word.UNKNOWN, table=table.name, text=text, next_step=step)


READS: Mapping[str, Callable[[Desk, Read], Answer]] = {
    "hello": Desk._hello,
    "status": Desk._status,
    "state": Desk._state,
    "alerts": Desk._alerts,
    "subscribe": Desk._subscribe,
    HISTORY: Desk._history,
    "trace": Desk._trace,
    VERIFY_FIRMWARE: Desk._verify_firmware,
    WHY: Desk._why,
}
STREAMED: Mapping[str, Callable[[Read, Table, Write], Awaitable[None]]] = {
    SUBSCRIBE: _stream_rows,
    HISTORY: _stream_history,
    TRACE: _stream_trace,
    VERIFY_FIRMWARE: _stream_proof,
}
