"""Three daemons, a table each, on one jackpot: ledger and tables are killed, no unit is lost or doubled (JP-2, JP-13).

What was collected and paid is read from the tables' own journals and compared with what the ledger says.
"""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tableside.config import load_host
from tableside.configuration.ledger import LedgerPlace
from tableside.jackpot.ledger import Ledger
from tableside.jackpot.linked import Standing
from tableside.jackpot.settings import WHOLE
from tableside.jackpot.stores import new_store
from tableside.jackpot_happenings import JackpotPaid, JackpotSent
from tableside.journal.reader import JournalReader
from tableside.rows import decision_of
from tests.support.config_files import Edit, write_config
from tests.support.postgres import Postgres
from tests.support.processes import Running, until
from tests.unit.daemon.test_ledger import JACKPOT, START

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

NAMES = ("BJ-1", "BJ-2", "BJ-3")
EACH = 75  # of a chip of 100, 75 % raise the display


@dataclass
class Pit:
    """The tables' daemons, and what the ledger stands in: `stop` and `go` take it away and bring it back."""

    hosts: Mapping[str, Path]
    running: dict[str, Running]
    stop: Callable[[], None]
    go: Callable[[], None]

    def start(self, name: str) -> None:
        folder = self.hosts[name].parent
        self.running[name] = Running(self.hosts[name], folder / "control.sock", folder / "log")
        self.running[name].until_answering()

    def kill(self, name: str) -> None:
        assert self.running[name].end(signal.SIGKILL) == -signal.SIGKILL

    def ask(self, name: str, act: str, **fields: object) -> Any:
        staff = "S-1" if act in ("pay-jackpot", "deny-jackpot") else "D-1"
        return self.running[name].asked(act, staff, fields)

    def ledger(self, name: str) -> Any:
        return self.running[name].told("state", table=name)["procedures"]["jackpot_ledger"]

    def until(self, name: str, is_so: Callable[[Any], object]) -> Any:
        until(lambda: is_so(self.ledger(name)), lambda: f"{name}: {self.ledger(name)}")
        return self.ledger(name)

    def until_all_told(self) -> None:
        for name in NAMES:
            self.until(name, lambda ledger: ledger["state"] == "connected" and not ledger["outbox"])


@contextmanager
def pit(folder: Path, address: str, stop: Callable[[], None], go: Callable[[], None]) -> Iterator[Pit]:
    """Three daemons that have found their ledger."""
    hosts = {}
    for name in NAMES:
        (folder / name).mkdir()
        jackpot = JACKPOT.replace("sqlite:ledger.db", address)
        named = Edit("table", 'name = "BJ-1"', f'name = "{name}"')
        hosts[name] = write_config(folder / name, named, Edit("table", "", jackpot))
    here = Pit(hosts, {}, stop, go)
    with ExitStack() as end:
        for name in NAMES:
            here.start(name)
            end.callback(lambda name=name: _over(here.running[name]))
        here.until_all_told()
        yield here


def _over(running: Running) -> None:
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait(30)


@pytest.fixture(params=["postgres", "sqlite"])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pit]:
    if request.param == "postgres":
        server = Postgres()
        try:
            server.start()
            with pit(tmp_path, server.address, server.kill, server.start) as here:
                yield here
        finally:
            server.stop()
        return
    file = tmp_path / "ledger.db"
    holding: list[sqlite3.Connection] = []

    def stop() -> None:
        """Somebody holds the file: no write gets through."""
        holding.append(sqlite3.connect(file, isolation_level=None))
        holding[-1].execute("BEGIN EXCLUSIVE")

    def go() -> None:
        holding.pop().close()

    with pit(tmp_path, f"sqlite:{file}", stop, go) as here:
        yield here


def place_of(here: Pit) -> LedgerPlace:
    place = load_host(here.hosts["BJ-1"]).tables[0].ledger
    assert place is not None
    return place


async def standing(place: LedgerPlace) -> Standing:
    store = new_store(place)
    await store.open()
    try:
        return await Ledger(store, place.name, place.settings).standing()
    finally:
        await store.close()


def rows(here: Pit, kind: type) -> Iterator[Any]:
    """All happenings of one kind, of all tables."""
    for name, host in here.hosts.items():
        with JournalReader(host.parent / "run" / f"{name}.db") as journal:
            for record in journal.rows.records(0):
                if record.type == kind.__name__:
                    yield decision_of(record)


def test_no_unit_is_lost_or_doubled_whoever_is_killed(tables: Pit) -> None:
    for place, name in enumerate(NAMES):
        seats = list(range(1, place + 2))
        assert tables.ask(name, "mark-bets", seats=seats)["answer"] == "accepted"
    tables.until_all_told()
    both = (START + 6 * EACH, START)
    with ThreadPoolExecutor(2) as at_once:
        claims = [
            at_once.submit(tables.ask, name, "claim-jackpot", seat=1, cards=["AS", "AS"]) for name in ("BJ-1", "BJ-2")
        ]
    assert [claim.result()["answer"] for claim in claims] == ["accepted", "accepted"]
    hits = {name: tables.until(name, lambda ledger: ledger["hit"])["hit"] for name in ("BJ-1", "BJ-2")}
    order = {hit["order"]: name for name, hit in hits.items()}
    assert sorted(order) == [1, 2]
    due = {order[1]: both[0], order[2]: both[1]}
    tables.stop()
    for name in ("BJ-1", "BJ-2"):  # the ledger said what is due before it went
        wrong = tables.ask(name, "pay-jackpot", seats=[1], amounts=[due[name] + 1])
        assert (wrong["answer"], wrong["rule"]) == ("refused", "JP-13")
        assert tables.ask(name, "pay-jackpot", seats=[1], amounts=[due[name]])["answer"] == "accepted"
    tables.kill("BJ-1")
    tables.kill("BJ-3")
    tables.until("BJ-2", lambda ledger: ledger["state"] == "away")
    assert tables.ask("BJ-2", "mark-bets", seats=[7])["rule"] == "JP-2"
    tables.start("BJ-1")
    assert len(tables.ledger("BJ-1")["outbox"]) == 1, "what was not acknowledged is still to be told"
    tables.go()
    tables.start("BJ-3")
    tables.until_all_told()
    for name in NAMES:
        assert tables.running[name].end() == 0
    sent = sum(len(row.seats) for row in rows(tables, JackpotSent))
    paid = sum(sum(row.amounts) for row in rows(tables, JackpotPaid))
    told = asyncio.run(standing(place_of(tables)))
    main = told.pots[0]
    assert (sent, paid) == (6, sum(both))
    assert (main.contributed, main.taken, told.pending) == (sent * EACH * WHOLE, paid * WHOLE, 0)
    assert told.is_reconciled
    assert main.value == START
