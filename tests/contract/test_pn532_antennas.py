"""Our PN532 driver on simulated boards and tags: several antennas, bad lines, hung chips, cards between antennas."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from drivers.antenna_events import ChipRead, ChipRemoved, TagUnknown, UnknownTagGone
from drivers.card_events import (
    CardRead,
    CardReaderLost,
    CardReaderReady,
    CardRemoved,
    CardsAmbiguous,
)
from drivers.fact import Fact
from drivers.readers.pn532_antenna import SILENT_S, AntennaSet, AntennaSettings, Pn532Antenna
from drivers.readers.tag_register import parse_register
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.pn532 import Missed, Pn532Session
from simulator.faces.pn532 import Pn532Face
from simulator.line import SOUND, Direction, FaultyLine, LineFault, LineQuality
from simulator.runner import Stage
from simulator.world.rf_field import RADIUS_MM, RfField, Tag

pytestmark = pytest.mark.virtual_time

DEADLINE_S = 60.0
APART_MM = 4 * RADIUS_MM
EIGHT, ACE, CHIP = Tag(bytes.fromhex("D0AC1F62")), Tag(bytes.fromhex("04A1B2C3D4E580"), 0x00), Tag(bytes(3) + b"\x07")
FOREIGN = Tag(bytes.fromhex("0A000000000001"), 0x00)
REGISTER = parse_register("D0AC1F62 card 8♠\n04A1B2C3D4E580 card A♦\n00000007 chip 500\n")


@dataclass
class Felt:
    """The table: antennas `one`, `two` … in a row, their drivers, what they told."""

    stage: Stage
    rf: RfField
    faces: dict[str, Pn532Face]
    drivers: dict[str, Pn532Antenna]
    facts: list[Fact]
    lines: dict[str, FaultyLine] = field(default_factory=dict)

    def lay(self, tag: Tag, at_mm: float) -> None:
        self.stage.act(lambda: self.rf.lay(tag, at_mm))

    def take(self, tag: Tag) -> None:
        self.stage.act(lambda: self.rf.take(tag.uid))

    def of_kind(self, *kinds: type[Fact]) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kinds)]

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the table's, which tells nobody that it changed
                await asyncio.sleep(0.01)


@asynccontextmanager
async def felt(names: tuple[str, ...] = ("one", "two"), *, quality: LineQuality = SOUND) -> AsyncIterator[Felt]:
    stage, rf_field, facts = Stage(), RfField(1), list[Fact]()
    made = Felt(stage, rf_field, {}, {}, facts)
    antennas = AntennaSet(REGISTER)
    serving: list[asyncio.Task[None]] = []

    async def report(fact: Fact) -> None:
        facts.append(fact)

    def board(name: str, at_mm: float) -> None:
        face = made.faces[name] = Pn532Face(name, rf_field, at_mm)
        outlet = stage.add_face(face)
        stage.act(lambda: face.boot(stage.now_ns))

        async def connect() -> Link:
            host, device = memory_pair(name)
            serving.append(asyncio.create_task(outlet.serve(device)))
            made.lines[name] = FaultyLine(host, 1, quality)
            return made.lines[name]

        settings = AntennaSettings(name, f"serial:///dev/{name}", f"seat {name}")
        made.drivers[name] = Pn532Antenna(settings, antennas, report, connect, random.Random(1))

    for at, name in enumerate(names):
        board(name, at * APART_MM)
    tasks = [asyncio.create_task(driver.run()) for driver in made.drivers.values()]
    try:
        await made.until(lambda: len(made.of_kind(CardReaderReady)) >= len(names))
        yield made
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait([*tasks, *serving])
        stage.close()


async def test_a_board_is_introduced_by_what_it_says() -> None:
    async with felt(("one",)) as made:
        lost, ready = made.facts
        assert lost == CardReaderLost(device="one", why="not connected since the start")
        assert ready == CardReaderReady(device="one", model="PN532", firmware="1.6", is_simulated=True)


async def test_cards_and_chips_by_the_register() -> None:
    """BR-032: a number with leading zeros is the chip it is."""
    async with felt() as made:
        made.lay(EIGHT, 0.0)
        made.lay(CHIP, APART_MM)
        await made.until(lambda: made.of_kind(CardRead) and made.of_kind(ChipRead))
        made.take(EIGHT)
        made.take(CHIP)
        await made.until(lambda: made.of_kind(CardRemoved) and made.of_kind(ChipRemoved))
        assert set(made.facts[4:]) == {
            CardRead(device="one", card="8♠", place="seat one"),
            CardRemoved(device="one", card="8♠", place="seat one"),
            ChipRead(device="two", value=500, place="seat two"),
            ChipRemoved(device="two", value=500, place="seat two"),
        }


async def test_a_tag_that_the_register_does_not_know_is_told_and_taken_for_nothing() -> None:
    async with felt() as made:
        made.lay(FOREIGN, 0.0)
        await made.until(lambda: made.of_kind(TagUnknown))
        made.take(FOREIGN)
        await made.until(lambda: made.of_kind(UnknownTagGone))
        assert made.facts[4:] == [
            kind(device="one", tag="56:0A000000000001", place="seat one") for kind in (TagUnknown, UnknownTagGone)
        ]


async def test_two_tags_on_one_antenna() -> None:
    async with felt() as made:
        made.lay(EIGHT, 0.0)
        made.lay(ACE, 0.0)
        await made.until(lambda: len(made.of_kind(CardRead)) == 2)


async def test_a_card_between_two_antennas_is_ambiguous_and_no_card() -> None:
    """BR-035: read by both, told as neither's; put down again it is told once."""
    async with felt() as made:
        made.rf.antennas["two"].at_mm = 1.5 * RADIUS_MM
        made.lay(EIGHT, 0.75 * RADIUS_MM)
        await made.until(lambda: made.of_kind(CardsAmbiguous))
        await asyncio.sleep(10)
        assert made.facts[4:] == [
            CardsAmbiguous(device="one", places=("seat one", "seat two"), why="read at two antennas")
        ]
        made.lay(EIGHT, 0.0)
        await made.until(lambda: made.of_kind(CardRead))
        assert made.of_kind(CardRead) == [CardRead(device="one", card="8♠", place="seat one")]


