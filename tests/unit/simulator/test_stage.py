"""Stage and outlet: world, face and a real link in one loop; pace scales mechanics and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Permit
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_device import TdlDevice
from simulator.faces.tdl_shuffler import new_shuffler
from simulator.runner import Outlet, Stage
from simulator.world import hands
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.hazards import NEVER, Hazards
from simulator.world.machine import ShufflerMachine

from .host import EPOCH, Host

pytestmark = pytest.mark.virtual_time


class Table:
    """One shuffler on a stage, its cable plugged into a host."""

    def __init__(self, pace: float, *, sees_cable: bool = False) -> None:
        self.felt = Pile("felt")
        self.cards = new_deck(1, Back.RED, self.felt)
        self.machine = ShufflerMachine("shuffler", 3, hazards=Hazards(3, NEVER))
        self.face = new_shuffler(self.machine, Memory(commands=CommandRecord(epoch=EPOCH)))
        self.stage = Stage(pace=pace)
        self.stage.add_world(self.machine)
        self.outlet: Outlet = self.stage.add_face(self.face, sees_cable=sees_cable)
        self.stage.act(lambda: self.face.boot(self.stage.now_ns))
        near, far = memory_pair()
        self.host = Host(near)
        self.served = asyncio.ensure_future(self.outlet.serve(far))


async def feed_a_deck(pace: float) -> tuple[Table, float]:
    """Feed 52 cards through frames on a link; returns how long the cards took."""
    loop = asyncio.get_running_loop()
    table = Table(pace)
    await table.host.begin()
    await asyncio.sleep(5)
    table.stage.act(lambda: hands.put_packet(table.machine, table.cards))
    began = loop.time()
    await table.host.ask(Operation.PERMIT, {0: Permit.FEED, 1: 60_000, 2: 52})
    await table.host.heard(NoticeKind.PACKET_END)
    seconds = loop.time() - began
    await asyncio.sleep(1)  # what is still to be said and acknowledged
    return table, seconds


async def finish(table: Table) -> None:
    await table.host.link.close()
    await table.served
    table.stage.close()


async def test_a_deck_goes_in_over_a_link() -> None:
    table, seconds = await feed_a_deck(1)
    assert table.machine.book.content.total == 52
    assert 10 < seconds < 30
    await finish(table)


async def test_pace_makes_mechanics_quicker_and_leaves_deadlines_alone() -> None:
    table, seconds = await feed_a_deck(20)
    assert 0.5 < seconds < 1.5
    await table.host.ask(Operation.PERMIT, {0: Permit.FEED, 1: 2_000})
    await asyncio.sleep(1.9)
    assert table.face.permits.stands(Permit.FEED)
    await asyncio.sleep(0.2)
    assert not table.face.permits.stands(Permit.FEED)
    await finish(table)


async def test_a_loop_that_was_busy_for_long_feeds_no_card_beyond_the_permit() -> None:
    table = Table(1)
    await table.host.begin()
    await asyncio.sleep(5)
    table.stage.act(lambda: hands.put_packet(table.machine, table.cards))
    await table.host.ask(Operation.PERMIT, {0: Permit.FEED, 1: 2_000})
    await asyncio.sleep(0.5)
    table.stage.close()  # no alarm comes for ten seconds, as when the loop hangs
    await asyncio.sleep(10)
    table.stage.settle()
    assert 3 < table.machine.meters.cards_in < 12
    await finish(table)


async def test_notices_wait_while_the_cable_is_out() -> None:
    table, _ = await feed_a_deck(20)
    await finish(table)
    table.stage.act(lambda: hands.open_lid(table.machine, with_key=True))
    await asyncio.sleep(20)
    near, far = memory_pair()
    host = Host(near)
    served = asyncio.ensure_future(table.outlet.serve(far))
    await host.begin()
    await asyncio.sleep(5)
    assert host.kinds() == [NoticeKind.LID_OPENED]
    await near.close()
    await served


async def test_a_second_cable_in_one_socket_is_refused() -> None:
    table = Table(1)
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="still plugged in"):
        await table.outlet.serve(memory_pair()[0])
    await finish(table)


@pytest.mark.parametrize(("silence_s", "is_kept"), [(4, True), (6, False)])
async def test_of_two_connections_the_older_goes_once_its_host_is_silent(silence_s: float, is_kept: bool) -> None:
    """TDL 2.1; BR-020: somebody else takes the device."""
    table = Table(1)
    await table.host.begin()
    await asyncio.sleep(0.1)
    near, far = memory_pair("second")
    other = Host(near)
    table.host.link.pause_reading()  # acknowledges nothing any more
    await asyncio.sleep(silence_s)
    offered = asyncio.ensure_future(table.outlet.offer(far))
    await asyncio.sleep(0)
    await other.begin()
    await asyncio.sleep(1)
    assert (other.lost is not None) is is_kept
    assert (table.host.lost is None) is is_kept
    assert bool(other.frames) is not is_kept
    await other.link.close()
    await offered
    await finish(table)


async def test_a_cable_pulled_out_ends_the_session_only_where_the_device_sees_it() -> None:
    for sees_cable in (False, True):
        table = Table(1, sees_cable=sees_cable)
        await table.host.begin()
        await asyncio.sleep(1)
        assert table.face.session is not None
        await table.outlet.unplug()
        await table.served
        assert (table.face.session is None) is sees_cable
        table.stage.close()


@pytest.mark.parametrize("where", ["alarm", "bytes"])
async def test_a_world_that_breaks_is_heard_of(where: str) -> None:
    table = Table(1)
    failed = asyncio.ensure_future(table.stage.until_failure())

    class Broken:
        def update(self, now_ns: int) -> int | None:
            raise ZeroDivisionError("no such physics")

    await table.host.begin()
    await asyncio.sleep(5)
    table.stage.add_world(Broken())
    if where == "alarm":
        await asyncio.sleep(5)
        assert not failed.done(), "nothing is due while the machine rests"
        table.stage._ring()
    else:
        await table.host.ask(Operation.PING, {})
    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(failed, 5)
    await table.host.link.close()
    table.served.cancel()


@pytest.mark.parametrize("pace", [0.1, 0.3, 0.7, 1, 3, 7.7, 19.9])
async def test_alarms_come_at_their_time_at_any_pace(pace: float) -> None:
    """A world that is woken too early by a rounding would be woken again at the same instant, for ever."""

    class Ticking:
        def __init__(self) -> None:
            self.next_ns = 1
            self.ticks = 0

        def update(self, now_ns: int) -> int | None:
            while self.next_ns <= now_ns:
                self.ticks += 1
                self.next_ns += 333_333_337
            return self.next_ns

    stage, world = Stage(pace=pace), Ticking()
    stage.add_world(world)
    stage.settle()
    await asyncio.sleep(60)
    assert world.ticks == 1 + int((60e9 * pace - 1) // 333_333_337)
    stage.close()


async def test_a_face_that_never_rests_is_found_out() -> None:
    class Restless(TdlDevice):
        @property
        def next_wake_ns(self) -> int | None:
            return 5

    stage = Stage()
    machine = ShufflerMachine("m", 1)
    stage.add_face(Restless(new_shuffler(machine, Memory()).equipment, Memory()))
    await asyncio.sleep(1)
    with pytest.raises(RuntimeError, match="again and again"):
        stage.settle()


async def test_a_pace_that_stands_still_is_refused() -> None:
    with pytest.raises(ValueError, match="factor > 0"):
        Stage(pace=0)


async def test_stage_time_is_the_loops_time() -> None:
    stage = Stage()
    await asyncio.sleep(2)
    assert stage.now_ns == 2 * NS_PER_S
