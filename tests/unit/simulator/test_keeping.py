"""What outlives a restart of the simulator: a device's memory at once, cards where they lay."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.faces.memory import CommandRecord
from simulator.faces.tdl_device import TdlDevice
from simulator.keeping import Keeper, KeepingRefused, lay_out, read_kept
from simulator.room import Room
from tests.unit.simulator.room_bench import PLAN, RoomBench

pytestmark = pytest.mark.virtual_time


async def test_memory_and_cards_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "memory.json"
    bench = RoomBench()
    keeper = Keeper(bench.room, path)
    bench.room.power_up()
    await bench.person("move", source="cabinet", to="spread")
    await bench.person("move", source="spread", to="seat 3", card="K♠ red")
    await bench.person("lay-in-hopper", source="spread", cards=7)
    await bench.person("exchange-machine", device="spare")
    bench.room.table.machines["000123"].carousel.hopper.bottom.move_to(
        bench.room.table.machines["000123"].carousel.exit_path
    )
    keeper.save()

    kept = read_kept(path)
    assert kept is not None
    room = Room(PLAN, memories=kept.memories)
    lay_out(room, kept)
    room.power_up()
    room.table.assert_conserved()
    assert room.table.in_play == "000124"
    assert [card.face for card in room.table.felt["seat 3"]] == ["K♠"]
    assert len(room.table.machines["000123"].carousel.hopper) == 6
    assert room.table.machines["000123"].standing.jams == {"exit"}
    face = room.devices["shuffler"].face
    assert isinstance(face, TdlDevice)
    assert face.boot_number == 2
    room.stage.close()
    bench.room.stage.close()


async def test_a_memory_is_in_the_file_before_the_reply_goes_out(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    bench = RoomBench()
    Keeper(bench.room, path)
    bench.room.power_up()
    bench.room.stage.act(lambda: bench.room.memories["000123"].store_commands(CommandRecord(epoch=9, highest=4)))
    kept = read_kept(path)
    assert kept is not None
    assert kept.memories["000123"].commands == CommandRecord(epoch=9, highest=4)
    bench.room.stage.close()


def test_nothing_kept_is_a_new_room_and_a_broken_file_is_refused(tmp_path: Path) -> None:
    assert read_kept(tmp_path / "none.json") is None
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="ascii")
    with pytest.raises(KeepingRefused, match="remove the file"):
        read_kept(broken)
