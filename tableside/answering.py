"""The one answer to a request: found among a turn's decisions, or given where nothing can be recorded. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tableside.catalogue import LANGUAGES
from tableside.decisions import Decision, RequestAnswered
from tableside.phrases import phrase
from tableside.refusals import in_language, refusal
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


def answered_lines(answered: RequestAnswered) -> Mapping[str, tuple[str, str]]:
    """What was answered and what to do next, by language; in English where nobody has written it in another."""
    if answered.code:
        return {language: in_language(answered.code, answered.fields, language) for language in LANGUAGES}
    return {
        language: (phrase("said", answered.text, language), phrase("next", answered.next_step, language))
        for language in LANGUAGES
    }
