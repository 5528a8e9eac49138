"""Several pots that the same chips feed: the table's own and in the ledger, exact, reconciled (JP-2, JP-6, JP-13)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from tableside.inputs import DaemonStarted
from tableside.jackpot.ledger import Ledger
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.jackpot.linked import Claim, Payment, contribution
from tableside.jackpot.settings import MAIN, WHOLE, JackpotSettings, Level, mistakes
from tableside.jackpot.wins import Win
from tableside.procedures.jackpot_slice import due
from tableside.requests import ClaimJackpot, EndRound, MarkBets, PayJackpot
from tests.law.jackpot_table import SETTINGS
from tests.support.ledger import in_loop
from tests.support.table import Table
from tests.unit.test_jackpot import FOUR_ACES, HOUSE_WITH_JACKPOT, TWO_ACES, deal, jackpot_table, won

MINI = Level(name="mini", increment=1_000, start=1_000_000, hidden=500, limit=1_000_015)
LEVELLED = replace(
    SETTINGS, levels=(MINI,), prizes=(replace(SETTINGS.prizes[0], amount=None, level="mini"), *SETTINGS.prizes[1:])
)
HOUSE = replace(HOUSE_WITH_JACKPOT, jackpot=LEVELLED)


def shown(table: Table) -> tuple[int, int]:
    jackpot = table.state.procedures.jackpot
    assert jackpot.meters is not None
    assert jackpot.meters.is_reconciled
    assert jackpot.levels["mini"].is_reconciled
    return jackpot.meters.shown, jackpot.levels["mini"].shown


def test_jp2_each_level_grows_by_its_own_part_of_the_same_chips() -> None:
    table = jackpot_table(HOUSE)
    table.ask(MarkBets, by="D1", seats=(1, 2))
    assert shown(table) == (SETTINGS.start + 150, MINI.start + 15), "its limit keeps the rest back"
    mini = table.state.procedures.jackpot.levels["mini"]
    assert (mini.overflow, mini.hidden) == (5, 10)


def test_jp6_the_prize_of_a_level_takes_all_of_it_and_it_starts_anew_with_what_waited() -> None:
    table = won((1, TWO_ACES), (2, TWO_ACES), house=HOUSE)
    amounts = tuple(payout.amount for payout in due(table.state))
    assert amounts == ((MINI.start + 15 + 1) // 2, (MINI.start + 15) // 2)
    assert table.ask(PayJackpot, seats=(1, 2), amounts=amounts).is_accepted
    assert shown(table) == (SETTINGS.start + 150, MINI.start)
    mini = table.state.procedures.jackpot.levels["mini"]
    assert mini.started == 2 * MINI.start, "two starts were put on it, the second of what had waited and the house's"
    assert (mini.overflow, mini.hidden) == (0, 0)


def test_jp13_a_level_and_the_top_in_one_round() -> None:
    table = won((1, TWO_ACES), (2, FOUR_ACES), house=HOUSE)
    assert [(one.level, one.amount) for one in due(table.state)] == [
        ("mini", MINI.start + 15),
        (MAIN, SETTINGS.start + 150),
    ]
    amounts = tuple(payout.amount for payout in due(table.state))
    assert table.ask(PayJackpot, seats=(1, 2), amounts=amounts).is_accepted
    assert shown(table) == (SETTINGS.start, MINI.start)


def test_jp2_levels_that_hold_money_keep_their_names_and_the_house_is_told() -> None:
    table = won((2, FOUR_ACES), house=HOUSE)
    table.give(DaemonStarted(house=HOUSE_WITH_JACKPOT, version="2", clock_boot="boot-1"))
    assert [one.kind for one in table.state.incidents.open.values() if one.kind == "jackpot levels"]
    amounts = tuple(payout.amount for payout in due(table.state))
    assert table.ask(PayJackpot, seats=(2,), amounts=amounts).is_accepted
    assert table.state.procedures.jackpot.settings == LEVELLED
    table.ask(EndRound, by="D1")
    deal(table)
    assert not table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES).is_accepted


BAD: list[tuple[JackpotSettings, str, str]] = [
    (replace(LEVELLED, levels=(replace(MINI, start=999_999),)), "levels[0]", "JP-7"),
    (replace(LEVELLED, levels=(replace(MINI, limit=999_999),)), "levels[0]", "below the start"),
    (replace(LEVELLED, levels=(replace(MINI, increment=2_001),)), "hidden", "JP-2"),
    (replace(LEVELLED, levels=(replace(MINI, increment=0), replace(MINI, increment=0))), "levels[1]", "twice"),
    (replace(LEVELLED, prizes=LEVELLED.prizes[1:]), "levels[0]", "never be won"),
    (replace(LEVELLED, levels=()), "prizes[0]", "no level"),
    (replace(LEVELLED, prizes=(replace(LEVELLED.prizes[0], amount=5), *LEVELLED.prizes[1:])), "prizes[0]", "JP-6"),
    (replace(LEVELLED, prizes=(replace(LEVELLED.top, level="mini"),)), "prizes[0]", "JP-13"),
]


@pytest.mark.parametrize(("settings", "key", "word"), BAD, ids=[case[2] + " " + case[1] for case in BAD])
def test_jp2_jp7_what_is_wrong_with_a_level_is_found_at_its_key(settings: JackpotSettings, key: str, word: str) -> None:
    assert mistakes(LEVELLED, frozenset({"EUR"})) == ()
    found = mistakes(settings, frozenset({"EUR"}))
    assert any(one.key == key and word in one.problem for one in found), found


@pytest.mark.virtual_time
@pytest.mark.parametrize("seed", range(6))
async def test_jp2_in_the_ledger_no_part_of_a_unit_is_made_or_lost_whatever_happens(seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"ledger {seed}")
    settings = replace(LEVELLED, limit=SETTINGS.start + 2_000 if seed % 2 else None, hidden=rng.randint(0, 700))
    store = SqliteStore(tmp_path / "ledger.db", in_loop)
    await store.open()
    ledger = Ledger(store, "grand", settings)
    await ledger.open()
    staked = paid = 0
    open_hits: dict[str, tuple[int, tuple[Win, ...]]] = {}
    for number in range(150):
        chips = rng.randint(0, 7)
        entry = contribution(f"c{number}", "A", chips, settings)
        staked += sum(share.shown + share.hidden for share in entry.shares)
        for _ in range(rng.choice((1, 1, 2))):
            await ledger.contribute(entry)
        if rng.random() < 0.2:
            hit = rng.choice((*open_hits, f"h{number}"))
            version, wins = open_hits.get(hit, (0, ()))
            seats = rng.sample(range(1, 8), rng.randint(1, 3))
            wins = tuple(Win(rng.choice((0, 0, 1, 2, 4)), 0, seat) for seat in sorted(seats)) if not wins else wins[1:]
            answer = await ledger.claim(Claim(hit, "A", version + 1, wins, settings))
            open_hits[hit] = (version + 1, wins)
            if answer.is_settled:
                del open_hits[hit]
        if open_hits and rng.random() < 0.1:
            hit = rng.choice(tuple(open_hits))
            version, wins = open_hits.pop(hit)
            paid += sum(one.amount for one in (await ledger.claim(Claim(hit, "A", version, wins, settings))).payouts)
            await ledger.settle(Payment(hit, "A"))
        if rng.random() < 0.05:
            await ledger.close_balance()
        standing = await ledger.standing()
        assert standing.is_reconciled
        assert standing.pending == len(open_hits)
    for hit, (version, _) in open_hits.items():
        await ledger.claim(Claim(hit, "A", version + 1, (), settings))
    standing = await ledger.standing()
    by_house = sum(pot.started for pot in standing.pots)
    held = sum(pot.shown + pot.hidden for pot in standing.pots)
    moved = staked - sum(pot.contributed + pot.hidden for pot in standing.pots)  # of hidden pools into starts
    assert sum(pot.taken for pot in standing.pots) == paid * WHOLE
    assert held == by_house - moved + staked - paid * WHOLE
    await store.close()