async def test_a_card_at_the_edge_is_ambiguous() -> None:
    """BR-035: in five minutes it is called ambiguous, and no card fact comes of it."""
    async with felt(("one",)) as made:
        made.lay(EIGHT, 1.02 * RADIUS_MM)
        await asyncio.sleep(300)
        assert made.of_kind(CardsAmbiguous)
        assert not made.of_kind(CardRead, CardRemoved)


async def test_a_resting_card_through_a_bad_line_for_ten_minutes() -> None:
    """BR-033: noise is not absence. One chunk in fifty is damaged, lost or cut in two, each way."""
    chances = {LineFault.CORRUPT: 0.02, LineFault.DROP: 0.02, LineFault.SPLIT: 0.02, LineFault.DELAY: 0.02}
    async with felt(quality=LineQuality(chances=chances)) as made:
        made.lay(EIGHT, 0.0)
        await asyncio.sleep(600)
        assert made.of_kind(CardRead) == [CardRead(device="one", card="8♠", place="seat one")]
        assert not made.of_kind(CardRemoved, CardsAmbiguous, TagUnknown)
        counts = made.drivers["one"].counts
        assert counts.garbage_bytes
        assert counts.repeats > 10, "the line was bad"


async def test_an_antenna_that_misses_one_look_in_twenty() -> None:
    """BR-033."""
    async with felt() as made:
        made.rf.antennas["one"].miss_one_in = 20
        made.lay(EIGHT, 0.0)
        await asyncio.sleep(120)
        assert len(made.of_kind(CardRead)) == 1
        assert not made.of_kind(CardRemoved)


