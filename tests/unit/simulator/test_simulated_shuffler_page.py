"""docs/protocols/simulated-shuffler.md: every statement is tagged, assumed ones are counted, figures are the code's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.faces.tdl_shuffler import OPERATIONS
from simulator.world import hazards, optics, switch_box
from simulator.world.figures import MS, Figures

PAGE = (Path(__file__).parents[3] / "docs/protocols/simulated-shuffler.md").read_text("utf-8")
TAGS = ("[documented]", "[observed]", "[assumed]")
# Rises only with a new assumption, falls with each machine that somebody looks into.
ASSUMED = 33
FIGURES = Figures()


def statements() -> list[list[str]]:
    rows = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return [row for row in cells if any(row) and not set("".join(row)) <= set("- ")]


def test_every_statement_has_one_tag_and_a_documented_one_its_source() -> None:
    for row in statements():
        assert len(row) == 3, row
        assert row[1] in TAGS, row
        assert row[1] != "[documented]" or row[2], f"no source: {row[0]}"


def test_the_assumed_ones_are_counted() -> None:
    assert sum(row[1] == "[assumed]" for row in statements()) == ASSUMED


def test_nothing_is_called_observed_that_nobody_saw() -> None:
    assert not [row for row in statements() if row[1] == "[observed]"]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        (r"(\d+) compartments of 10", FIGURES.compartments),
        (r"compartments of (\d+) cards", FIGURES.cards_per_compartment),
        (r"room for (\d+)", FIGURES.capacity),
        (r"among those with (\d+) cards or more", FIGURES.group_min),
        (r"At (\d+) or fewer", FIGURES.refill_at),
        (r"until (\d+) or more", FIGURES.buffer_target),
        (r"Feeding a card takes (\d+) ms", FIGURES.feed_ns // MS),
        (r"a group (\d+) ms", FIGURES.eject_ns // MS),
        (r"to the nose (\d+) ms", FIGURES.advance_ns // MS),
        (r"pushing it out (\d+) ms", FIGURES.push_ns // MS),
        (r"up to (\d+) cards by force", FIGURES.compartment_limit),
        (r"hopper takes (\d+) cards", FIGURES.hopper_cards),
        (r"No movement for (\d+) ms", FIGURES.stall_ns // MS),
        (r"compartment: (\d+) ms", FIGURES.look_ns // MS),
        (r"and (\d+) ms for each card", FIGURES.look_card_ns // MS),
        (r"(\d+) % at the feed", round(100 * hazards.FEED_SHARE)),
        (r"(\d+) % in the carousel", round(100 * hazards.CAROUSEL_SHARE)),
        (r"closed for (\d+) ms", switch_box.DEBOUNCE_NS // MS),
        (r"on a key for (\d+) ms", switch_box.PRESS_NS // MS),
        (r"steady for (\d+) ms", switch_box.TRAY_STEADY_NS // MS),
        (r"single cards, up to (\d+)", switch_box.TRAY_CAPACITY),
    ],
)
def test_figures_are_those_of_the_code(text: str, figure: int) -> None:
    found = re.search(text, PAGE)
    assert found is not None
    assert int(found[1].replace(",", "")) == figure


def test_rates_are_those_of_the_code() -> None:
    assert "one card in 5,200" in PAGE
    assert optics.MISREADS_PER_CARD == 1 / 5_200
    assert "One jam per 5,000 cards dealt, one double feed per 20,000" in PAGE
    assert (hazards.PINNED.jams, hazards.PINNED.doubles) == (1 / 5_000, 1 / 20_000)
    assert (hazards.BENT_SHARE, hazards.SUSPECT_CHANCE, hazards.DEEP_CHANCE, hazards.THICK_CHANCE) == (
        0.25,
        0.6,
        0.25,
        0.5,
    )


def test_deal_is_not_in_its_profile() -> None:
    assert 0x42 not in OPERATIONS
