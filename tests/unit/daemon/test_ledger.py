"""Tables of a daemon that share a jackpot in a ledger, in virtual time: nothing is lost or counted twice (JP-2)."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from drivers.events import Shown
from tableside.config import HostConfig, load_host
from tableside.configuration.house import house_of
from tableside.daemon import Daemon
from tableside.jackpot.ledger import Ledger, LedgerAway
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.jackpot.linked import Standing
from tableside.procedures.jackpot_slice import LedgerState
from tests.law.jackpot_table import SETTINGS
from tests.support import simulated_host
from tests.support.config_files import Edit, write_config
from tests.support.ledger import Cable, in_loop
from tests.support.simulated_host import MATCHING, TWO_TABLES, SimulatedTable, new_clock, second_table, until

pytestmark = pytest.mark.virtual_time

JACKPOT = """
[jackpot]
ledger = "sqlite:ledger.db"
ledger_name = "grand"
currency = "EUR"
bet = 100
increment = 7500
start = 1000000
counted_cards = 2
approved_by = "Inspection service, dispatch 12"
approved_on = 2026-11-01

[[jackpot.prizes]]
name = "two aces"
amount = 5000
combination = { cards = 2, ranks = ["A", "A"] }

[[jackpot.prizes]]
name = "suited aces"
combination = { cards = 2, ranks = ["A", "A"], suits = "same suit" }
"""
T = TypeVar("T")
TABLES = ("BJ-1", "BJ-2")
START = 1_000_000
_ids = itertools.count(1)


def linked_in(folder: Path) -> HostConfig:
    (folder / "second.toml").write_text(second_table() + JACKPOT, "utf-8")
    return load_host(write_config(folder, *MATCHING, TWO_TABLES, Edit("table", "", JACKPOT)))


@asynccontextmanager
async def running(host: HostConfig, cable: Cable) -> AsyncIterator[Daemon]:
    """A daemon with that cable to its ledger."""
    devices, clock = SimulatedTable(), new_clock()
    ground = dataclasses.replace(simulated_host.ground(clock, devices.connect), new_ledger=cable.store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated_host, "ground", lambda *_args, **_options: ground)
        async with simulated_host.running(host, devices, clock) as daemon:
            yield daemon
    await devices.close()


async def ask(daemon: Daemon, table: str, act: str, **fields: object) -> dict[str, Any]:
    page = simulated_host.Page(daemon)
    staff = "S-1" if act in ("pay-jackpot", "deny-jackpot") else f"D-{table[-1]}"
    answer = await page.ask(id=f"t{next(_ids)}", act=act, table=table, staff=staff, fields=fields)
    await page.end()
    return answer


def is_here(daemon: Daemon) -> bool:
    return all(
        table.state.procedures.jackpot_ledger.state is LedgerState.HERE
        and not table.state.procedures.jackpot_ledger.outbox
        for table in daemon.tables.values()
    )


def shows(daemon: Daemon, what: Shown, amount: int = 0) -> bool:
    goals = [table.state.displays.goal for table in daemon.tables.values()]
    return all(goal is not None and (goal.what, goal.amount) == (what, amount) for goal in goals)


def alerts(daemon: Daemon, table: str) -> list[str]:
    return [alert.text for alert in daemon.tables[table].state.alerts.standing.values()]


async def ledger_says(host: HostConfig) -> Standing:
    place = host.tables[0].ledger
    assert place is not None
    assert place.file is not None
    store = SqliteStore(place.file, in_loop)
    await store.open()
    standing = await Ledger(store, place.name, place.settings).standing()
    await store.close()
    assert standing.is_reconciled
    return standing


async def test_what_one_table_collects_all_show(tmp_path: Path) -> None:
    host = linked_in(tmp_path)
    async with running(host, Cable()) as daemon:
        await until(lambda: is_here(daemon))
        assert shows(daemon, Shown.AMOUNT, START)
        for table, seats in zip(TABLES, ([1, 2], [3]), strict=True):
            assert (await ask(daemon, table, "mark-bets", seats=seats))["answer"] == "accepted"
        await until(lambda: shows(daemon, Shown.AMOUNT, START + 3 * 75))
    assert (await ledger_says(host)).value == START + 3 * 75


async def test_a_write_without_answer_locks_asks_again_and_is_counted_once(tmp_path: Path) -> None:
    host, cable = linked_in(tmp_path), Cable()
    async with running(host, cable) as daemon:
        await until(lambda: is_here(daemon))
        cable.after = 1
        await ask(daemon, "BJ-1", "mark-bets", seats=[1, 2])
        await until(lambda: bool(cable.lost))
        await until(lambda: not is_here(daemon))
        await until(lambda: is_here(daemon) and shows(daemon, Shown.AMOUNT, START + 150))
    assert (await ledger_says(host)).value == START + 150


async def test_without_its_ledger_a_table_takes_no_bets_and_those_that_were_locked_are_sent_when_it_is_back(
    tmp_path: Path,
) -> None:
    host, cable = linked_in(tmp_path), Cable()
    async with running(host, cable) as daemon:
        await until(lambda: is_here(daemon))
        cable.before = True
        await ask(daemon, "BJ-1", "mark-bets", seats=[1, 2])
        await until(lambda: shows(daemon, Shown.WAIT))
        refused = await ask(daemon, "BJ-2", "mark-bets", seats=[3])
        assert (refused["answer"], refused["rule"]) == ("refused", "JP-2")
        await until(lambda: "LEDGER-LOST" in alerts(daemon, "BJ-2"))
        row = daemon.tables["BJ-2"].published
        await asyncio.sleep(300)
        assert daemon.tables["BJ-2"].published < row + 20, "not a row for each attempt"
    cable.before = False
    async with running(host, cable) as daemon:  # and the daemon was started anew meanwhile
        await until(lambda: is_here(daemon) and shows(daemon, Shown.AMOUNT, START + 150))
    assert (await ledger_says(host)).value == START + 150


async def test_a_claim_whose_answer_was_lost_is_one_hit_and_is_paid_once(tmp_path: Path) -> None:
    host, cable = linked_in(tmp_path), Cable()
    async with running(host, cable) as daemon:
        await until(lambda: is_here(daemon))
        await ask(daemon, "BJ-1", "mark-bets", seats=[1])
        await until(lambda: is_here(daemon))
        cable.after = 3
        assert (await ask(daemon, "BJ-1", "claim-jackpot", seat=1, cards=["AS", "AS"]))["answer"] == "accepted"
        await until(lambda: shows(daemon, Shown.PENDING) and is_here(daemon))
        assert len(cable.lost) == 3
        other = await ask(daemon, "BJ-2", "mark-bets", seats=[3])
        assert other["answer"] == "accepted", "the other table goes on"
        value = START + 75
        wrong = await ask(daemon, "BJ-1", "pay-jackpot", seats=[1], amounts=[value - 1])
        assert (wrong["answer"], wrong["rule"]) == ("refused", "JP-13")
        assert (await ask(daemon, "BJ-1", "pay-jackpot", seats=[1], amounts=[value]))["answer"] == "accepted"
        await until(lambda: is_here(daemon))
    standing = await ledger_says(host)
    assert (standing.value, standing.pending) == (START + 75, 0)


def test_of_the_ledger_its_name_alone_is_journalled(tmp_path: Path) -> None:
    """`House` is a row at each start; an address tells where money is kept."""
    host = linked_in(tmp_path)
    told = msgspec.json.encode(house_of(host, host.tables[0], 1)).decode()
    assert "sqlite" not in told
    assert '"jackpot_ledger":"grand"' in told


async def test_a_disk_that_hangs_is_a_ledger_that_is_away_and_another_attempt_opens_it_anew(tmp_path: Path) -> None:
    hangs = True

    async def apart(act: Callable[[], T], /) -> T:
        if hangs:
            raise TimeoutError
        return await in_loop(act)

    store = SqliteStore(tmp_path / "ledger.db", apart)
    with pytest.raises(LedgerAway, match="has not answered"):
        await store.open()
    hangs = False
    await store.open()
    ledger = Ledger(store, "grand", SETTINGS)
    await ledger.open()
    hangs = True
    with pytest.raises(LedgerAway):
        await ledger.standing()
    hangs = False
    with pytest.raises(LedgerAway, match="is not open"):
        await ledger.standing()
    await store.open()
    assert (await ledger.standing()).value == SETTINGS.start
    await store.close()
