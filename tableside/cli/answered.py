"""Answers of the daemon, printed; and the code that a refusal ends with."""

from __future__ import annotations

from typing import Any, cast

from tableside.cli.failing import Failed
from tableside.cli.plain import say, say_json
from tableside.exit_codes import ExitCode

CODES = {
    "refused": ExitCode.REFUSED,
    "mistaken": ExitCode.USAGE,
    "unknown": ExitCode.OUTCOME_UNKNOWN,
}


def told(answer: dict[str, object], *, as_json: bool) -> object:
    """What a read tells. Raises `Failed` where it is refused, having printed the answer where JSON is wanted."""
    if answer["answer"] == "told":
        return answer["what"]
    if as_json:
        say_json(answer)
    raise Failed(CODES[str(answer["answer"])], "" if as_json else in_words(answer))


def settle(answer: dict[str, object], *, as_json: bool) -> None:
    """Print an act's answer. Raises `Failed` where it was not accepted."""
    is_accepted = answer["answer"] == "accepted"
    if as_json:
        say_json(answer)
    elif is_accepted:
        say(in_words(answer))
    if not is_accepted:
        raise Failed(CODES[str(answer["answer"])], "" if as_json else in_words(answer))


def in_words(answer: dict[str, object]) -> str:
    """An answer as a person reads it."""
    rule = f" ({answer['rule']})" if answer.get("rule") else ""
    where = f"{answer['table']}: " if answer.get("table") else ""
    lines = [f"{where}{answer['answer']}{rule}: {answer.get('text', '')}"]
    lines += [f"  - {mistake}" for mistake in cast(list[str], answer.get("mistakes", []))]
    if answer.get("next_step"):
        lines.append(f"  → {answer['next_step']}")
    for one in cast(list[dict[str, Any]], answer.get("tables", [])):
        lines.append(f"  {one['table']}: {one['answer']}: {one.get('text', '')}")
    return "\n".join(lines)
