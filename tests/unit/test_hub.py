"""One turn of the hub, in order: stop, commit, acknowledge, answer, order, publish (semantics §1.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from drivers import events
from firmware_bridge.clock import LoopClock
from tableside import hub as hub_module
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.hub import Entry, Hub
from tableside.inputs import BadgeSighted, ClockStepped, DaemonStarted, JournalReached
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.journal.record import CommitResult, Draft, RecordKind
from tableside.journal.store import JournalUnavailable
from tableside.outputs.texts import Texts
from tableside.replay import deviations, state_of
from tableside.requests import EndRound, Request, ResumePlay, StopPlay
from tableside.rows import input_of
from tableside.state import TableState, encode_state, reduce
from tests.support.jumping_loop import run_virtual
from tests.support.rims import new_rim
from tests.support.session import open_table
from tests.support.table import ENFORCING, HOUSE, WALL_START_NS


class Recorder:
    """A device that writes down what it was told."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self._log = log

    async def run(self) -> None:
        await asyncio.Event().wait()

    def __getattr__(self, order: str):  # type: ignore[no-untyped-def]  # any order of the seam
        return lambda *arguments: self._log.append(f"{self.name}.{order}{arguments}")


class LoggingJournal(InLoopJournal):
    """A real journal that notes when it commits, and fails when told."""

    log: list[str]
    failures = 0

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        if self.failures:
            self.failures -= 1
            self.log.append("commit failed")
            raise JournalUnavailable("told to fail")
        self.log.append("commit")
        return await super().commit(drafts)


def ready(device: str = "shuffler") -> events.DeviceReady:
    return events.DeviceReady(
        device=device,
        maker="Test",
        model="CSM-SIM",
        serial="000123",
        firmware="1.0",
        digest="00",
        is_simulated=True,
        boot=1,
        boot_cause="power",
        epoch=HOUSE.epoch,
        highest_number=0,
        oldest_notice=1,
        newest_notice=0,
        abilities=ENFORCING,
        content=0,
        areas=(0, 0, 0),
        is_path_clear=True,
        is_lid_open=False,
    )


class Bench:
    """A hub on a real in-loop journal, with recording devices."""

    def __init__(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        self.clock = LoopClock(loop, wall_start_ns=WALL_START_NS)
        self.log: list[str] = []
        self.published: list[Entry] = []
        self.journal = LoggingJournal.open(Place("BJ 3", path / "t.db", path / "t.reserve"), self.clock, epoch=1)
        self.journal.log = self.log
        devices = {name: Recorder(name, self.log) for name in ("shuffler", "switches", "reader")}
        state = state_of(self.journal, HOUSE)
        self.hub = Hub(self.journal, state, self.clock, devices, [self._hear], rim=new_rim())
        self.task = asyncio.create_task(self.hub.run())

    def _hear(self, entries: Sequence[Entry]) -> None:
        self.log.append("publish")
        self.published.extend(entries)

    async def start(self) -> None:
        await self.hub.report(DaemonStarted(version="t", clock_boot="b", house=HOUSE))
        await self.hub.report(ready())
        await self.hub.report(ready("switches"))
        await asyncio.sleep(0.1)

    async def play(self) -> None:
        """Opened and loaded: the machine has a permit to deal."""
        for given in open_table().given:
            if isinstance(given.what, Request):
                assert (await self.hub.ask(given.what)).is_accepted  # type: ignore[arg-type]  # one of AnyRequest
            else:
                await self.hub.report(given.what)
        await asyncio.sleep(1)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


def test_nothing_reaches_a_device_before_its_row_but_stops(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        bench.log.clear()
        await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=1, meter=1))
        await asyncio.sleep(0.1)
        assert bench.log.index("commit") < bench.log.index("shuffler.acknowledge(1, 1)")
        await bench.stop()

    run_virtual(main())


