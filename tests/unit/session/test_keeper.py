"""The keeper: tries again for ever, at a measured pace, with few words. In virtual time."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest
from structlog.testing import capture_logs

from firmware_bridge.links.base import LinkBusy, LinkRefused
from firmware_bridge.links.memory import MemoryLink, memory_pair
from firmware_bridge.session.backoff import OWN_CABLE_S, QUARANTINE_S, SHARED_BROKER_S, Backoff, table_for
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import STABLE_S, Attempt, Keeper, Up
from firmware_bridge.session.supervised import run_together

pytestmark = pytest.mark.virtual_time

HOUR_S = 3_600.0


def now_s() -> float:
    return asyncio.get_running_loop().time()


def backoff(table_s: tuple[float, ...] = OWN_CABLE_S, seed: int = 1) -> Backoff:
    return Backoff(table_s, random.Random(seed))


@asynccontextmanager
async def kept(attempt: Attempt, policy: Backoff | None = None) -> AsyncIterator[Keeper]:
    keeper = Keeper("shuffler", attempt, policy or backoff())
    task = asyncio.create_task(keeper.run())
    try:
        yield keeper
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Cable:
    """A port that is there at times; counts who has it open."""

    def __init__(self) -> None:
        self.is_there = False
        self.tries: list[float] = []
        self.ups: list[float] = []
        self.open_now = 0
        self.most_open = 0
        self.lost = asyncio.Event()

    async def attempt(self, up: Up) -> None:
        self.tries.append(now_s())
        if not self.is_there:
            raise LinkRefused("serial:///dev/x: no such port; plug it in")
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            up()
            self.ups.append(now_s())
            self.lost.clear()
            await self.lost.wait()
            raise SessionOver(Ending.LINK_LOST, "unplugged")
        finally:
            self.open_now -= 1

    def plug(self) -> None:
        self.is_there = True

    def pull(self) -> None:
        self.is_there = False
        self.lost.set()


async def test_an_outage_of_48_hours_ends_with_a_connection() -> None:
    """Home Assistant 21014: a power overflowed after twenty hours and reconnecting stopped without a word."""
    cable = Cable()
    async with kept(cable.attempt) as keeper:
        await asyncio.sleep(48 * HOUR_S)
        assert keeper.attempts_since_up > 48 * HOUR_S / OWN_CABLE_S[-1]
        assert "plug it in" in keeper.why_away
        cable.plug()
        await asyncio.sleep(OWN_CABLE_S[-1])
        assert (keeper.is_up, keeper.why_away) == (True, "")


async def test_ten_minutes_absent_at_boot_is_waited_for() -> None:
    """BR-062 (d): the daemon comes up before its device; it neither gives up nor says it a hundred times."""
    cable = Cable()
    with capture_logs() as lines:
        async with kept(cable.attempt) as keeper:
            await asyncio.sleep(600)
            assert not keeper.is_up
            cable.plug()
            await asyncio.sleep(5)
            assert keeper.is_up
    assert [line["event"] for line in lines] == ["link_lost", "link_back"]
    assert lines[1]["attempts"] == len(cable.tries)
    assert lines[1]["away_s"] >= 600


async def test_a_port_that_somebody_has_for_twelve_seconds_is_waited_for_quietly() -> None:
    """BR-020 (b): a modem service looks at it first; one line says who has it, and then it works."""
    cable, holder = Cable(), "serial:///dev/ttyS0 is held by ModemManager (process 7)"

    async def attempt(up: Up) -> None:
        if now_s() < 12:
            cable.tries.append(now_s())
            raise LinkBusy(holder)
        await cable.attempt(up)

    cable.plug()
    with capture_logs() as lines:
        async with kept(attempt) as keeper:
            await asyncio.sleep(6)
            assert keeper.why_away == holder
            await asyncio.sleep(12)
            assert (keeper.is_up, keeper.why_away) == (True, "")
    assert [line["event"] for line in lines] == ["link_lost", "link_back"]
    assert lines[0]["why"] == holder


async def test_unplugged_costs_one_line_and_few_tries() -> None:
    """BR-024: a pulled cable made a core spin and the log fill; here it is a try each two seconds or so."""
    cable = Cable()
    cable.plug()
    with capture_logs() as lines:
        async with kept(cable.attempt) as keeper:
            await asyncio.sleep(120)
            before = len(asyncio.all_tasks())
            cable.pull()
            await asyncio.sleep(60)
            assert 60 / OWN_CABLE_S[-1] < len(cable.tries) < 60
            assert len(asyncio.all_tasks()) <= before
            assert keeper.losses == 1
            cable.plug()
            await asyncio.sleep(5)
            assert keeper.is_up
    assert [line["event"] for line in lines] == ["link_lost", "link_back"]
    assert lines[0]["why"] == "unplugged"


async def test_back_within_five_seconds_under_another_name_and_never_open_twice() -> None:
    """BR-021: fifty times away for 0.1 to 5 s; the old handle is closed before the next one is opened."""
    cable, pauses = Cable(), random.Random(21)
    cable.plug()
    async with kept(cable.attempt):
        await asyncio.sleep(1)
        for _ in range(50):
            cable.pull()
            await asyncio.sleep(pauses.uniform(0.1, 5))
            cable.plug()
            plugged_s = now_s()
            await asyncio.sleep(5)
            assert cable.ups[-1] - plugged_s < 5
            await asyncio.sleep(pauses.uniform(0, 100))
    assert (cable.most_open, cable.open_now) == (1, 0)


async def test_only_a_link_that_held_for_a_minute_brings_the_short_waits_back() -> None:
    """BR-046: a link that flaps does not come back faster and faster."""
    holds_s = 0.0
    gaps: list[float] = []
    ended_s = 0.0

    async def attempt(up: Up) -> None:
        gaps.append(now_s() - ended_s)
        up()
        await asyncio.sleep(holds_s)
        raise SessionOver(Ending.UNANSWERED, "gone")

    class Longest(random.Random):
        def uniform(self, a: float, b: float) -> float:
            nonlocal ended_s
            ended_s = now_s()
            return b

    holds_s = STABLE_S - 1
    async with kept(attempt, Backoff(OWN_CABLE_S, Longest())):
        await asyncio.sleep(8 * STABLE_S)
        assert gaps[1:7] == pytest.approx([0.25, 0.5, 1.0, 2.0, 4.0, 4.0])
        holds_s = STABLE_S
        gaps.clear()
        await asyncio.sleep(4 * STABLE_S)
        assert gaps[-1] == pytest.approx(0.25)


@pytest.mark.parametrize("seed", range(5))
async def test_two_hundred_tables_do_not_reconnect_in_the_same_second(seed: int) -> None:
    """BR-046: a broker's restart; no second sees more than a tenth of the tables."""
    tries: list[float] = []
    is_down = True

    async def attempt(up: Up) -> None:
        tries.append(now_s())
        if is_down:
            raise LinkRefused("mqtt://broker: refused")
        up()
        await asyncio.Event().wait()

    jitters = random.Random(seed)
    table_s = table_for("mqtt://broker:1883/pit/shuffler")
    keepers = [Keeper(f"table {n}", attempt, Backoff(table_s, random.Random(jitters.random()))) for n in range(200)]
    tasks = [asyncio.create_task(keeper.run()) for keeper in keepers]
    await asyncio.sleep(SHARED_BROKER_S[0] / 2)
    is_down = False
    await asyncio.sleep(200)
    assert all(keeper.is_up for keeper in keepers)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    later = [at for at in tries if at > 0]  # the first tries are those of the start
    busiest = max(sum(start <= at < start + 1 for at in later) for start in later)
    assert busiest <= 20


