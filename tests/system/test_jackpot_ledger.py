"""The ledger of linked tables, in SQLite and in a real PostgreSQL: not a unit is lost or doubled (JP-2, JP-13)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace

from tableside.jackpot.ledger import Contribution, Hit, Ledger, LedgerAway, LedgerConflict, Pot
from tableside.jackpot.ledger_postgres import PostgresStore
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.jackpot.wins import Win
from tests.law.jackpot_table import SETTINGS
from tests.support.postgres import Postgres

TABLES, EACH = 50, 1_000
AGAIN_S = 0.05
ACTS = ("UPDATE jackpot_entries SET shown = 0", "DELETE FROM jackpot_entries", "TRUNCATE jackpot_closings")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    server = Postgres()
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def store_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], PostgresStore | SqliteStore]:
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "ledger.db")
    address = request.getfixturevalue("server").address
    return lambda: PostgresStore(address)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A jackpot of its own for each test: nothing is ever deleted."""
    return f"{request.node.name}-{random.getrandbits(64):x}"


@asynccontextmanager
async def opened(store: PostgresStore | SqliteStore, name: str, **changes: object) -> AsyncIterator[Ledger]:
    await store.open()
    try:
        ledger = Ledger(store, name, replace(SETTINGS, **changes))
        await ledger.open()
        yield ledger
    finally:
        await store.close()


StoreOf = Callable[[], PostgresStore | SqliteStore]


async def test_jp7_it_begins_at_its_start_however_often_it_is_opened(store_of: StoreOf, name: str) -> None:
    for _ in range(3):
        async with opened(store_of(), name) as ledger:
            assert await ledger.pot() == Pot(SETTINGS.start, 0)


async def test_jp2_contributions_are_exact_and_the_same_one_counts_once(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name, bet=33, increment=3_333, start=330_000) as ledger:
        for place in range(100):
            for _ in range(2):
                await ledger.contribute(Contribution(f"BJ 1/{place}", "BJ 1", 1))
        assert (await ledger.pot()).shown == 330_000 + 100 * 33 * 3_333 // 10_000


async def test_an_id_that_stands_for_something_else_is_a_conflict(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.contribute(Contribution("one", "BJ 1", 1))
        with pytest.raises(LedgerConflict, match="stands for"):
            await ledger.contribute(Contribution("one", "BJ 1", 2))
        assert (await ledger.pot()).shown == SETTINGS.start + 75


async def test_closing_balances_change_no_sum(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name, hidden=1_000) as ledger:
        for place in range(9):
            await ledger.contribute(Contribution(str(place), "BJ 1", 2))
            before = await ledger.pot()
            await ledger.close_balance()
            assert await ledger.pot() == before
        assert before == Pot(SETTINGS.start + 9 * 150, 9 * 20)


async def test_what_is_above_the_limit_waits(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name, limit=SETTINGS.start + 100) as ledger:
        await ledger.contribute(Contribution("one", "BJ 1", 4))
        assert await ledger.pot() == Pot(SETTINGS.start + 100, 200)


async def test_jp13_a_top_win_takes_what_is_shown_and_the_pot_starts_anew(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.contribute(Contribution("one", "BJ 1", 4))
        hit = await ledger.claim("hit", "BJ 1", [Win(4, 0, 3), Win(0, 0, 5)])
        assert (hit.value, [payout.amount for payout in hit.payouts]) == (1_000_300, [5_000, 995_300])
        assert await ledger.pot() == Pot(SETTINGS.start, 0)
        assert await ledger.claim("hit", "BJ 1", [Win(4, 0, 3)]) == hit


async def test_two_tops_hit_at_once_have_an_order_and_neither_is_paid_twice(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        hits = await asyncio.gather(*(ledger.claim(f"hit {table}", table, [Win(4, 0, 1)]) for table in ("A", "B")))
        await ledger.contribute(Contribution("one", "BJ 1", 4))
        assert sorted(hit.value for hit in hits) == [SETTINGS.start, SETTINGS.start]
        assert await ledger.pot() == Pot(SETTINGS.start + 300, 0)
        assert len(await ledger.pending()) == 2


async def test_a_win_that_the_check_denies_goes_back_and_so_does_the_new_start(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name, hidden=1_000) as ledger:
        await ledger.contribute(Contribution("one", "BJ 1", 4))
        before = await ledger.pot()
        await ledger.claim("hit", "BJ 1", [Win(4, 0, 3)])
        for _ in range(2):
            await ledger.settle("hit", 0, is_paid=False)
        assert await ledger.pot() == before
        assert await ledger.pending() == ()


async def test_a_prize_is_settled_once_and_only_one_way(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.claim("hit", "BJ 1", [Win(0, 0, 3)])
        await ledger.settle("hit", 0, is_paid=True)
        await ledger.settle("hit", 0, is_paid=True)
        with pytest.raises(LedgerConflict):
            await ledger.settle("hit", 0, is_paid=False)
        with pytest.raises(LookupError):
            await ledger.settle("never", 0, is_paid=True)
        assert await ledger.pot() == Pot(SETTINGS.start - 5_000, 0)


async def test_nothing_in_it_can_be_changed_or_deleted(server: Postgres, name: str) -> None:
    async with opened(PostgresStore(server.address), name):
        connection = await asyncpg.connect(server.address)
        try:
            for act in (
                "UPDATE jackpot_entries SET shown = 0",
                "DELETE FROM jackpot_entries",
                "TRUNCATE jackpot_entries",
            ):
                with pytest.raises(asyncpg.PostgresError, match="insert-only"):
                    await connection.execute(act)
        finally:
            await connection.close()


async def test_a_server_that_is_away_is_said(name: str) -> None:
    store = PostgresStore("postgresql://test@127.0.0.1:1/postgres")
    with pytest.raises(LedgerAway, match="does not answer"):
        await store.open()
    with pytest.raises(LedgerAway):
        await Ledger(store, name, SETTINGS).contribute(Contribution("one", "BJ 1", 1))


async def until_done(act: Callable[[], Awaitable[Hit | None]]) -> None:
    """As a table does it: the same again, under the same id, until it is answered."""
    while True:
        try:
            await act()
        except LedgerAway:
            await asyncio.sleep(AGAIN_S)  # real time: a real server comes back
        else:
            return


async def feed(address: str, name: str, table: int) -> int:
    """One table, its own connections: contributions by chance, some sent twice, its cable pulled now and then."""
    rng, fed = random.Random(f"table {table}"), 0
    store = PostgresStore(address)
    ledger = Ledger(store, name, SETTINGS)
    await until_done(store.open)
    for place in range(EACH):
        chips = rng.randint(0, 7)
        fed += chips
        contribution = Contribution(f"BJ {table}/{place}", f"BJ {table}", chips)
        for _ in range(2 if rng.random() < 0.1 else 1):
            await until_done(lambda: ledger.contribute(contribution))  # noqa: B023 - awaited before the next
        if rng.random() < 0.002:
            await store.close()
            await until_done(store.open)
    await store.close()
    return fed


async def test_fifty_tables_with_disconnects_duplicates_and_kills_lose_and_double_nothing(name: str) -> None:
    server = Postgres()
    try:
        server.start()
        async with opened(PostgresStore(server.address), name) as ledger:
            feeding = [asyncio.ensure_future(feed(server.address, name, table)) for table in range(TABLES)]
            for _ in range(3):
                await asyncio.sleep(1.5)  # real time: in the middle of it
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                await until_done(ledger.close_balance)
            chips = sum(await asyncio.gather(*feeding))
            assert await ledger.pot() == Pot(SETTINGS.start + chips * 75, 0)
    finally:
        server.stop()