def test_a_jam_stops_and_lights_before_it_is_written_and_is_acknowledged_after(tmp_path: Path) -> None:
    """CSM-2: revoked permit and lamp wait for no disk."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        bench.log.clear()
        await bench.hub.report(events.CardJammed(device="shuffler", boot=1, number=99, place=events.Place.EXIT))
        await asyncio.sleep(0.1)
        committed = bench.log.index("commit")
        before, after = bench.log[:committed], bench.log[committed:]
        assert "shuffler.revoke(<PermitKind.DEAL: 'deal'>,)" in before
        assert [line for line in before if "set_lamp(<LampColour.RED" in line]
        assert "shuffler.acknowledge(1, 99)" in after
        assert "publish" in after, "and nobody is told before"
        assert "publish" not in before
        await bench.stop()

    run_virtual(main())


def test_a_permit_is_given_and_a_request_answered_only_after_the_row(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        await bench.hub.ask(StopPlay(id="stop-1"))
        bench.log.clear()
        asking = asyncio.create_task(bench.hub.ask(ResumePlay(id="go-1", by="S1")))
        asking.add_done_callback(lambda _task: bench.log.append("answered"))
        await asyncio.sleep(0.1)
        committed = bench.log.index("commit")
        assert committed < bench.log.index("answered")
        assert not [line for line in bench.log[:committed] if ".permit(" in line]
        assert [line for line in bench.log[committed:] if ".permit(<PermitKind.DEAL" in line]
        await bench.stop()

    run_virtual(main())


def test_a_stepped_wall_clock_is_a_row_and_moves_no_deadline_br_052(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        bench.published.clear()
        for seconds in (12 * 3600, -26 * 3600):
            bench.clock.step_wall(seconds)
            await bench.hub.report(events.BufferNormal(device="shuffler", boot=1, number=90 + seconds % 7, cards=9))
            await asyncio.sleep(0.1)
        steps = [entry.what.seconds for entry in bench.published if isinstance(entry.what, ClockStepped)]
        assert [round(step) for step in steps] == [12 * 3600, -26 * 3600]
        bench.log.clear()
        await asyncio.sleep(25)
        renewed = [line for line in bench.log if ".permit(<PermitKind.DEAL" in line]
        assert len(renewed) == 1, "renewed at a third of its 60 s, neither early nor late"
        await bench.stop()

    run_virtual(main())


def test_the_same_request_gets_the_same_answer_for_ever(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        first = await bench.hub.ask(EndRound(id="x-1"))
        rows = bench.journal.tail.seq
        assert await bench.hub.ask(EndRound(id="x-1")) == first
        both = await asyncio.gather(bench.hub.ask(EndRound(id="x-2")), bench.hub.ask(EndRound(id="x-2")))
        assert both[0] == both[1]
        assert bench.journal.tail.seq == rows + 2
        await bench.stop()

    run_virtual(main())


def test_without_journal_nothing_is_acknowledged_and_requests_are_refused(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        bench.log.clear()
        bench.journal.failures = 3
        await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=1, meter=1))
        await asyncio.sleep(0.5)
        assert not any("acknowledge" in line for line in bench.log)
        refused = await bench.hub.ask(StopPlay(id="s-1"))
        assert not refused.is_accepted
        assert refused.next_step
        blind = bench.hub.blind
        assert blind is not None, "whoever asks how things stand is told that everything is locked, and why"
        view = state_view(bench.hub.state, Texts(("en",), "UTC"), Curtain(), bench.clock.now(), blind)
        assert view["is_allowed"] == dict.fromkeys(("deal", "feed", "lid", "jackpot bets"), False)
        assert "no record can be written" in str(view["locks"])
        await asyncio.sleep(5)
        assert bench.hub.blind is None
        assert "shuffler.acknowledge(1, 1)" in bench.log
        await bench.stop()

    run_virtual(main())


def test_without_journal_everything_stops_and_says_so_and_goes_on_when_records_can_be_written_again(
    tmp_path: Path,
) -> None:
    """semantics §1.1: the permits that a hub ended without a row are given anew, and the gap is on record."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        bench.log.clear()
        bench.journal.failures = 4
        await bench.hub.report(events.BufferNormal(device="shuffler", boot=1, number=99, cards=9))
        await asyncio.sleep(2)
        assert "shuffler.revoke(<PermitKind.DEAL: 'deal'>,)" in bench.log
        assert bench.log[-1].endswith("set_lamp(<LampColour.RED: 'red'>, <LampPattern.BLINKING: 'blinking'>)")
        assert not any(".permit(" in line for line in bench.log)
        bench.log.clear()
        await asyncio.sleep(5)
        assert [line for line in bench.log if "permit(<PermitKind.DEAL" in line]
        assert "OFF" in [line for line in bench.log if "set_lamp" in line][-1]
        gaps = [entry.what for entry in bench.published if isinstance(entry.what, JournalReached)]
        assert [gap.seconds for gap in gaps] == [4.0]
        assert list(deviations(bench.journal.records())) == []
        await bench.stop()

    run_virtual(main())


