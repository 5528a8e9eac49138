"""A table's day with all that a table can have, at the field's rates of faults: no checker fires (semantics §7)."""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from pathlib import Path

import pytest

from simulator.plan import Chance, Plan
from simulator.watch import Row
from tableside.config import HostConfig
from tableside.jackpot.combinations import Combination
from tableside.jackpot.settings import JackpotSettings, Prize
from tests.scenarios.cashier import Cashier
from tests.scenarios.checks import Checks
from tests.scenarios.test_blackjack_evening import followed
from tests.scenarios.test_jackpot_chips import CHIP, with_slots
from tests.scenarios.virtual_house import house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(1_800)]

HERE = Path(__file__).parent
ROUNDS = 25  # a whole day has 600: `make table-day`
# A round lasts a minute, and what goes wrong takes its time: so many fit into the hour that an act may last.
ROUNDS_AN_ACT = 30
JACKPOT = JackpotSettings(
    currency="EUR",
    bet=CHIP,
    increment=7_531,  # no whole cents: the remainder is carried
    start=10_000 * CHIP,
    counted_cards=2,
    prizes=(
        Prize(name="two queens", combination=Combination(cards=2, ranks=("Q", "Q")), amount=2_500),
        Prize(name="two kings", combination=Combination(cards=2, ranks=("K", "K")), share=100),
        Prize(name="two aces", combination=Combination(cards=2, ranks=("A", "A"))),
    ),
    approved_by="Inspection service (test)",
    approved_on=datetime.date(2026, 1, 15),
)


def with_everything(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """Chip slots, a jackpot, a card reader, hands that are followed."""
    plan, config = with_slots(*followed(plan, config))
    return plan, dataclasses.replace(config, tables=(dataclasses.replace(config.tables[0], jackpot=JACKPOT),))


def story_of(rounds: int) -> str:
    """The day with so many rounds, in hours: no act of a scenario may last longer."""
    text = (HERE / "table_day.toml").read_text("utf-8")
    begin = text.index('[[steps]]\nsays = "Rounds with every seat')
    end = text.index("[[steps]]", begin + 1)
    hour = text[begin:end]
    assert hour.count(" = 60") == 2, "the hour says twice up to which round it is played"
    ends = [*range(ROUNDS_AN_ACT, rounds, ROUNDS_AN_ACT), rounds]
    return text[:begin] + "".join(hour.replace(" = 60", f" = {each}") for each in ends) + text[end:]


async def play_day(folder: Path, seed: int, rounds: int) -> Counter[str]:
    """A day of so many rounds; how often each kind of row came. Raises AssertionError where something did not hold."""
    story = folder / "table_day.toml"
    story.write_text(story_of(rounds), "utf-8")
    rows: Counter[str] = Counter()
    async with house(folder, seed=seed, chance=Chance.PINNED, more=with_everything) as here:
        checks, cashier = Checks(here, is_miscounted=True), Cashier(here)

        def hear(row: Row) -> None:
            rows[row.type] += 1

        here.hears.append(hear)
        outcome = await here.play(story)
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
        assert checks.money.rows > 1_000
        assert checks.stops.stops > 0
        assert checks.attendance.acts > 300
        assert checks.secrets.told > 10 * rounds
        lying = sum(slot.box + bool(slot.window) for slot in here.room.slots["slots"].slots.values())
        assert lying == rows["ChipBet"], "each chip that was told lies in a box or a window, and no other"
        assert rows["JackpotPaid"] == cashier.answers["pay-jackpot", "accepted"]
        # the round of the day's last kill may go unpaid; none is paid otherwise than the evaluator says
        assert rows["BetsPaid"] == cashier.answers["pay-bets", "accepted"]
        assert cashier.answers["pay-bets", "refused"] == 0
        assert checks.money.paid >= rows["JackpotPaid"] > 0
    return rows


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_checker_fires(seed: int, tmp_path: Path) -> None:
    rows = await play_day(tmp_path, seed, ROUNDS)
    assert rows["RoundEnded"] == ROUNDS
    assert rows["JackpotRaised"] > ROUNDS // 2
    assert rows["HandsOver"] == ROUNDS
    assert rows["BetPlaced"] > 7 * ROUNDS // 2
    assert rows["BetsPaid"] > ROUNDS // 2
    assert rows["CardVoid"] >= 2, "the dealer's mistakes"
