"""What a table is at, by the kind of table that it is: one with a session, with decks in turn, with a shoe. Pure."""

from __future__ import annotations

from tableside.house import TableKind
from tableside.procedures.session import SessionState
from tableside.state import TableState


def is_at_work(state: TableState) -> bool:
    """Cards are in use there as far as the product knows. Of a watched shoe nobody tells when the table is closed."""
    match state.house.kind:
        case TableKind.BATCH:
            return bool(state.procedures.batch.deck or state.procedures.batch.in_play)
        case TableKind.SHOE:
            return True
        case _:
            return state.procedures.session.state is not SessionState.CLOSED


def session_word(state: TableState) -> str:
    """Where it stands, in the words of the procedure that its kind has."""
    match state.house.kind:
        case TableKind.BATCH:
            return str(state.procedures.batch.state.value)
        case TableKind.SHOE:
            return str(state.procedures.shoe.state.value)
        case _:
            return str(state.procedures.session.state.value)


def round_number(state: TableState) -> int:
    """The last round, of a shoe the last game; none where no rounds are kept."""
    is_shoe = state.house.kind is TableKind.SHOE
    return state.procedures.shoe.number if is_shoe else state.procedures.rounds.number
