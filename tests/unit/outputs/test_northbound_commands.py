"""Commands over a broker: the few that there are, and everything that is turned away, once, with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.clock import NS_PER_S
from tableside.inputs import CommandTurnedAway, SpaceLow
from tableside.requests import CallSupervisor, ClearAlert
from tableside.rows import what_of
from tests.support.table import WALL_START_NS
from tests.support.twin_broker import TwinBroker
from tests.unit.outputs.test_northbound import BASE, Away, away, eventually

pytestmark = pytest.mark.virtual_time

TOPIC, REPLIES = f"{BASE}/commands/page", f"{BASE}/replies/page"
START = datetime.fromtimestamp(WALL_START_NS // NS_PER_S, UTC)


class Asked:
    """A client called *page*, and what it was answered."""

    def __init__(self, house: Away, broker: TwinBroker) -> None:
        self.house = house
        self.broker = broker
        self.replies: list[dict[str, Any]] = []
        broker.listeners.append(lambda sent: self.replies.append(sent.body) if "/replies/" in sent.topic else None)

    def command(self, **changes: object) -> bytes:
        """A sound stop, issued now, save for `changes`."""
        now = START + timedelta(seconds=self.house.daemon.desk._clock.monotonic_ns() / NS_PER_S)
        sound: dict[str, object] = {"id": "c1", "command": "stop", "issued": utc(now), "expires": utc(now, 20)}
        given = {**sound, **changes}
        return msgspec.json.encode({key: value for key, value in given.items() if value is not None})

    async def send(
        self, payload: bytes, *, is_retained: bool = False, reply: str | None = REPLIES, topic: str = TOPIC
    ) -> dict[str, Any]:
        """The reply to one message."""
        count = len(self.replies)
        self.broker.publish(topic, payload, is_retained=is_retained, reply_topic=reply)
        await eventually(lambda: len(self.replies) > count, 60)
        return self.replies[-1]

    async def ask(self, **changes: object) -> dict[str, Any]:
        return await self.send(self.command(**changes))

    def recorded(self, kind: type) -> list[Any]:
        rows = self.house.table.journal.records()
        return [what_of(record) for record in rows if record.type == kind.__name__]


def utc(moment: datetime, later_s: float = 0) -> str:
    return (moment + timedelta(seconds=later_s)).isoformat().replace("+00:00", "Z")


async def connected(house: Away, broker: TwinBroker) -> Asked:
    await eventually(lambda: f"{BASE}/state" in broker.retained, 60)
    return Asked(house, broker)


async def test_stop_and_hold_and_seen_and_take(tmp_path: Path) -> None:
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        stopped = await page.ask(text="a guest shouts")
        assert stopped["answer"] == "accepted"
        assert stopped["id"] == "c1"
        assert any("stop" in lock.reason for lock in house.table.state.locks.standing.values())
        held = await page.ask(id="c2", command="hold")
        assert held["answer"] in ("accepted", "refused")
        assert "refusal" not in held, "it came before the table"
        await house.table.ask(CallSupervisor(id="x"))
        (alert,) = [one for one in house.table.state.alerts.standing.values() if one.text == "CALL-PRESSED"]
        seen = await page.ask(id="c3", command="acknowledge", alert=alert.number, staff="S-1")
        assert seen["answer"] == "accepted"
        assert house.table.state.alerts.standing["CALL-PRESSED:"].progress == "new", "seen is not taken"
        taken = await page.ask(id="c4", command="take", alert=alert.number, staff="S-1")
        assert taken["answer"] == "accepted"
        assert house.table.state.alerts.standing["CALL-PRESSED:"].taken_by == "S-1"
        (row,) = page.recorded(type("TakeAlert", (), {}))
        assert (row.via, row.by) == ("mqtt:page", "S-1")


NOW = {"id": "c9"}
BAD: Mapping[str, tuple[dict[str, object], str]] = {
    "stale": ({"issued": -40, "expires": 15}, "stale"),
    "expired": ({"issued": -20, "expires": -1}, "expired"),
    "from the future": ({"issued": 60, "expires": 80}, "from the future"),
    "lives for ever": ({"expires": 3_600}, "lives too long"),
    "ends before it begins": ({"expires": -1}, "lives too long"),
    "moves cards": ({"command": "deal"}, "malformed"),
    "clears": ({"command": "clear-alert"}, "malformed"),
    "speaks for another": ({"command": "take", "alert": 1, "staff": "R-1"}, "not for this staff id"),
    "for nobody": ({"command": "take", "alert": 1}, "malformed"),
    "stop with staff": ({"staff": "S-1"}, "malformed"),
    "no id": ({"id": None}, "malformed"),
    "no expiry": ({"expires": None}, "malformed"),
    "id of a key": ({"id": "000777:3:41"}, "malformed"),
    "no day": ({"issued": "2026-02-31T10:00:00Z"}, "malformed"),
    "more than is known": ({"force": True}, "malformed"),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_is_wrong_is_turned_away_once_and_recorded(name: str, tmp_path: Path) -> None:
    """BR-051 among them: a command that waited too long is not carried out."""
    changes, why = BAD[name]
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        now = START + timedelta(seconds=house.daemon.desk._clock.monotonic_ns() / NS_PER_S)
        given = {
            key: utc(now, value) if isinstance(value, int) and key in ("issued", "expires") else value
            for key, value in changes.items()
        }
        payload = page.command(**{**NOW, **given})
        answer = await page.send(payload)
        assert (answer["answer"], answer["refusal"]) == ("refused", why)
        assert answer["text"]
        assert answer["next_step"]
        assert not house.table.state.locks.standing
        assert (await page.send(payload))["refusal"] == why
        (row,) = page.recorded(CommandTurnedAway)
        assert (row.client, row.why, row.topic) == ("page", why, TOPIC)


async def test_oversized_and_rubbish_and_foreign_reply_topics(tmp_path: Path) -> None:
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        assert (await page.send(page.command(text="x" * 5_000)))["refusal"] == "oversized"
        for rubbish in (b"", b"\xff\xfe", b"[]", b"7", b'{"id":"c7"', b"[" * 4_000):
            assert (await page.send(rubbish))["refusal"] == "malformed"
        for reply in (None, f"{BASE}/state", "house/BJ-2/replies/page", f"{REPLIES}/#", f"{REPLIES}x"):
            assert (await page.send(page.command(id="c8"), reply=reply))["refusal"] == "reply topic"
        assert (await page.send(page.command(), topic=f"{BASE}/commands/stranger"))["refusal"] == "unknown client"
        assert not house.table.state.locks.standing
        assert broker.retained[f"{BASE}/state"].body["table"] == "BJ-1", "nobody made the table write elsewhere"


async def test_a_retained_command_is_never_carried_out_and_told_once(tmp_path: Path) -> None:
    """BR-037: daemon restarted, connection lost ten times; its topic is named in the one record."""
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        answer = await page.send(page.command(), is_retained=True)
        assert answer["refusal"] == "retained"
        for times in range(10):
            (ours,) = broker.connections
            broker.drop(ours)
            await eventually(lambda: bool(broker.connections), 100)
            assert len(broker.opened) == times + 2
    async with away(tmp_path, broker) as house:
        again = await connected(house, broker)
        assert (again.replies, len(page.replies)) == ([], 1)
        assert not house.table.state.locks.standing
        (row,) = again.recorded(CommandTurnedAway)
        assert (row.why, row.topic) == ("retained", TOPIC)
        (alert,) = [one for one in house.table.state.alerts.standing.values() if one.text == "COMMAND-RETAINED"]
        assert (alert.place, alert.times) == (TOPIC, 1)


async def test_what_lies_at_the_broker_is_told_whatever_it_is(tmp_path: Path) -> None:
    """BR-037: rubbish, too long, of a stranger: retained is what is wrong with it, and who runs the broker is told."""
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        for number, payload in enumerate((b"\xff", b"{}", page.command(text="x" * 5_000), page.command(id="d"))):
            answer = await page.send(payload, is_retained=True, topic=f"{BASE}/commands/client-{number}")
            assert answer["refusal"] == "retained"
        standing = house.table.state.alerts.standing.values()
        assert len([alert for alert in standing if alert.text == "COMMAND-RETAINED"]) == 4
        assert not house.table.state.locks.standing
        number = next(alert.number for alert in standing if alert.text == "COMMAND-RETAINED")
        assert not (await house.table.ask(ClearAlert(id="k1", by="D-1", alert=number))).is_accepted
        assert (await house.table.ask(ClearAlert(id="k2", by="S-1", alert=number))).is_accepted


async def test_the_same_command_twice_is_done_once_and_has_its_first_answer(tmp_path: Path) -> None:
    """BR-038: before and after a restart of the daemon; the repeat is recorded once."""
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        payload = page.command()
        first = await page.send(payload)
        second = await page.send(payload)
        assert second == {**first, "refusal": "repeated"}
        await page.send(payload)
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        await page.ask(command="hold")
        assert page.replies[-1] == second, "another command under a used id does nothing either"
        assert len(page.recorded(type("StopPlay", (), {}))) == 1
        assert [row.why for row in page.recorded(CommandTurnedAway)] == ["repeated"]


async def test_a_system_gone_wrong_does_not_fill_the_journal(tmp_path: Path) -> None:
    """BR-049: each is answered; ten a minute are recorded."""
    broker = TwinBroker()
    async with away(tmp_path, broker) as house:
        page = await connected(house, broker)
        for number in range(40):
            assert (await page.ask(id=f"n{number}", command="deal"))["refusal"] == "malformed"
        assert len(page.recorded(CommandTurnedAway)) == 10
        await house.table.tell(SpaceLow(free_percent=5))
