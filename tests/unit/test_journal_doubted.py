"""A journal that does not fit together stops the table until two persons accept it (design rule 8)."""

from tableside.inputs import JournalDoubted
from tableside.locks import Scope, standing
from tableside.requests import AcceptJournal
from tests.support.table import Table


def test_two_persons_accept_it_with_a_reason() -> None:
    table = Table()
    table.give(JournalDoubted(findings=("row 9: changed",)))
    assert standing(table.state, Scope.DEAL)
    assert not table.ask(AcceptJournal, by="T1", why="disk replaced").is_accepted
    assert not table.ask(AcceptJournal, by="T1", second_way=("S1",), why="disk replaced").is_accepted
    assert not table.ask(AcceptJournal, by="T1", second_way=("T1", "M1"), why=" ").is_accepted
    assert not table.ask(AcceptJournal, by="T1", second_way=("M1",), why="disk replaced").is_accepted, "only named"
    assert table.ask(AcceptJournal, by="T1", second_way=("T1", "M1"), why="disk replaced").is_accepted
    assert not standing(table.state, Scope.DEAL)
