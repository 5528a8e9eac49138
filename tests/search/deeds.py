"""The vocabulary of stories: what each act does to a house. What cannot be done now is simply not done.

Numbers that people tell are looked up when they tell them where a field says so (`@hopper`), so that a story that is
cut shorter stays truthful.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from simulator.faces.tdl_device import TdlDevice
from simulator.faults import CATALOGUE
from simulator.hands_voice import CannotDo
from simulator.line import Direction, LineFault
from simulator.sorting import sorted_groups
from simulator.world.cards import Card, Pile
from simulator.world.happenings import Spot
from simulator.world.table import ASIDE, RESERVE, SPREAD
from tests.search.house import House, new_decks
from tests.search.story import Act

TAKING = ("take-stuck", "take-from-nose", "empty-by-hand")


# --- people's words ------------------------------------------------------------------------------------------


async def ask(house: House, act: str, staff: str = "", **given: Any) -> None:
    """A request; `is_double`: clicked twice at once; `is_left`: nobody waits for the answer."""
    fields = {name: told(house, value) for name, value in given.get("fields", {}).items()}
    if None in fields.values():
        return
    message = house.message(act, staff, fields, given.get("pins", {}))
    house.asked.append(message)
    asking = [asyncio.create_task(house.ask(message), name=f"asks {act}")]
    if given.get("is_double"):
        asking.append(asyncio.create_task(house.ask(message, voice=1), name=f"asks {act} again"))
    if given.get("is_left"):
        house.left += asking
        return
    await asyncio.gather(*asking)
    if house.last_answer["answer"] == "accepted":
        if act == "cards-taken-out":
            house.taken = 0
        elif act == "open-table":
            new_decks(house.room, house.setting)


async def repeat(house: House, place: int) -> None:
    """Somebody sends an earlier request again, word for word."""
    if house.asked:
        await house.ask(house.asked[place % len(house.asked)], voice=1)


def told(house: House, value: Any) -> Any:
    """What a person says where a field asks for a truth; None where there is none."""
    if isinstance(value, str) and value.startswith("@"):
        return TRUTHS[value](house)
    return value


def _on_felt_beside(house: House, account_place: str) -> int | None:
    """Two places of the account lie on the same felt: what one has not, is the other's."""
    state = house.state
    return None if state is None else max(0, house.room.table.census()["table"] - state.account.at(account_place))


def _cards_to_sort(house: House) -> list[dict[str, object]]:
    cards = [f"{card.face} {card.back}" for card in house.room.table.felt[SPREAD]]
    return sorted_groups(cards, {"red": house.setting.decks, "blue": house.setting.decks})


def _first(numbers: Mapping[str, object]) -> int | None:
    return int(next(iter(numbers))) if numbers else None


def _corrected(house: House) -> int | None:
    state = house.state
    return None if state is None else state.procedures.load.counted + len(house.room.table.machine.carousel.hopper)


def _counted_out(house: House) -> int | None:
    return None if house.state is None else len(house.room.table.felt[ASIDE])


TRUTHS: Mapping[str, Callable[[House], Any]] = {
    "@hopper": lambda house: len(house.room.table.machine.carousel.hopper),
    "@machine": lambda house: house.room.table.machine.cards_inside,
    "@table": lambda house: _on_felt_beside(house, "aside"),
    "@aside": lambda house: _on_felt_beside(house, "table"),
    "@tray": lambda house: len(house.room.table.felt["tray"]),
    "@taken": lambda house: house.taken,
    "@sort": _cards_to_sort,
    "@corrected": _corrected,
    "@counted out": _counted_out,
    "@complaint": lambda house: _first(house.state.procedures.complaints.open) if house.state else None,
    "@incident": lambda house: _first(house.state.incidents.open) if house.state else None,
    "@alert": lambda house: (
        next((a.number for a in house.state.alerts.standing.values()), None) if house.state else None
    ),
}


# --- hands and world -----------------------------------------------------------------------------------------


async def hands(house: House, does: str, **fields: Any) -> None:
    """What a person's hands do."""
    try:
        seen = await house.side.person({"does": does, **fields})
    except CannotDo:
        return
    if does in TAKING:
        house.taken += seen["count"] if "count" in seen else len(seen["cards"])


async def world(house: House, does: str, **fields: Any) -> None:
    """What the world does to the table."""
    try:
        await house.side.world({"does": does, **fields})
    except CannotDo:
        return
    house.causes.append(str(fields.get("fault", does)))


