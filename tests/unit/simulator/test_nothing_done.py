"""Hands that come away with nothing: people who are simulated look and try again, whoever types a deed is told why."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest
from click.testing import CliRunner

from simulator.cli import main
from simulator.control import SideChannel
from simulator.deeds import PersonDeed, members
from simulator.undone import MOVED
from simulator.world.happenings import Spot
from tests.unit.simulator.room_bench import RoomBench, running_room

# On a table whose cards are all in the cabinet, with an empty machine whose lid is shut.
ON_NOTHING: tuple[tuple[dict[str, object], str], ...] = (
    ({"does": "lay-in-hopper"}, "no card lies in 'spread'; cards lie in reserve (52), cabinet (104)"),
    ({"does": "lay-in-hopper", "source": "spraed"}, "no card lies in 'spraed'"),
    ({"does": "move", "source": "seat 1", "to": "tray"}, "no card lies in 'seat 1'"),
    ({"does": "gather"}, "no card lies before a seat"),
    ({"does": "wash"}, "no card lies in 'spread'"),
    ({"does": "take-from-hopper"}, "no card lies in the hopper"),
    ({"does": "take-from-mouth"}, "no card lies in the mouth"),
    ({"does": "draw", "to": "seat 1"}, "no card stands at the exit; the machine is empty"),
    ({"does": "take-stuck", "spot": "exit", "to": "spread"}, "the lid is shut: lift it first (lift-lid)"),
    ({"does": "take-from-nose", "to": "spread"}, "the lid is shut"),
    ({"does": "take-tag", "tag": "D0AC1F62"}, "no tag D0AC1F62 lies here; there are none"),
    ({"does": "empty-by-hand"}, "the lid is shut"),
)


@pytest.mark.virtual_time
@pytest.mark.parametrize(("deed", "says"), ON_NOTHING)
async def test_the_answer_says_what_is_there_and_is_still_done(deed: dict[str, object], says: str) -> None:
    async with running_room() as bench:
        before = bench.room.table.census()
        answer = await bench.ask("person", deed=deed)
        assert answer["answer"] == "done", "a dealer who is simulated tries again"
        assert says in answer["text"]
        assert bench.room.table.census() == before


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("deed", "says"),
    [
        (
            {"does": "take-stuck", "spot": "exit", "to": "spread"},
            "nothing is stuck at the exit; cards are stuck: nowhere",
        ),
        ({"does": "take-from-nose", "to": "spread"}, "no card stands at the exit"),
        ({"does": "empty-by-hand"}, "no card is inside"),
        ({"does": "draw", "to": "seat 1"}, "the lid is open: shut it first"),
    ],
)
async def test_at_an_open_lid_it_says_what_is_not_there(deed: dict[str, object], says: str) -> None:
    async with running_room() as bench:
        await bench.person("lift-lid", with_key=True)
        assert says in (await bench.ask("person", deed=deed))["text"]


@pytest.mark.virtual_time
async def test_a_card_that_the_brake_holds_and_a_full_hopper_are_told() -> None:
    async with running_room() as bench:
        carousel = bench.room.table.machine.carousel
        await bench.person("move", source="cabinet", to="spread")
        next(iter(bench.room.table.felt["spread"])).move_to(carousel.nose)
        held = await bench.ask("person", deed={"does": "draw", "to": "seat 1"})
        assert "a card stands at the exit and the brake holds it" in held["text"]
        await bench.person("move", source="reserve", to="spread")
        await bench.person("lay-in-hopper")
        full = await bench.ask("person", deed={"does": "lay-in-hopper"})
        assert full["text"] == f"the hopper is full: {bench.room.table.machine.figures.hopper_cards} cards lie in it"


@pytest.mark.virtual_time
async def test_a_card_deep_in_the_machine_asks_for_tools() -> None:
    async with running_room() as bench:
        await bench.person("move", source="cabinet", to="spread")
        carousel = bench.room.table.machine.carousel
        next(iter(bench.room.table.felt["spread"])).move_to(carousel.stuck(Spot.CAROUSEL))
        carousel.jammed.add(Spot.CAROUSEL)
        carousel.deep_jams.add(Spot.CAROUSEL)
        await bench.person("lift-lid", with_key=True)
        deed = {"does": "take-stuck", "spot": "carousel", "to": "spread"}
        assert "without tools (with_tools=true)" in (await bench.ask("person", deed=deed))["text"]
        freed = await bench.ask("person", deed={**deed, "with_tools": True})
        assert (freed["what"], "text" in freed) == ({"count": 1}, False)


def test_every_deed_that_tells_how_many_says_why_there_were_none() -> None:
    """Looking through an empty place is no failure: it shows that nothing is there."""
    silent = [kind for kind in members(PersonDeed) if kind.why_nothing is PersonDeed.why_nothing]
    telling = {
        kind.__name__ for kind in silent if any(f'"{key}"' in inspect.getsource(kind.carry_out) for key in MOVED)
    }
    assert telling == {"LookThrough"}


async def _typed(bench: RoomBench, socket: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `tableside-sim person …`, in a thread: the room answers meanwhile."""
    given = ["person", "--side-channel", str(socket), *words]
    done = await asyncio.to_thread(CliRunner().invoke, main, given)
    return done.exit_code, done.stdout, done.stderr


async def test_whoever_types_it_is_told_and_the_exit_code_is_not_0(tmp_path: Path) -> None:
    async with running_room() as bench:
        socket = tmp_path / "side.sock"
        channel = SideChannel(bench.desk, socket)
        await channel.open()
        serving = asyncio.create_task(channel.run())
        try:
            code, out, err = await _typed(bench, socket, "lay-in-hopper")
            assert (code, out) == (69, "")
            assert err.startswith("nothing done: no card lies in 'spread'; cards lie in")
            code, out, err = await _typed(bench, socket, "juggle")
            assert (code, out) == (64, "")
            assert "nothing is called 'juggle' here" in err
            assert (await _typed(bench, socket, "move", "cards=many"))[0] == 64
            assert (await _typed(bench, socket, "move", "source=cabinet", "to=spread"))[0] == 0
            assert (await _typed(bench, socket, "lay-in-hopper", "cards=20"))[:2] == (0, '{\n  "count": 20\n}\n')
        finally:
            serving.cancel()
            await asyncio.wait([serving])
