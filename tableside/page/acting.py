"""An act that comes from a screen: whose it is, whether it may come from there, whether its matter still stands.

After that it goes the way of every request: through the desk to the hub, under an id that is answered once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

import msgspec

from tableside.control.acts import ACTS
from tableside.control.answers import Answer, Word, of_request
from tableside.control.desk import Table as DeskTable
from tableside.control.message import Act, Mistaken, Read, parse_line
from tableside.decisions import RequestAnswered
from tableside.house import Person
from tableside.journal.store import JournalUnavailable
from tableside.page.offered import OFFERED, Offered, Reach
from tableside.page.offers import seen
from tableside.page.sign_ins import SignIn, SignIns, SignInState
from tableside.requests import Request
from tableside.rows import decision_of, what_of

_KEYS = frozenset({"id", "act", "table", "fields", "seen"})


class Said(StrEnum):
    """What the page itself says to an act, before the table is asked; words of the page."""

    SIGNED_OUT = "sign in first"
    NOT_YOURS = "not for your role"
    NOT_HERE = "only at its own table"
    STALE = "has changed meanwhile"
    MISTAKEN = "not understood"
    ID_USED = "form was used"


# What became of an act, as HTTP says it.
STATUS: Mapping[Word, int] = {Word.ACCEPTED: 200, Word.REFUSED: 409, Word.MISTAKEN: 400, Word.UNKNOWN: 504}
OF_PAGE: Mapping[Said, int] = {
    Said.SIGNED_OUT: 401,
    Said.NOT_YOURS: 403,
    Said.NOT_HERE: 403,
    Said.STALE: 409,
    Said.MISTAKEN: 400,
    Said.ID_USED: 409,
}


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a screen is told of its act. `said`: a word of the page where the table was not asked."""

    status: int
    answer: str
    said: str = ""
    rule: str = ""
    text: str = ""
    next_step: str = ""
    lines: Mapping[str, tuple[str, str]] = {}
    mistakes: tuple[str, ...] = ()


class Desk(Protocol):
    """What takes an act to its table, or to its section's tables."""

    async def answer(self, message: Read | Act) -> Answer: ...


class Acting:
    """Takes the acts of all screens."""

    def __init__(self, desk: Desk, tables: Mapping[str, DeskTable], sign_ins: SignIns) -> None:
        self._desk = desk
        self._tables = tables
        self._sign_ins = sign_ins

    async def act(self, token: str, given: object) -> Told:
        """The answer to what a screen has sent."""
        sign_in = self._sign_ins.of(token)
        if sign_in is None or sign_in.state is not SignInState.IN or sign_in.person is None:
            return _of_page(Said.SIGNED_OUT)
        message = _parsed(given, sign_in.person)
        if not isinstance(message, Act):
            return _of_page(Said.MISTAKEN, message.mistakes)
        table = self._tables.get(message.table)
        if table is None:
            return _of_page(Said.MISTAKEN, (f'table: there is no "{message.table[:40]}"',))
        try:
            known = _answered(table, message)
        except JournalUnavailable:
            known = None  # the table says so itself
        if known is not None:
            return known
        refusal = self._refusal(sign_in, sign_in.person, table, message)
        if refusal is not None:
            return _of_page(refusal)
        assert isinstance(given, dict)
        if given.get("seen") != seen(table.state, message.kind, message.fields):
            return _of_page(Said.STALE)
        return _of_table(await self._desk.answer(message))

    def _refusal(self, sign_in: SignIn, person: Person, table: DeskTable, act: Act) -> Said | None:
        offered = OFFERED[act.kind]
        if not may(person, offered, sign_in.table, table):
            here = table.state.house.person(person.staff)
            if here is None or not set(here.roles) & set(offered.roles):
                return Said.NOT_YOURS
            return Said.NOT_HERE
        return None


def may(person: Person, offered: Offered, signed_in_at: str, table: DeskTable) -> bool:
    """Whether somebody who has signed in at a table is offered an act of that one."""
    here = table.state.house.person(person.staff)
    is_role = here is not None and bool(set(here.roles) & set(offered.roles))
    return is_role and (offered.reach is Reach.HOST or signed_in_at == table.name)


def _parsed(given: object, person: Person) -> Act | Mistaken:
    """As a line of the control socket would be read; whose it is, the badge says and not the screen."""
    if not isinstance(given, dict) or not set(given) <= _KEYS:
        return Mistaken("", ("it is no object with id, act, table, fields and seen",))
    act = given.get("act")
    if not isinstance(act, str) or ACTS.get(act) not in OFFERED:
        return Mistaken("", ("act: is none that the page offers",))
    line = {key: value for key, value in given.items() if key != "seen"}
    try:
        message = parse_line(msgspec.json.encode({**line, "staff": person.staff, "via": "page"}))
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return Mistaken("", ("it is no JSON that can be said again",))
    assert not isinstance(message, Read), "no read is among the acts"
    return message


def _answered(table: DeskTable, act: Act) -> Told | None:
    """What was answered to this id before, for the same person and act; nothing is done twice."""
    row = table.journal.find_request(act.id)
    if row is None:
        return None
    what = what_of(row)
    if not isinstance(what, Request) or type(what) is not act.kind or what.by != act.staff:
        return _of_page(Said.ID_USED)
    for record in table.journal.decisions_of(row):
        if record.type == RequestAnswered.__name__:
            decision = decision_of(record)
            if isinstance(decision, RequestAnswered) and decision.request == act.id:
                return _of_table(of_request(table.name, decision))
    return None


def _of_page(said: Said, mistakes: tuple[str, ...] = ()) -> Told:
    word = Word.MISTAKEN if said is Said.MISTAKEN else Word.REFUSED
    return Told(status=OF_PAGE[said], answer=word.value, said=said.value, mistakes=mistakes)


def _of_table(answer: Answer) -> Told:
    return Told(
        status=STATUS.get(answer.answer, 409),
        answer=answer.answer.value,
        rule=answer.rule,
        text=answer.text,
        next_step=answer.next_step,
        lines=answer.lines,
        mistakes=answer.mistakes,
    )
