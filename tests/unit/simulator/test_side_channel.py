"""The side channel: hands and faults act on the world, eyes see only what lies open, a cause proves that it fired."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import LinkAbsent
from firmware_bridge.wire.tdl.codes import Permit
from simulator.cli import main
from simulator.deed_words import said
from simulator.deeds import PersonDeed, WorldDeed, deed_name, members
from simulator.faces.tdl_device import TdlDevice
from tests.unit.simulator.room_bench import RoomBench, running_room

pytestmark = pytest.mark.virtual_time


def permit_feed(bench: RoomBench, seconds: float) -> None:
    """As a host would, by its frames."""
    face = bench.room.devices["shuffler"].face
    assert isinstance(face, TdlDevice)
    end_ns = bench.room.stage.now_ns + round(seconds * NS_PER_S)
    bench.room.stage.act(lambda: face.permits[Permit.FEED].grant(end_ns, None))


async def test_eyes_see_no_hidden_card() -> None:
    async with running_room() as bench:
        await bench.person("move", source="cabinet", to="spread")
        await bench.person("move", source="spread", to="seat 1", card="K♠ red")
        await bench.person("move", source="spread", to="bank, face down", card="A♣ blue")
        await bench.person("lay-in-hopper", source="spread", cards=20)
        seen = (await bench.ask("look"))["what"]
        assert seen["cards"] == {"seat 1": ["K♠ red"], "bank, face down": ["a card"]}
        assert seen["heaps"] == {"spread": 82, "reserve": 52}
        assert seen["machines"]["shuffler"]["in hopper"] == 20
        assert "A♣ blue" not in str(seen)


async def test_everything_is_for_the_laboratory() -> None:
    async with running_room() as bench:
        everything = (await bench.ask("look", everything=True))["what"]
        assert everything["census"] == {"cabinet": 104, "reserve": 52}
        assert everything["devices"]["shuffler"]["boot"] == 1
        bench.room.plan = type(bench.room.plan)(devices=bench.room.plan.devices)
        assert (await bench.ask("look", everything=True))["answer"] == "impossible"


async def test_a_folded_card_jams_only_when_a_roller_takes_it() -> None:
    async with running_room() as bench:
        machine = bench.room.table.machine
        await bench.person("move", source="cabinet", to="spread")
        await bench.person("lay-in-hopper", source="spread", cards=10)
        await bench.world("spoil-next-card", spot="feed", defect="creased")
        assert await bench.fired() == [False]
        permit_feed(bench, 10)
        await asyncio.sleep(10)
        assert await bench.fired() == [True]
        assert sorted(machine.standing.jams) == ["feed"]
        assert (await bench.ask("look"))["what"]["machines"]["shuffler"]["lamp"] == "red blinking"


async def test_the_lid_is_locked_to_hands() -> None:
    async with running_room() as bench:
        answer = await bench.ask("person", deed={"does": "lift-lid"})
        assert (answer["answer"], answer["text"]) == ("impossible", "the lid is locked")
        assert await bench.person("lift-lid", with_key=True) == {"stuck": []}
        assert (await bench.ask("look"))["what"]["machines"]["shuffler"]["lid open"] is True


async def test_a_pulled_cable_ends_the_link_and_lets_nobody_in() -> None:
    async with running_room() as bench:
        answer = bench.room.memory_answers["shuffler"]
        answer()
        await bench.world("pull-cable", device="shuffler")
        with pytest.raises(LinkAbsent, match="out"):
            answer()
        assert (await bench.ask("world", deed={"does": "pull-cable", "device": "shuffler"}))["answer"] == "impossible"
        await bench.world("plug-cable", device="shuffler")
        await asyncio.sleep(0.1)
        assert answer().is_simulated


async def test_a_reset_is_another_boot() -> None:
    async with running_room() as bench:
        face = bench.room.devices["shuffler"].face
        assert isinstance(face, TdlDevice)
        await bench.world("reset", device="shuffler", cause="watchdog")
        assert face.boot_number == 2
        answer = await bench.ask("world", deed={"does": "reset", "device": "shuffler", "cause": "fate"})
        assert answer["answer"] == "impossible"
        assert "WATCHDOG" in answer["text"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"half a line", "malformed"),
        (b'{"id":"1","act":"dance"}', "one of look, person, world, proofs"),
        (b'{"id":"1","act":"person","deed":{"does":"fly"}}', "fly"),
        (b'{"id":"1","act":"person","deed":{"does":"press-key","key":"done","hard":true}}', "hard"),
        (b'{"id":"1","act":"world","deed":{"does":"pull-cable"}}', "device"),
        (b'{"id":"1","act":"look","colour":"red"}', "colour"),
    ],
)
async def test_what_is_no_message_is_said_to_be_none(line: bytes, says: str) -> None:
    async with running_room() as bench:
        answer = (await bench.desk.answer(line)).decode()
        assert '"answer":"mistaken"' in answer
        assert says in answer


@pytest.mark.parametrize(
    ("act", "deed", "says"),
    [
        ("person", {"does": "tapp", "badge": "26:00020140"}, "did you mean tap?"),
        ("person", {"does": "press-key"}, "press-key key=hold|call|no more bets|done|damaged card [for_ms=120]"),
        ("person", {"badge": "26:00020140"}, "say what is done: one of press-key"),
        ("world", {"does": "jam at the exit"}, 'provoke fault="jam at the exit"'),
        ("world", {"does": "tap"}, "It is one of"),
    ],
)
async def test_a_mistaken_deed_is_told_how_it_is_said_rightly(act: str, deed: dict[str, str], says: str) -> None:
    async with running_room() as bench:
        answer = await bench.ask(act, deed=deed)
        assert (answer["answer"], says in answer["text"]) == ("mistaken", True), answer


def test_every_deed_is_listed_with_what_it_takes() -> None:
    listed = CliRunner().invoke(main, ["deeds"])
    assert listed.exit_code == 0
    for kind in (PersonDeed, WorldDeed):
        for deed in members(kind):
            assert f"  {deed_name(deed.__name__)}" in listed.output
            assert said(deed)


def test_a_file_that_is_not_there_is_named() -> None:
    socket = ["--control-socket", "nowhere.sock", "--table", "T"]
    for arguments in (["serve", "nowhere.toml"], ["scenario", "day.toml", "--plan", "nowhere.toml", *socket]):
        refused = CliRunner().invoke(main, arguments)
        assert (refused.exit_code, "nowhere.toml: No such file" in refused.output) == (78, True)


def test_people_do_not_wait_for_a_simulator_that_nobody_started(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    demo = (Path(__file__).parents[3] / "demo" / "simulation.toml").read_text("utf-8")
    plan.write_text(demo.replace("../run/", f"{tmp_path}/none/"), "utf-8")
    given = ["--plan", str(plan), "--control-socket", "none.sock", "--table", "T"]
    refused = CliRunner().invoke(main, ["scenario", "day.toml", *given])
    assert (refused.exit_code, "start one with `tableside-sim serve`" in refused.output) == (69, True), refused.output


async def test_a_deed_for_a_device_that_is_not_there_names_those_that_are() -> None:
    async with running_room() as bench:
        answer = await bench.ask("world", deed={"does": "pull-cable", "device": "shufler"})
        assert "shuffler, spare, switches, badges" in answer["text"]


async def test_a_tap_is_read_by_the_reader_once() -> None:
    async with running_room() as bench:
        assert await bench.person("tap", badge="26:00020140") == {"colour": "dark"}
        head = bench.room.heads["badges"]
        assert head.take_read() is not None
        assert head.take_read() is None
        answer = await bench.ask("person", deed={"does": "tap", "badge": "26:nothing"})
        assert answer["answer"] == "impossible"
