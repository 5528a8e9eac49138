"""A conversation over channels that come and go: a question is asked again under its id until it is answered."""

from __future__ import annotations

import asyncio
import json

import pytest

from simulator.conditions import Condition, Outlook, at_path
from simulator.speaking import ChannelLost, Conversation
from simulator.watch import Watch

pytestmark = pytest.mark.virtual_time


class Wire:
    """A channel whose other end is the test."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()

    async def write(self, line: bytes) -> None:
        self.sent.append(json.loads(line))

    async def read(self) -> bytes:
        line = await self.lines.get()
        if not line:
            raise ChannelLost("hung up")
        return line

    async def close(self) -> None:
        pass

    def say(self, **message: object) -> None:
        self.lines.put_nowait(json.dumps(message).encode())

    def hang_up(self) -> None:
        self.lines.put_nowait(b"")


class Exchange:
    """Gives out wires, one after the other."""

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self.is_closed = False

    async def connect(self) -> Wire:
        if self.is_closed:
            raise ChannelLost("nobody there")
        self.wires.append(Wire())
        return self.wires[-1]


async def test_a_lost_answer_is_asked_for_again_under_the_same_id() -> None:
    exchange = Exchange()
    conversation = Conversation(exchange.connect, retry_s=1)
    running = asyncio.create_task(conversation.run())
    await conversation.until_open()
    asking = asyncio.create_task(conversation.ask({"id": "a-1", "act": "open-table"}))
    await asyncio.sleep(1)
    exchange.is_closed = True
    exchange.wires[0].hang_up()
    await asyncio.sleep(5)
    assert not conversation.is_open
    exchange.is_closed = False
    await conversation.until_open()
    await asyncio.sleep(0.1)
    assert exchange.wires[0].sent == exchange.wires[1].sent == [{"id": "a-1", "act": "open-table"}]
    exchange.wires[1].say(id="a-1", answer="accepted")
    assert (await asking)["answer"] == "accepted"
    assert conversation.losses == 1
    running.cancel()
    await asyncio.wait({running})


def row(seq: int, kind: str, **body: object) -> dict[str, object]:
    return {"id": "watch", "entry": {"seq": seq, "type": kind, "body": body, "at": "now"}}


async def watching() -> tuple[Watch, Wire, asyncio.Task[None]]:
    exchange = Exchange()
    watch = Watch(exchange.connect, table="T", retry_s=1)
    running = asyncio.create_task(watch.run())
    await watch.line.until_open()
    return watch, exchange.wires[0], running


class Blind:
    async def look(self) -> dict[str, object]:
        return {"lamp": "red steady", "heaps": {"tray": 3}}


async def test_a_watch_follows_rows_alerts_and_rounds_once() -> None:
    watch, wire, running = await watching()
    raised = row(1, "AlertRaised", alert=4, text="JAM-EXIT", place="exit", level=1, asked=["S-201"])
    for message in (
        raised,
        raised,
        row(2, "AlertTaken", alert=4, by="S-201"),
        row(3, "CardsLeft", cards=2),
        row(4, "RoundStarted", round=7),
    ):
        wire.say(**message)
    await asyncio.sleep(0.1)
    assert [each.seq for each in watch.rows] == [1, 2, 3, 4]
    outlook = Outlook(watch, Blind(), since=1)
    assert not await outlook.unmet(
        [
            Condition(alert="JAM-EXIT", asked="S-201", taken_by="S-201"),
            Condition(round=7, dealt=2),
            Condition(row="AlertTaken", has={"by": "S-2"}),
            Condition(no_row="AlertRaised"),
            Condition(seen="lamp", is_="red steady"),
            Condition(seen="heaps.tray", at_least=3, at_most=3),
        ]
    )
    missing = [
        Condition(alert="JAM-EXIT", asked="S-999"),
        Condition(round=7, dealt=3),
        Condition(row="AlertTaken", times=2),
        Condition(no_alert="JAM-EXIT"),
        Condition(cleared="JAM-EXIT"),
        Condition(seen="lamp", is_="off"),
    ]
    assert await outlook.unmet(missing) == missing
    wire.say(**row(5, "AlertCleared", alert=4, by="S-201", why="done"))
    assert not await outlook.until([Condition(cleared="JAM-EXIT"), Condition(no_alert="JAM-EXIT")], 5)
    assert str(Condition(alert="JAM-EXIT", is_="off")) == "alert = 'JAM-EXIT', is = 'off'"
    running.cancel()
    await asyncio.wait({running})


async def test_what_happened_counts_and_what_must_not_be_is_looked_at_in_the_end() -> None:
    watch, wire, running = await watching()
    outlook = Outlook(watch, Blind())
    both = [Condition(alert="JAM-EXIT"), Condition(cleared="JAM-EXIT"), Condition(no_alert="JAM-EXIT")]
    waiting = asyncio.create_task(outlook.until(both, 60))
    await asyncio.sleep(1)
    wire.say(**row(1, "AlertRaised", alert=4, text="JAM-EXIT", place="exit", level=1, asked=["S-201"]))
    await asyncio.sleep(1)
    assert not waiting.done()
    wire.say(**row(2, "AlertCleared", alert=4, by="S-201", why="done"))
    assert await waiting == []
    running.cancel()
    await asyncio.wait({running})


async def test_waiting_ends_when_its_time_is_over_also_where_nobody_answers() -> None:
    watch, _, running = await watching()
    outlook = Outlook(watch, Blind())
    began = asyncio.get_running_loop().time()
    never = [Condition(row="SessionClosed"), Condition(lock="deal:jam exit")]
    assert await outlook.until(never, 30) == never
    assert asyncio.get_running_loop().time() - began == pytest.approx(30)
    running.cancel()
    await asyncio.wait({running})


def test_a_path_leads_through_names_and_numbers_or_nowhere() -> None:
    value = {"rounds": [{"number": 3}], "open": True}
    assert at_path(value, "rounds.0.number") == 3
    assert at_path(value, "rounds.1.number") is None
    assert at_path(value, "open.number") is None
