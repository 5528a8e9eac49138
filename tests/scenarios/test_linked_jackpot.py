"""A table that feeds a jackpot in a ledger, through every layer, in virtual time, its daemon killed (JP-2, JP-13)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from msgspec.structs import replace

from simulator.plan import Plan
from tableside.config import HostConfig
from tableside.configuration.ledger import LedgerPlace
from tableside.jackpot.ledger import Ledger
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.jackpot.settings import WHOLE
from tests.law.jackpot_table import SETTINGS
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house
from tests.support.ledger import in_loop

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]


async def test_a_bet_that_is_on_its_way_when_the_daemon_dies_is_counted_once(tmp_path: Path) -> None:
    place = LedgerPlace("grand", replace(SETTINGS, counted_cards=4), file=tmp_path / "ledger.db")

    def linked(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
        table = dataclasses.replace(config.tables[0], jackpot=place.settings, ledger=place)
        return plan, dataclasses.replace(config, tables=(table,))

    async with house(tmp_path, more=linked) as here:
        checks = Checks(here)
        for path in (ROOT / "scenarios" / "first_rounds.toml", ROOT / "tests" / "scenarios" / "linked_jackpot.toml"):
            outcome = await here.play(path)
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
    store = SqliteStore(tmp_path / "ledger.db", in_loop)
    await store.open()
    standing = await Ledger(store, place.name, place.settings).standing()
    await store.close()
    main = standing.pots[0]
    assert standing.is_reconciled
    assert (main.contributed, main.taken, standing.pending) == (3 * 75 * WHOLE, 5_000 * WHOLE, 0)
