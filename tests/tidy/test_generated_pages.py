"""Pages that are made from code say what the code is now, and what they rest on exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from docs.generate.devices import EVIDENCE, TRANSPORTS
from docs.generate.pages import PAGES, between, made, present
from drivers.registry import (
    ALPHA_SIGN,
    BADGE_DRIVERS,
    CCTALK_SLOT,
    GAT_PORT,
    MODBUS_DRIVERS,
    PLAIN_DRIVERS,
    PN532_ANTENNA,
    TDL_DRIVERS,
)
from firmware_bridge.links.address import SCHEMES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_makes_it(name: str) -> None:
    assert present(name) == made(name), "run `make docs` (or python -m docs.generate) and commit what it writes"


def test_every_driver_has_its_evidence_and_the_evidence_exists() -> None:
    others = {*BADGE_DRIVERS, *MODBUS_DRIVERS, *PLAIN_DRIVERS, ALPHA_SIGN.name, GAT_PORT.name, PN532_ANTENNA.name}
    others |= {CCTALK_SLOT.name}
    assert set(EVIDENCE) == {*TDL_DRIVERS, *others}
    for evidence in EVIDENCE.values():
        path, _, function = evidence.test.partition("::")
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
        assert [other for other in evidence.besides if not (ROOT / other).is_file()] == []


def test_every_kind_of_cable_is_a_column() -> None:
    assert {*TRANSPORTS, "memory"} == set(SCHEMES)


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<!-- x: made by docs/generate -->",
        "<!-- end of x --><!-- x: made by docs/generate -->",
        "<!-- x: made by docs/generate --><!-- end of x -->" * 2,
    ],
)
def test_marks_that_do_not_stand_once_each_in_order_are_refused(page: str) -> None:
    with pytest.raises(ValueError, match="once each, in this order"):
        between(page, "x", "made")