async def test_a_hung_board_is_lost_and_its_neighbour_goes_on() -> None:
    """What lies on it is not known, and not gone; with power back it is as before."""
    async with felt() as made:
        made.lay(EIGHT, 0.0)
        await made.until(lambda: made.of_kind(CardRead))
        made.faces["one"].is_hung = True
        made.lay(CHIP, APART_MM)
        await made.until(lambda: len(made.of_kind(CardReaderLost)) == 3)
        await made.until(lambda: made.of_kind(ChipRead))
        assert not made.of_kind(CardRemoved)
        made.stage.act(lambda: made.faces["one"].boot(made.stage.now_ns))
        await made.until(lambda: len(made.of_kind(CardReaderReady)) == 3)
        await asyncio.sleep(2)
        assert len(made.of_kind(CardRead)) == 1
        made.take(EIGHT)
        await made.until(lambda: made.of_kind(CardRemoved))


async def test_a_card_taken_while_its_antenna_was_away_is_gone_when_it_is_back() -> None:
    async with felt() as made:
        made.lay(EIGHT, 0.0)
        await made.until(lambda: made.of_kind(CardRead))
        made.stage.act(made.faces["one"].power_off)
        made.take(EIGHT)
        await made.until(lambda: len(made.of_kind(CardReaderLost)) == 3)
        made.stage.act(lambda: made.faces["one"].boot(made.stage.now_ns))
        await made.until(lambda: made.of_kind(CardRemoved))
        assert not [fact for fact in made.facts[: made.facts.index(made.of_kind(CardReaderLost)[-1])]
                    if isinstance(fact, CardRemoved)]  # fmt: skip


async def test_a_moment_of_silence_takes_no_card_away() -> None:
    """Shorter than the antenna's patience: no card is gone for it."""
    async with felt(("one",)) as made:
        made.lay(EIGHT, 0.0)
        await made.until(lambda: made.of_kind(CardRead))
        for after in range(16):
            made.lines["one"].provoke(LineFault.DROP, Direction.IN, after=after)
        await asyncio.sleep(SILENT_S + 2)
        assert not made.of_kind(CardRemoved)
        assert len(made.of_kind(CardReaderLost)) == 1


async def test_fields_that_take_turns_do_not_disturb_each_other() -> None:
    """Two coils close together: in turn both read all; fed at once each loses the other's tags."""
    async with felt() as made:
        made.rf.antennas["two"].at_mm = 2.5 * RADIUS_MM
        made.lay(EIGHT, 0.0)
        made.lay(ACE, 2.5 * RADIUS_MM)
        await asyncio.sleep(120)
        assert len(made.of_kind(CardRead)) == 2
        assert not made.of_kind(CardRemoved, CardsAmbiguous)
        made.rf.antennas["two"].is_fed = True
        seen = [len(made.rf.look("one", 2)) for _ in range(100)]
        assert 10 < sum(seen) < 60


async def test_several_boards_are_asked_at_a_fair_rate() -> None:
    """Six antennas: each is looked at several times a second."""
    async with felt(("one", "two", "three", "four", "five", "six")) as made:
        before = {name: driver.counts.frames_sent for name, driver in made.drivers.items()}
        await asyncio.sleep(20)
        looks = [(driver.counts.frames_sent - before[name]) / 2 for name, driver in made.drivers.items()]
        assert min(looks) > 100
        assert max(looks) <= 1.1 * min(looks)


async def test_another_chip_is_not_taken_for_a_pn532(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.faces.pn532.FIRMWARE", bytes((0x33, 2, 7, 7)))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(20), felt(("one",)):
            pass


async def test_what_the_host_called_off_comes_no_more() -> None:
    """A look that waits for a tag for ever is ended by the next command, or by the host's ACK."""
    stage, rf_field = Stage(), RfField(1)
    face = Pn532Face("one", rf_field, 0.0)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    host, device = memory_pair("one")
    serving = asyncio.create_task(outlet.serve(device))
    counts = LinkCounts()
    session = Pn532Session(host, counts)
    running = asyncio.create_task(session.run())
    try:
        await session.wake()
        with pytest.raises(Missed, match="no reply to 4A"):
            await session.list_targets()
        stage.act(lambda: rf_field.lay(EIGHT, 0.0))
        await asyncio.sleep(1)
        assert counts.late_replies == 0
        assert [target.uid for target in await session.list_targets()] == [EIGHT.uid]
    finally:
        running.cancel()
        await asyncio.wait([running])
        await serving
        stage.close()
