"""What people ask and write down of manual operation. `tableside.requests` has them all."""

from __future__ import annotations

from enum import StrEnum

from tableside.request_shapes import Request


class LateKind(StrEnum):
    """What a line of the form tells of."""

    ROUND = "round"
    CARDS = "cards moved"
    DAMAGED = "damaged card"
    COMPLAINT = "complaint"
    JACKPOT = "jackpot"
    PEOPLE = "people"
    OTHER = "other"


class IssueForm(Request, frozen=True, kw_only=True):
    """A form for manual operation gets its number; it is printed from the journal and lies ready at the table."""


class OrderManual(Request, frozen=True, kw_only=True):
    """The table is run by hand, on this form. `since`: when that began, local time as HH:MM; empty: now."""

    form: int
    why: str
    since: str = ""


class EnterLate(Request, frozen=True, kw_only=True):
    """A line of the form, by whom it concerns: `at` is the local time written there, as HH:MM."""

    line: int
    at: str
    kind: LateKind
    text: str


class EndManual(Request, frozen=True, kw_only=True):
    """The system runs the table again; `lines` are written on the form, and every one of them is entered."""

    lines: int


AnyManualRequest = IssueForm | OrderManual | EnterLate | EndManual