async def test_a_wrong_device_is_looked_at_once_a_minute() -> None:
    """A permanent fault leaves the loop of quick tries; a person has to act, and is told once."""
    tries: list[float] = []

    async def attempt(up: Up) -> None:
        tries.append(now_s())
        raise SessionOver(Ending.WRONG_DEVICE, "wrong_device at serial:///dev/x")

    with capture_logs() as lines:
        async with kept(attempt):
            await asyncio.sleep(10 * QUARANTINE_S)
    assert 10 <= len(tries) <= 21
    assert min(later - sooner for sooner, later in itertools.pairwise(tries)) >= QUARANTINE_S / 2
    assert [line["event"] for line in lines] == ["link_quarantined"]


@pytest.mark.parametrize(
    "fault",
    [
        OSError(5, "Input/output error"),
        UnicodeDecodeError("ascii", b"\xff", 0, 1, "ordinal not in range"),
        ValueError("parser"),
        RuntimeError("flush during disconnect"),
        TimeoutError(),
        KeyError("seq"),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_no_fault_leaves_the_table_without_its_device(fault: Exception) -> None:
    """BR-026: whatever a session raises, it is said once, with its traceback where nobody foresaw it, and retried."""
    tries = 0

    async def attempt(up: Up) -> None:
        nonlocal tries
        tries += 1
        if tries <= 3:
            up()
            raise fault
        up()
        await asyncio.Event().wait()

    with capture_logs() as lines:
        async with kept(attempt) as keeper:
            await asyncio.sleep(30)
            assert keeper.is_up
    expected = "link_lost" if isinstance(fault, OSError) else "link_failed_unforeseen"
    assert [line["event"] for line in lines] == [expected, "link_back"] * 3
    assert (lines[0]["exc_info"] is fault) == (expected != "link_lost")


async def test_an_unforeseen_fault_is_not_hidden_by_an_outage() -> None:
    faults = iter([LinkRefused("absent"), LinkRefused("absent"), ValueError("ours"), ValueError("ours")])

    async def attempt(up: Up) -> None:
        raise next(faults, LinkRefused("absent"))

    with capture_logs() as lines:
        async with kept(attempt):
            await asyncio.sleep(30)
    assert [line["event"] for line in lines] == ["link_lost", "link_failed_unforeseen"]


async def test_an_attempt_that_just_returns_is_a_loss_too() -> None:
    tries = 0

    async def attempt(up: Up) -> None:
        nonlocal tries
        tries += 1

    async with kept(attempt):
        await asyncio.sleep(30)
    assert tries > 5


@pytest.mark.parametrize("turns", range(8))
async def test_a_cancel_in_the_very_turn_of_a_loss_is_not_swallowed(turns: int) -> None:
    """Found here: the TaskGroup raised the loss alone, and the keeper went on after its cancel, for ever."""
    ended = asyncio.Event()

    async def fails() -> NoReturn:
        await ended.wait()
        raise SessionOver(Ending.LINK_LOST, "unplugged")

    async def waits() -> NoReturn:
        while True:
            await asyncio.Event().wait()

    async def attempt(up: Up) -> None:
        up()
        await run_together(fails(), waits())

    task = asyncio.create_task(Keeper("shuffler", attempt, backoff()).run())
    await asyncio.sleep(1)
    ended.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=10)
    assert task.cancelled()


async def test_cancelling_the_keeper_ends_the_session_it_keeps() -> None:
    links: list[MemoryLink] = []

    async def attempt(up: Up) -> None:
        near, _ = memory_pair()
        links.append(near)
        up()
        try:
            await asyncio.Event().wait()
        finally:
            await near.close()

    async with kept(attempt):
        await asyncio.sleep(1)
    with pytest.raises(ConnectionError, match="closed by this side"):
        await links[0].write(b"x")


def test_waits_are_clamped_and_spread_over_all_of_their_range() -> None:
    policy = backoff()
    waits = [policy.next_s() for _ in range(5_000)]
    assert all(0 <= wait_s <= OWN_CABLE_S[-1] for wait_s in waits)
    quarters = Counter(int(wait_s) for wait_s in waits[5:])
    assert min(quarters[second] for second in range(4)) > 1_000


def test_a_silent_device_behind_a_sound_broker_is_tried_at_the_pace_of_its_own_cable() -> None:
    policy = backoff(SHARED_BROKER_S)
    assert max(policy.next_s(is_link_fault=False) for _ in range(1_000)) <= OWN_CABLE_S[-1]
    assert max(policy.next_s(is_link_fault=True) for _ in range(1_000)) > SHARED_BROKER_S[0]


def test_a_table_of_waits_without_a_wait_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0 s"):
        Backoff((1.0, 0.0), random.Random(0))
    with pytest.raises(ValueError, match="at least one"):
        Backoff((), random.Random(0))


def test_the_kind_of_cable_decides_the_pace() -> None:
    assert table_for("serial:///dev/serial/by-id/x?baud=115200") is OWN_CABLE_S
    assert table_for("usb://1209:0001/000123") is OWN_CABLE_S
    assert table_for("tcp://10.0.0.7:4001") is OWN_CABLE_S
    assert table_for("mqtt://broker:1883/pit/shuffler") is SHARED_BROKER_S
