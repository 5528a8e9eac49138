"""A table that is watched by its shoe, whole and in virtual time: no card leaves before its time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from drivers.readers.angel_eye_shoe import face_of
from firmware_bridge.wire.angel_eye import messages as said
from simulator.plan import DeckPlan, DevicePlan, Kind, Plan
from simulator.watch import Row
from simulator.world.cards import Back
from tableside.config import HostConfig
from tableside.configuration.shape import DeckGroup, Device, DeviceRole
from tableside.house import TableKind
from tableside.inputs import CardsOpened
from tableside.journal.reader import JournalReader
from tableside.journal.record import RecordKind
from tableside.rows import what_of
from tableside.sealing import PREFIX
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, TABLE, House, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

SERIAL = "AE-0001"
DECKS = ((Back.RED, 4), (Back.BLUE, 4))


def shoe_only(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's staff at a table with a shoe and nothing else."""
    simulated = DevicePlan(name="shoe", kind=Kind.SHOE, serial_number=SERIAL, address="memory://shoe")
    shoe = Device(
        name="shoe",
        role=DeviceRole.SHOE,
        driver="angel-eye-shoe",
        address="tcp://127.0.0.1:4001",
        serial_number=SERIAL,
        model="Angel Eye II-EX",
        is_simulated=True,
    )
    table = dataclasses.replace(
        config.tables[0],
        kind=TableKind.SHOE,
        devices=(shoe,),
        decks=tuple(DeckGroup(back=back.value, count=count) for back, count in DECKS),
    )
    decks = tuple(DeckPlan(back=back, count=count) for back, count in DECKS)
    return (
        msgspec.structs.replace(plan, devices=(simulated,), decks=decks),
        dataclasses.replace(config, tables=(table,)),
    )


def faces_told(here: House) -> list[str]:
    """Every card that the shoe has told, in the order told; what it was switched off for is in no list."""
    face = here.room.devices["shoe"].face
    messages: list[said.Message] = face.told  # type: ignore[attr-defined]  # the shoe's face
    return [face_of(one.card) for one in messages if isinstance(one, said.Drawn | said.DrawnOutside)]


def opened(journal: Path) -> Iterator[CardsOpened]:
    with JournalReader(journal) as reader:
        for record in reader.rows.records():
            if record.type == CardsOpened.__name__:
                what = what_of(record)
                assert isinstance(what, CardsOpened)
                yield what


async def test_a_shoe_is_watched_from_its_first_card_to_the_cut_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with house(tmp_path, more=shoe_only) as here:
        checks, cards_seen = Checks(here), list[object]()

        def hear(row: Row) -> None:
            if "card" in row.body:
                cards_seen.append(row.body["card"])

        here.hears.append(hear)
        outcome = await here.play(ROOT / "tests" / "scenarios" / "baccarat_shoe.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        here.room.table.assert_conserved()
        told = faces_told(here)
        findings = await checks.at_end()
        output = capsys.readouterr()
        checks.log(output.out + output.err)
        assert not findings, "\n".join(findings)
        assert set(cards_seen) == {"a card"}, "whoever watches the rows reads of each that it is a card"
        journal = tmp_path / f"{TABLE}.db"
        found = [card.card for what in opened(journal) for card in what.cards]
        assert found == told[: len(found)], "opened in the order told, none left out"
        assert len(told) - len(found) == 0, "every round is over"
        check_sealed(journal, told)
        check_traces(tmp_path)


async def test_the_evening_of_make_run_shows_cards_results_lock_and_an_error(tmp_path: Path) -> None:
    async with house(tmp_path, more=shoe_only) as here:
        outcome = await here.play(ROOT / "scenarios" / "baccarat_games.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))


def check_sealed(journal: Path, told: list[str]) -> None:
    """Every row that tells of a card has it sealed; in the clear it stands in what was opened alone."""
    sealed = 0
    with JournalReader(journal) as reader:
        for record in reader.rows.records():
            body = record.body.decode()
            if record.type == CardsOpened.__name__:
                continue
            assert not any(suit in body for suit in "♣♦♥♠"), record.type
            if record.kind is RecordKind.INPUT and '"card":' in body:
                assert PREFIX in body
                sealed += 1
    assert sealed == len(told)


def check_traces(folder: Path) -> None:
    """What was kept of the cable around incidents has none of the telegrams that tell a card."""
    kept = "".join(path.read_text("utf-8") for path in folder.rglob("*.trace"))
    assert kept, "incidents leave traces"
    for letter in "DRd":
        for seq in "0123456789ABCDEF":
            assert f"05{ord(seq):02x}{ord(letter):02x}" not in kept
