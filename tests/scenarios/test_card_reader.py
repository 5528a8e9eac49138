"""A TDL card reader at the shuffler's mouth, whole and in virtual time: its count against the machine's."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from simulator.plan import DevicePlan, Kind, Plan
from simulator.watch import Row
from tableside.config import HostConfig
from tableside.configuration.shape import Device, DeviceRole
from tests.scenarios.checks import Checks
from tests.scenarios.test_baccarat_shoe import opened
from tests.scenarios.virtual_house import ROOT, TABLE, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

SERIAL = "000333"


def with_reader(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table, and a reader that sees what is dealt."""
    simulated = DevicePlan(name="eye", kind=Kind.CARD_READER, serial_number=SERIAL, address="memory://eye")
    eye = Device(
        name="eye",
        role=DeviceRole.CARD_READER,
        driver="tdl-card-reader",
        address="tcp://127.0.0.1:47109",
        serial_number=SERIAL,
        model="READER-SIM",
    )
    table = dataclasses.replace(config.tables[0], devices=(*config.tables[0].devices, eye))
    return (
        msgspec.structs.replace(plan, devices=(*plan.devices, simulated)),
        dataclasses.replace(config, tables=(table,)),
    )


async def test_what_the_reader_saw_is_held_against_what_the_machine_gave(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """semantics §2.2 and §6 through every layer; every message of the reader obeys the CDDL."""
    async with house(tmp_path, more=with_reader) as here:
        checks, cards_seen = Checks(here), list[object]()

        def hear(row: Row) -> None:
            if row.type == "CardPassed":
                cards_seen.append(row.body["card"])

        here.hears.append(hear)
        for path in (ROOT / "scenarios" / "first_rounds.toml", ROOT / "tests" / "scenarios" / "card_reader.toml"):
            outcome = await here.play(path)
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        reader = here.room.card_readers["eye"]
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert set(cards_seen) == {"a card"}
        assert not reader.missed
        assert "notice-card-read" in here.host.ear.valid
        found = [card.card for what in opened(tmp_path / f"{TABLE}.db") for card in what.cards]
        truth = [card.face for card in reader.seen]
        twice = next(at for at, face in enumerate(found) if face != truth[at])
        assert found[twice] == found[twice - 1], "the one that was seen twice"
        del found[twice]
        assert found == truth[: len(found)], "each card that went by, in order and once"
        early = [what for what in opened(tmp_path / f"{TABLE}.db") if what.is_face_up]
        assert [what.round for what in early] == [9]
        assert len(early[0].cards) >= 3, "what had been dealt when the dealer said so; the last may be on its way"
