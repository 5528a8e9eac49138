"""A card of which two PN532 antennas speak, and the table that hears of it: never two cards (DECK-2, BR-035)."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from drivers.card_events import CardRead, CardRemoved, CardsAmbiguous
from drivers.fact import Fact
from simulator.world.rf_field import RADIUS_MM
from tableside.defect_happenings import DefectFound
from tableside.house import DeckGroup
from tableside.inputs import AnyInput, CardsOpened, OpenedCard
from tests.contract.test_pn532_antennas import EIGHT, felt
from tests.support.samples import SEALED
from tests.support.table import HOUSE, Table

pytestmark = pytest.mark.virtual_time

BETWEEN_MM = 0.75 * RADIUS_MM
# The table's only deck has one 8♠: read twice, and it would be one too many.
ONE_DECK = replace(HOUSE, decks=(DeckGroup("red", 1),))


def after(facts: list[Fact]) -> Table:
    """A table that has heard these, and to which all cards that were read are opened, as at the end of a round."""
    table = Table(ONE_DECK)
    read: list[OpenedCard] = []
    for fact in facts:
        what: AnyInput
        if isinstance(fact, CardRead):
            read.append(OpenedCard(device=fact.device, place=fact.place, card=fact.card))
            what = replace(fact, card=SEALED)
        elif isinstance(fact, CardRemoved):
            what = replace(fact, card=SEALED)
        elif isinstance(fact, CardsAmbiguous):
            what = fact
        else:
            continue
        table.give(what)
    table.give(CardsOpened(round=1, cards=tuple(read)))
    return table


async def test_deck2_a_card_that_two_antennas_read_and_that_is_put_down_again_is_no_duplicate() -> None:
    """DECK-2: pushed to and fro between two antennas that both read it."""
    async with felt() as made:
        made.rf.antennas["two"].at_mm = 1.5 * RADIUS_MM
        for at_mm in (0.0, BETWEEN_MM, 1.5 * RADIUS_MM, BETWEEN_MM, 0.0):
            made.lay(EIGHT, at_mm)
            await asyncio.sleep(10)
        assert made.of_kind(CardsAmbiguous)
        assert len(made.of_kind(CardRead)) > 1, "it was read more often than there are such cards"
        assert not after(made.facts).all_of(DefectFound)


async def test_deck2_two_tags_of_one_face_are_a_duplicate() -> None:
    """DECK-2: what lies still at two places is two cards; told once they may be known."""
    async with felt() as made:
        made.lay(EIGHT, 0.0)
        await made.until(lambda: made.of_kind(CardRead))
        (first,) = made.of_kind(CardRead)
        assert isinstance(first, CardRead)
        facts: list[Fact] = [first, replace(first, device="two", place="seat two")]
        assert [finding.defect for finding in after(facts).all_of(DefectFound)] == ["duplicate"]
