"""The one answer to a request: found among a turn's decisions, or given where nothing can be recorded. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from tableside.decisions import Decision, RequestAnswered
from tableside.refusals import refusal
from tableside.requests import Request


def answer_of(request: Request, decisions: Sequence[Decision]) -> RequestAnswered:
    """What was decided of it. Every request is answered: `AssertionError` is a fault of ours."""
    for decision in decisions:
        if isinstance(decision, RequestAnswered) and decision.request == request.id:
            return decision
    raise AssertionError(f"request {request.id} was not answered")


def refused_blind(request: Request) -> RequestAnswered:
    """No record, no act (design rule 8)."""
    said = refusal("NO-RECORD")
    return RequestAnswered(
        request=request.id,
        is_accepted=False,
        rule=said.rule,
        text=said.text,
        next_step=said.next_step,
        code=said.code,
    )
