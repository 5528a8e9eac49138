"""Jurisdictions are data, and each line says what it rests on."""

from __future__ import annotations

import msgspec
import pytest

from tableside.house import Role
from tableside.jurisdiction import (
    Basis,
    JurisdictionUnknown,
    Line,
    Replaced,
    SecondLoad,
    known_jurisdictions,
    load_jurisdiction,
)


def test_portugal_and_macau_are_known() -> None:
    assert known_jurisdictions() == ("mo", "pt")


def test_portugal_says_what_its_rules_say() -> None:
    pt = load_jurisdiction("pt")
    assert pt.damaged_in_shuffler.value is Replaced.CARD, "CSM-1"
    assert pt.damaged_in_shoe.value is Replaced.DECK, "SHOE-2"
    assert pt.bank_draws_soft_17.value is False, "BJ-6, BJ-7"
    assert pt.reinsert.value == "before", "CSM-10"
    assert pt.report_duty.value == (Role.ROOM_MANAGEMENT,), "CSM-1"
    assert set(pt.second_load.value) == {SecondLoad.SWAP, SecondLoad.INCIDENT}
    assert pt.second_load.basis is Basis.OUR_READING


def test_macau_claims_to_have_seen_only_what_a_source_says() -> None:
    mo = load_jurisdiction("mo")
    lines = {name: getattr(mo, name) for name in mo.__struct_fields__ if isinstance(getattr(mo, name), Line)}
    seen = {name for name, line in lines.items() if line.basis is Basis.SEEN}
    assert seen == {"authority", "bank_draws_soft_17", "damaged_in_shoe"}
    assert mo.bank_draws_soft_17.value is True
    assert "42/2007" in mo.bank_draws_soft_17.source


@pytest.mark.parametrize("name", known_jurisdictions())
def test_every_role_has_a_name(name: str) -> None:
    assert set(load_jurisdiction(name).role_names) == set(Role)


def test_an_unknown_jurisdiction_is_refused_with_those_there_are() -> None:
    with pytest.raises(JurisdictionUnknown, match="mo, pt"):
        load_jurisdiction("xx")


def test_a_value_without_its_basis_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="basis"):
        msgspec.convert({"value": True, "source": "somewhere"}, Line[bool])
