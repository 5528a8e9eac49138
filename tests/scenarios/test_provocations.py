"""Each way to provoke an alert or a fault that the catalogue tells is played at the simulated table, and raises it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from simulator.watch import Row
from tableside.catalogue import Standing, catalogue
from tableside.explained import fault_code
from tests.scenarios.test_antennas import with_antennas
from tests.scenarios.test_baccarat_shoe import shoe_only
from tests.scenarios.test_card_reader import with_reader
from tests.scenarios.test_jackpot_chips import with_slots
from tests.scenarios.virtual_house import ROOT, House, More, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

# How long, in virtual seconds, an alert may take from the last deed: some wait for a time to run out.
PATIENCE_S = 1_200
CAST = {
    "dealer": ("dealer", "D-101", "26:00010140"),
    "floor supervisor": ("supervisor", "S-201", "26:00020140"),
    "room management": ("room management", "R-401", "26:00040140"),
    "technician": ("technician", "T-501", "26:00050140"),
}
BACCARAT_CAST = CAST | {"dealer": ("baccarat dealer", "D-101", "26:00010140")}
# What stands at the table beside the demo's, and which scenario brings it to where provocations begin.
OPENED = "first_rounds.toml"
SITUATIONS = {
    "in play": (None, OPENED),
    "closed": (None, ""),
    "in play, chip slots": (with_slots, OPENED),
    "in play, card reader": (with_reader, OPENED),
    "in play, antennas": (with_antennas, OPENED),
    "watched shoe": (shoe_only, ""),
}
STANDING: dict[str, Standing] = {
    **{entry.id: entry for entry in catalogue().alert},
    **{fault_code(entry.number): entry for entry in catalogue().fault},
}
PROVOKED = [code for code, entry in STANDING.items() if entry.provoke]


def toml(value: object) -> str:
    """A value of a scenario: texts, numbers, lists and inline tables."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {toml(one)}' for name, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def scenario_of(entry: Standing, cast: dict[str, tuple[str, str, str]]) -> str:
    """The steps as a scenario's text; nobody answers a pager, so that what was provoked stands."""
    steps = [{key: value for key, value in msgspec.to_builtins(deed).items() if value} for deed in entry.provoke]
    steps[-1]["goes_on"] = True  # whoever deals does not come to an end at a stop
    steps.append({"expect": [{"row": "NeverWritten"}], "within_s": PATIENCE_S})
    lines = ['title = "a provocation"', "seed = 7"]
    for name, (kind, staff, badge) in cast.items():
        member = {"name": name, "as": kind, "staff_id": staff, "badge": badge, "pager": False}
        lines += ["[[cast]]", *(f"{key} = {toml(value)}" for key, value in member.items())]
    for step in steps:
        lines += ["[[steps]]", *(f"{key} = {toml(value)}" for key, value in step.items())]
    return "\n".join(lines)


def opened(folder: Path, name: str) -> Path:
    """The scenario that opens the table, with one round instead of five: and everybody stays away from pagers."""
    text = (
        (ROOT / "scenarios" / name)
        .read_text("utf-8")
        .replace('badge = "26:00020140"', 'badge = "26:00020140"\npager = false')
    )
    begin = text.index('says = "Five rounds"')
    path = folder / "opened.toml"
    path.write_text(text[: text.rindex("[[steps]]", 0, begin)], "utf-8")
    return path


async def raised(here: House, path: Path, code: str, alert: str) -> bool:
    """Play it until the alert was raised; False where it never was."""
    is_there = asyncio.Event()

    def hear(row: Row) -> None:
        is_raised = row.type in ("AlertRaised", "LineShown") and row.body["text"] == alert
        if is_raised and (code == alert or row.body["fields"].get("fault") in (None, code.removeprefix("FAULT-"))):
            is_there.set()

    here.hears.append(hear)
    playing = asyncio.create_task(here.play(path), name=code)
    waiting = asyncio.create_task(is_there.wait(), name="alert")
    done, _ = await asyncio.wait({playing, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if playing in done and not is_there.is_set():
        print("\n".join(map(str, playing.result().mismatches)))
    for task in (playing, waiting):
        task.cancel()
    await asyncio.wait({playing, waiting})
    return is_there.is_set()


@pytest.mark.parametrize("code", PROVOKED)
async def test_it_happens_as_the_manual_says(code: str, tmp_path: Path) -> None:
    entry = STANDING[code]
    more, opening = SITUATIONS[entry.provoke_at]
    is_shoe = more is shoe_only
    chosen: More | None = with_antennas(tmp_path) if more is with_antennas else more  # type: ignore[assignment]
    async with house(tmp_path / "run", more=chosen) as here:
        if opening:
            outcome = await here.play(opened(tmp_path, opening))
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        path = tmp_path / "provocation.toml"
        path.write_text(scenario_of(entry, BACCARAT_CAST if is_shoe else CAST), "utf-8")
        alert = getattr(entry, "alert", code)
        assert await raised(here, path, code, alert)
