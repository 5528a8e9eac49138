"""What a table must keep at which blackjack is followed: its limits, and rounds that are counted (BJ-15)."""

from __future__ import annotations

from collections.abc import Iterator

from drivers.displays.money import CURRENCIES
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import Finding, listed
from tableside.games.blackjack_bets import TableLimits
from tableside.house import TableKind

# Kinds of tables that know of rounds of blackjack.
FOLLOWED = (TableKind.SHUFFLER.value, TableKind.HAND_SHOE.value)


def blackjack_findings(file: Draft) -> Iterator[Finding]:
    """Everything across keys that is wrong with `[blackjack]`; what one key says wrongly its shape has told."""
    draft, kind = file.part("blackjack"), file.part("table").text("kind") or TableKind.SHUFFLER
    if not draft.values:
        return
    if kind not in FOLLOWED:
        yield Finding(("blackjack",), f'stands at a table of kind "{kind}"', listed(FOLLOWED))
    currency = draft.text("currency")
    if currency is not None and currency not in CURRENCIES:
        yield Finding(draft.at("currency"), f'is "{currency}"', f"{listed(sorted(CURRENCIES))} (BJ-15)")
    minimum, maximum = draft.number("minimum"), draft.number("maximum")
    if minimum is None or maximum is None:
        return
    for mistake in TableLimits(minimum, maximum).mistakes():
        named, _, allowed = mistake.partition(": ")
        key, _, value = named.partition(" ")
        yield Finding(draft.at(key), f"is {value}", allowed)
