"""Every table of transitions, walked: each state with each fact and each request (semantics §3)."""

import typing

import pytest

from tableside.inputs import AnyInput
from tableside.procedures import PROCEDURES
from tableside.requests import AnyRequest
from tableside.state import LISTENERS, TableState, decode_state, encode_state
from tableside.tables import Procedure
from tests.support.table import HOUSE, Table


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda procedure: procedure.name)
def test_each_state_says_what_to_do_next(procedure: Procedure) -> None:
    assert set(procedure.next_step) == set(procedure.states)
    assert all(text for text in procedure.next_step.values())


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda procedure: procedure.name)
def test_rows_name_their_own_states(procedure: Procedure) -> None:
    for row in procedure.rows:
        assert row.state in procedure.states
        assert row.to is None or row.to in procedure.states


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda procedure: procedure.name)
def test_an_unconditional_row_hides_no_other(procedure: Procedure) -> None:
    for rows in procedure.index.values():
        assert all(row.when is not None for row in rows[:-1])


def test_a_request_belongs_to_one_procedure() -> None:
    for kind in typing.get_args(AnyRequest):
        assert len(LISTENERS.get(kind, ())) <= 1, kind


def test_state_survives_its_own_bytes() -> None:
    table = Table()
    table.ready()
    assert decode_state(encode_state(table.state)) == table.state
    assert encode_state(decode_state(encode_state(table.state))) == encode_state(table.state)


def test_a_fresh_state_is_closed() -> None:
    assert TableState(house=HOUSE).procedures.rounds.state == "closed"


def test_every_input_kind_has_its_own_name() -> None:
    names = [kind.__name__ for kind in typing.get_args(AnyInput)]
    assert len(names) == len(set(names))