def test_a_permit_taken_back_within_the_turn_that_gave_it_never_reaches_the_device(tmp_path: Path) -> None:
    """The revoke goes out before the commit, the grant after it: handed out all the same it would stand."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        await bench.hub.ask(StopPlay(id="stop-1"))
        bench.log.clear()
        answers = await asyncio.gather(
            bench.hub.ask(ResumePlay(id="go-1", by="S1")), bench.hub.ask(StopPlay(id="stop-2"))
        )
        assert [answer.is_accepted for answer in answers] == [True, True]
        assert bench.log.count("commit") == 1, "both in one turn, or this test shows nothing"
        await asyncio.sleep(61)
        assert not [line for line in bench.log if ".permit(" in line]
        await bench.stop()

    run_virtual(main())


def test_replay_gives_the_same_state_and_the_same_decisions(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        for number in range(1, 30):
            await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=number, meter=number))
        await asyncio.sleep(1)
        await bench.stop()
        again = state_of(bench.journal, HOUSE)
        assert encode_state(again) == encode_state(bench.hub.state)
        assert list(deviations(bench.journal.records())) == []
        seqs = [entry.seq for entry in bench.published]
        assert seqs == sorted(set(seqs))
        assert len(seqs) == bench.journal.tail.seq - 1  # all but the genesis row
        assert isinstance(bench.hub.state, TableState)

    run_virtual(main())


def test_no_badge_number_and_no_keyed_digit_reaches_the_journal(tmp_path: Path) -> None:
    """Badges are named by staff id, unknown ones by a keyed digest; digits are not journalled at all."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        for badge in ("26:000000A1", "26:00BADBAD", "26:00BADBAD"):
            await bench.hub.report(events.BadgeSeen(device="reader", badge=badge, kind=events.SightingKind.TAP))
            await asyncio.sleep(2)
        await bench.hub.report(events.CodeKeyed(device="reader", code="987654321"))
        assert bench.hub.rim.codes_ignored == {"reader": 1}, "counted, not dropped without a word"
        await asyncio.sleep(1)
        await bench.stop()
        bodies = b"".join(record.body for record in bench.journal.records())
        for secret in (b"000000A1", b"00BADBAD", b"987654321"):
            assert secret not in bodies
        assert b'"staff":"S1"' in bodies
        digests = [entry.what.digest for entry in bench.published if isinstance(entry.what, BadgeSighted)]
        assert digests[0] == ""
        assert digests[1] == digests[2] != ""

    run_virtual(main())


def test_a_request_that_was_refused_without_journal_is_never_carried_out_later(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        bench.journal.failures = 1
        refused = await bench.hub.ask(StopPlay(id="s-2"))
        assert not refused.is_accepted
        await asyncio.sleep(10)
        assert bench.journal.find_request("s-2") is None
        assert (await bench.hub.ask(StopPlay(id="s-3"))).is_accepted
        await bench.stop()

    run_virtual(main())


def test_replay_from_a_checkpoint_and_from_the_first_row_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """semantics §1.4; a checkpoint falls due in the middle of a session, with permits, timers and a lamp standing."""
    monkeypatch.setattr(hub_module, "CHECKPOINT_ROWS", 40)

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        for number in range(1, 8):
            await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=90 + number, meter=number))
            await asyncio.sleep(1)
        await bench.stop()
        checkpoint = bench.journal.last_checkpoint()
        assert checkpoint is not None
        assert 40 < checkpoint.seq < bench.journal.tail.seq, "rows stand before and after it"
        from_first = TableState(house=HOUSE)
        for record in bench.journal.records(0, {RecordKind.INPUT}):
            from_first, _ = reduce(from_first, input_of(record))
            if record.seq < checkpoint.seq:
                at_checkpoint = encode_state(from_first)
        assert checkpoint.body == at_checkpoint
        assert encode_state(state_of(bench.journal, HOUSE)) == encode_state(from_first)

    run_virtual(main())


def test_a_full_queue_holds_the_devices_back_and_loses_nothing(tmp_path: Path) -> None:
    """semantics §1.1: the sessions stop reading, so back-pressure reaches the device, whose notices wait there."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        bench.journal.failures = 1_000_000
        many = range(1, hub_module.QUEUE_MAX + hub_module.BATCH_MAX + 50)

        async def device() -> None:
            for number in many:
                await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=number, meter=number % 9))

        reading = asyncio.create_task(device())
        await asyncio.sleep(30)
        assert not reading.done(), "the reader of the device waits"
        bench.journal.failures = 0
        await asyncio.wait_for(reading, 30)
        await asyncio.sleep(5)
        told = [entry.what.number for entry in bench.published if isinstance(entry.what, events.CardsOut)]
        assert told == list(many)
        await bench.stop()

    run_virtual(main())
