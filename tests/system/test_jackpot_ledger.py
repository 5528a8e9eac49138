"""The ledger of linked tables, in SQLite and in a real PostgreSQL: not a unit is lost or doubled (JP-2, JP-13)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace

from tableside.jackpot.ledger import Ledger, LedgerAway, LedgerConflict
from tableside.jackpot.ledger_postgres import PostgresStore
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.jackpot.linked import Claim, Contribution, Payment, contribution
from tableside.jackpot.settings import WHOLE, JackpotSettings, Level
from tableside.jackpot.wins import Win
from tests.law.jackpot_table import SETTINGS
from tests.support.postgres import Postgres

TABLES, EACH = 50, 1_000
WINS_OF_EACH = 2
AGAIN_S = 0.05
ACTS = ("UPDATE jackpot_entries SET shown = 0", "DELETE FROM jackpot_entries", "TRUNCATE jackpot_closings")


def chips(id: str, table: str, number: int, settings: JackpotSettings = SETTINGS) -> Contribution:  # noqa: A002
    return contribution(id, table, number, settings)


def claimed(hit: str, table: str, version: int, *wins: Win, settings: JackpotSettings = SETTINGS) -> Claim:
    return Claim(hit, table, version, wins, settings)


async def amounts(ledger: Ledger) -> tuple[int, int]:
    """What is shown, and what waits for the next start, in smallest units; the meters reconcile whenever asked."""
    standing = await ledger.standing()
    assert standing.is_reconciled, standing
    main = standing.pots[0]
    return main.value, (main.overflow + main.hidden) // WHOLE


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
            assert await amounts(ledger) == (SETTINGS.start, 0)


async def test_jp2_contributions_are_exact_and_the_same_one_counts_once(store_of: StoreOf, name: str) -> None:
    odd = replace(SETTINGS, bet=33, increment=3_333, start=330_000)
    async with opened(store_of(), name, bet=33, increment=3_333, start=330_000) as ledger:
        for place in range(100):
            for _ in range(2):
                await ledger.contribute(chips(f"BJ 1/{place}", "BJ 1", 1, odd))
        assert await amounts(ledger) == (330_000 + 100 * 33 * 3_333 // 10_000, 0)


async def test_an_id_that_stands_for_something_else_is_a_conflict(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.contribute(chips("one", "BJ 1", 1))
        with pytest.raises(LedgerConflict, match="stands for"):
            await ledger.contribute(chips("one", "BJ 1", 2))
        assert await amounts(ledger) == (SETTINGS.start + 75, 0)


async def test_closing_balances_change_no_sum(store_of: StoreOf, name: str) -> None:
    settings = replace(SETTINGS, hidden=1_000)
    async with opened(store_of(), name, hidden=1_000) as ledger:
        for place in range(9):
            await ledger.contribute(chips(str(place), "BJ 1", 2, settings))
            before = await ledger.standing()
            await ledger.close_balance()
            assert await ledger.standing() == before
        assert await amounts(ledger) == (SETTINGS.start + 9 * 150, 9 * 20)


async def test_what_is_above_the_limit_waits_and_goes_into_the_next_start(store_of: StoreOf, name: str) -> None:
    limit = SETTINGS.start + 100
    settings = replace(SETTINGS, limit=limit)
    async with opened(store_of(), name, limit=limit) as ledger:
        await ledger.contribute(chips("one", "BJ 1", 4, settings))
        assert await amounts(ledger) == (limit, 200)
        hit = await ledger.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3), settings=settings))
        assert [payout.amount for payout in hit.payouts] == [limit]
        assert await amounts(ledger) == (SETTINGS.start, 0)
        main = (await ledger.standing()).pots[0]
        assert main.started == (2 * SETTINGS.start - 200) * WHOLE  # the house added what lacked, and no more


async def test_jp13_a_top_win_takes_what_is_shown_and_the_pot_starts_anew(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.contribute(chips("one", "BJ 1", 4))
        hit = await ledger.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3), Win(0, 0, 5)))
        assert (hit.value, [payout.amount for payout in hit.payouts]) == (1_000_300, [5_000, 995_300])
        assert await amounts(ledger) == (SETTINGS.start, 0)
        assert await ledger.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3))) == hit


async def test_jp13_wins_of_one_round_that_are_told_one_by_one_share_the_value_of_the_first(
    store_of: StoreOf, name: str
) -> None:
    async with opened(store_of(), name) as ledger:
        first = await ledger.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3)))
        await ledger.contribute(chips("one", "BJ 2", 4))
        both = await ledger.claim(claimed("hit", "BJ 1", 2, Win(4, 0, 3), Win(0, 0, 5), Win(4, 0, 6)))
        assert (first.value, both.value) == (SETTINGS.start, SETTINGS.start)
        assert [payout.amount for payout in both.payouts] == [5_000, 497_500, 497_500]
        assert await amounts(ledger) == (SETTINGS.start + 300, 0)


async def test_two_tops_hit_at_once_have_an_order_and_neither_is_paid_twice(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.contribute(chips("before", "A", 4))
        hits = await asyncio.gather(
            *(ledger.claim(claimed(f"hit {table}", table, 1, Win(4, 0, 1))) for table in ("A", "B"))
        )
        await ledger.contribute(chips("one", "BJ 1", 4))
        assert sorted((hit.order, hit.value) for hit in hits) == [(1, SETTINGS.start + 300), (2, SETTINGS.start)]
        assert await amounts(ledger) == (SETTINGS.start + 300, 0)
        assert (await ledger.standing()).pending == 2


async def test_jp13_what_another_table_has_won_meanwhile_is_not_paid_again(store_of: StoreOf, name: str) -> None:
    """A lower prize at A, the top at B, then A finds that it has the top too: it takes what the new jackpot shows."""
    async with opened(store_of(), name) as ledger:
        await ledger.claim(claimed("A", "A", 1, Win(0, 0, 5)))
        taken = await ledger.claim(claimed("B", "B", 1, Win(4, 0, 1)))
        late = await ledger.claim(claimed("A", "A", 2, Win(0, 0, 5), Win(4, 0, 2)))
        assert [payout.amount for payout in taken.payouts] == [SETTINGS.start - 5_000]
        assert [payout.amount for payout in late.payouts] == [5_000, SETTINGS.start]
        assert await amounts(ledger) == (SETTINGS.start, 0)


async def test_a_win_that_the_check_denies_goes_back_and_so_does_the_new_start(store_of: StoreOf, name: str) -> None:
    settings = replace(SETTINGS, hidden=1_000)
    async with opened(store_of(), name, hidden=1_000) as ledger:
        await ledger.contribute(chips("one", "BJ 1", 4, settings))
        before = await amounts(ledger)
        await ledger.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3), settings=settings))
        for _ in range(2):
            assert (await ledger.claim(claimed("hit", "BJ 1", 2, settings=settings))).is_settled
        assert await amounts(ledger) == before
        assert (await ledger.standing()).pending == 0


async def test_of_two_wins_one_denied_leaves_the_other_its_due(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.claim(claimed("hit", "BJ 1", 1, Win(0, 0, 5), Win(4, 0, 3)))
        left = await ledger.claim(claimed("hit", "BJ 1", 2, Win(4, 0, 3)))
        assert [payout.amount for payout in left.payouts] == [SETTINGS.start]
        assert await amounts(ledger) == (SETTINGS.start, 0)


async def test_a_hit_is_settled_once_and_an_old_version_changes_nothing(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name) as ledger:
        await ledger.claim(claimed("hit", "BJ 1", 1, Win(0, 0, 3)))
        two = await ledger.claim(claimed("hit", "BJ 1", 2, Win(0, 0, 3), Win(0, 0, 4)))
        assert await ledger.claim(claimed("hit", "BJ 1", 1, Win(0, 0, 3))) == two, "a late copy"
        for _ in range(2):
            await ledger.settle(Payment("hit", "BJ 1"))
        with pytest.raises(LedgerConflict, match="too late"):
            await ledger.claim(claimed("hit", "BJ 1", 3))
        with pytest.raises(LedgerConflict, match="not claimed"):
            await ledger.settle(Payment("never", "BJ 1"))
        assert await amounts(ledger) == (SETTINGS.start - 10_000, 0)
        assert (await ledger.standing()).pending == 0


async def test_jp2_other_settings_count_from_the_next_jackpot_on_for_all_tables(store_of: StoreOf, name: str) -> None:
    later = SETTINGS.approved_on.replace(day=2)
    async with (
        opened(store_of(), name) as old,
        opened(store_of(), name, start=2_000_000, approved_on=later),
        opened(store_of(), name, start=3_000_000),
    ):
        assert (await old.standing()).settings == SETTINGS
        await old.claim(claimed("hit", "BJ 1", 1, Win(4, 0, 3)))
        assert ((await old.standing()).settings.start, (await amounts(old))[0]) == (2_000_000, 2_000_000)
        await old.claim(claimed("hit", "BJ 1", 2))
        assert ((await old.standing()).settings, (await amounts(old))[0]) == (SETTINGS, SETTINGS.start)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"currency": "MOP"}, "is in EUR"),
        ({"levels": (Level(name="mini", increment=1, start=1_000_000),)}, "levels hold money"),
    ],
)
async def test_settings_that_this_jackpot_cannot_take_are_a_conflict(
    store_of: StoreOf, name: str, change: dict[str, object], why: str
) -> None:
    async with opened(store_of(), name):
        with pytest.raises(LedgerConflict, match=why):
            async with opened(store_of(), name, **change):
                pass


MINI = Level(name="mini", increment=1_000, start=1_000_000, hidden=500)
LEVELLED = replace(
    SETTINGS, levels=(MINI,), prizes=(replace(SETTINGS.prizes[0], amount=None, level="mini"), *SETTINGS.prizes[1:])
)


async def test_levels_grow_by_the_same_chips_and_are_won_apart(store_of: StoreOf, name: str) -> None:
    async with opened(store_of(), name, levels=LEVELLED.levels, prizes=LEVELLED.prizes) as ledger:
        for _ in range(2):
            await ledger.contribute(chips("one", "BJ 1", 100, LEVELLED))
        main, mini = (await ledger.standing()).pots
        assert (main.value, mini.value, mini.hidden) == (1_007_500, 1_001_000, 500 * WHOLE)
        wins = (Win(0, 0, 2), Win(0, 0, 5), Win(4, 0, 3))
        hit = await ledger.claim(claimed("hit", "BJ 1", 1, *wins, settings=LEVELLED))
        assert [(one.level, one.amount) for one in hit.payouts] == [
            ("mini", 500_500),
            ("mini", 500_500),
            ("", 1_007_500),
        ]
        again = await ledger.standing()
        assert [pot.value for pot in again.pots] == [SETTINGS.start, MINI.start]
        assert again.is_reconciled
        assert again.pots[1].hidden == 0, "the hidden pool went into the new start"
        await ledger.claim(claimed("hit", "BJ 1", 2, Win(4, 0, 3), settings=LEVELLED))
        assert [pot.value for pot in (await ledger.standing()).pots] == [SETTINGS.start, 1_001_000]


async def test_nothing_in_it_can_be_changed_or_deleted(server: Postgres, name: str) -> None:
    async with opened(PostgresStore(server.address), name):
        connection = await asyncpg.connect(server.address)
        try:
            for act in (*ACTS, "TRUNCATE jackpot_entries"):
                with pytest.raises(asyncpg.PostgresError, match="insert-only"):
                    await connection.execute(act)
        finally:
            await connection.close()


async def test_jp2_an_answer_is_durable_whatever_the_role_or_the_address_is_set_to(server: Postgres, name: str) -> None:
    # Lost units after a power cut: "off" at the role, or in the address, would answer before the disk has it.
    store = PostgresStore(f"{server.address}?synchronous_commit=off")
    connection = await asyncpg.connect(server.address)
    try:
        await connection.execute("ALTER ROLE CURRENT_USER SET synchronous_commit = off")
        async with opened(store, name), store.statements() as rows:
            assert await rows.fetch("SHOW synchronous_commit") == [("on",)]
    finally:
        await connection.execute("ALTER ROLE CURRENT_USER RESET synchronous_commit")
        await connection.close()


async def test_a_server_that_is_away_is_said(name: str) -> None:
    store = PostgresStore("postgresql://test@127.0.0.1:1/postgres")
    with pytest.raises(LedgerAway, match="does not answer"):
        await store.open()
    with pytest.raises(LedgerAway):
        await Ledger(store, name, SETTINGS).contribute(chips("one", "BJ 1", 1))


@dataclass
class Fed:
    """What all tables have put in, won and met so far."""

    chips: int = 0
    claimed: int = 0
    times_away: int = 0


async def until_done(act: Callable[[], Awaitable[object]], seen: Fed | None = None) -> None:
    """As a table does it: the same again, under the same id, until it is answered."""
    while True:
        try:
            await act()
        except LedgerAway:
            if seen is not None:
                seen.times_away += 1
            await asyncio.sleep(AGAIN_S)  # real time: a real server comes back
        else:
            return


async def feed(address: str, name: str, table: int, fed: Fed) -> None:
    """One table, its own connections: contributions by chance, some sent twice, its cable pulled now and then.

    Twice in its evening it wins the lowest prize: claimed and settled, each sent twice now and then.
    """
    rng = random.Random(f"table {table}")
    store = PostgresStore(address)
    ledger = Ledger(store, name, SETTINGS)
    await until_done(store.open, fed)

    async def told(act: Callable[[], Awaitable[object]]) -> None:
        for _ in range(2 if rng.random() < 0.1 else 1):
            await until_done(act, fed)

    wins_at = rng.sample(range(EACH), WINS_OF_EACH)
    for place in range(EACH):
        number = rng.randint(0, 7)
        entry = chips(f"BJ {table}/{place}", f"BJ {table}", number)
        await told(partial(ledger.contribute, entry))
        fed.chips += number
        if place in wins_at:
            hit = f"hit {table}/{place}"
            await told(partial(ledger.claim, claimed(hit, f"BJ {table}", 1, Win(0, 0, 5))))
            await told(partial(ledger.settle, Payment(hit, f"BJ {table}")))
            fed.claimed += 1
        if rng.random() < 0.002:
            await store.close()
            await until_done(store.open, fed)
    await store.close()


async def cut_off(address: str) -> None:
    """Whoever is in the middle of a statement loses the connection."""
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active'"
        )
    finally:
        await connection.close()


async def test_fifty_tables_with_disconnects_duplicates_and_kills_lose_and_double_nothing(name: str) -> None:
    server = Postgres()
    try:
        server.start()
        async with opened(PostgresStore(server.address), name) as ledger:
            fed = Fed()
            feeding = [asyncio.ensure_future(feed(server.address, name, table, fed)) for table in range(TABLES)]
            for _ in range(3):
                await asyncio.sleep(1.5)  # real time: in the middle of it
                await cut_off(server.address)
                before = fed.times_away
                assert not any(each.done() for each in feeding), "killed when somebody had finished"
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                await until_done(ledger.close_balance)
                assert fed.times_away > before, "nobody has noticed"
            await asyncio.gather(*feeding)
            assert fed.claimed == TABLES * WINS_OF_EACH
            lowest = SETTINGS.prizes[0].amount or 0
            assert await amounts(ledger) == (SETTINGS.start + fed.chips * 75 - fed.claimed * lowest, 0)
            assert (await ledger.standing()).pending == 0
    finally:
        server.stop()


async def test_jp2_entries_of_one_moment_may_come_in_any_order(store_of: StoreOf, name: str) -> None:
    """The same contributions and the same wins of one hit, told in other orders: the same sums."""
    rng = random.Random("orders")
    entries = [chips(f"{place}", f"BJ {place % 3}", place % 8) for place in range(40)]
    wins = [Win(0, 0, 5), Win(4, 0, 3), Win(0, 0, 2), Win(4, 0, 6)]
    found = set()
    for order in range(3):
        async with opened(store_of(), f"{name} {order}") as ledger:
            for entry in rng.sample(entries, len(entries)):
                await ledger.contribute(entry)
            hit = await ledger.claim(claimed("hit", "BJ 1", 1, *rng.sample(wins, len(wins))))
            found.add((hit.value, hit.payouts, await amounts(ledger)))
    assert len(found) == 1, found