async def replace(house: House) -> None:
    """The supervisor takes a card from the felt, seals it, lays the same one from the reserve there, and says so."""
    found = _replaceable(house)
    if found is None:
        return
    place, card, spare = found
    name = f"{card.face} {card.back}"
    where = "tray" if place.name == "tray" else _where_on_table(house)
    envelope = f"E-{len(house.answers)}"
    fields = {"damaged": name, "replacement": name, "envelope": envelope, "found_in": where}
    message = house.message("replace-card", "S-201", fields, {})
    house.asked.append(message)
    said = await house.ask(message)
    if said["answer"] == "accepted":
        house.room.stage.act(lambda: (card.move_to(house.room.table.felt["envelope 1"]), spare.move_to(place)))


def _replaceable(house: House) -> tuple[Pile, Card, Card] | None:
    """The most bent card that lies about, and its like in the reserve deck."""
    felt = house.room.table.felt
    places = [felt[name] for name in (*felt.hands, SPREAD, "tray")]
    for place, card in sorted(((p, c) for p in places for c in p), key=lambda each: -each[1].bend_um):
        spare = felt[RESERVE].find(card.face, card.back)
        if spare is not None:
            return place, card, spare
    return None


def _where_on_table(house: House) -> str:
    state = house.state
    return "aside" if state is not None and state.account.at("table") < 1 else "table"


async def gather(house: House) -> None:
    """Everything that lies about comes into the dealer's hands."""
    felt, machine = house.room.table.felt, house.room.table.machine
    places = [felt[name] for name in (*felt.hands, "tray", ASIDE)]

    def all_of_it() -> None:
        for pile in (*places, *(each.carousel.mouth for each in house.room.table.machines.values())):
            pile.move_all(felt[SPREAD])
        machine.carousel.hopper.move_all(felt[SPREAD])

    house.room.stage.act(all_of_it)


# --- cables, power, daemon, disk, clock ------------------------------------------------------------------------


async def line(house: House, device: str, fault: str, direction: str) -> None:
    """The next chunk on a cable meets a fault."""
    bad_line = house.room.devices[device].cable.line
    if bad_line is not None:
        bad_line.provoke(LineFault(fault), Direction(direction))


async def crash(house: House, turns: int, down_s: float) -> None:
    """The daemon dies after so many turns of the loop from now, and is started again so much later."""
    for _ in range(turns):
        await asyncio.sleep(0)
    await house.host.kill()
    await asyncio.sleep(down_s)
    await house.host.start()


async def restart(house: House, down_s: float) -> None:
    """The daemon is stopped as a service is, and started again."""
    await house.host.stop()
    house.host.daemon = None
    await asyncio.sleep(down_s)
    await house.host.start()


async def disk(house: House, **how: Any) -> None:
    """What the disk is like from now on."""
    for name in ("before_s", "after_s"):
        setattr(house.host.trouble, name, float(how.get(name, 0)))
    for name in ("journal_fails", "reserve_fails"):
        setattr(house.host.trouble, name, bool(how.get(name)))


async def clock(house: House, step_s: float) -> None:
    """The wall clock is stepped."""
    house.host.clock.step_wall(step_s)


async def heal(house: House) -> None:
    """Whatever is broken is mended, plugged in, switched on; nothing is done to cards, locks or words."""
    await disk(house)
    if house.host.daemon is None:
        await house.host.start()
    for device in house.room.devices.values():
        if not device.cable.is_in:
            device.cable.plug_in()
        if device.cable.line is not None:
            device.cable.line.quality = type(device.cable.line.quality)(chances={})
        if isinstance(device.face, TdlDevice) and device.face.memory.is_broken:
            device.face.memory.is_broken = False
        house.room.switch_on(device.name)
    for name in CATALOGUE:
        if CATALOGUE[name].mend is not None and name not in ("lid forced", "power off"):
            await world_mends(house, name)
    for machine in house.room.table.machines.values():
        machine.carousel.has_bent_guide = False
        machine.carousel.feed_slip = 1.0
        machine.carousel.broken.clear()
        for spot in (Spot.FEED, Spot.EXIT):
            machine.carousel.counter(spot).margin, machine.carousel.counter(spot).is_stuck = 1.0, False
    for card in house.room.table.cards:
        card.bend_um, card.is_sticky, card.is_askew = 0, False, False


async def world_mends(house: House, fault: str) -> None:
    """One cause goes."""
    try:
        await house.side.world({"does": "mend-fault", "fault": fault})
    except CannotDo:
        return


async def wait(house: House) -> None:
    """Nothing; time passes."""


DEEDS: Mapping[str, Callable[..., Awaitable[None]]] = {
    deed.__name__.replace("_", "-"): deed
    for deed in (
        ask, repeat, hands, world, replace, gather, line, crash, restart, disk, clock, heal, wait
    )
}  # fmt: skip


async def carry_out(house: House, act: Act) -> None:
    """Do it, and let time pass."""
    await DEEDS[act.does](house, **act.with_)
    await asyncio.sleep(act.then_s)


__all__ = ["DEEDS", "carry_out"]
