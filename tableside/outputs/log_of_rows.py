"""What becomes of commands and requests, for the engineers' log: one line for each change, after its row is durable.

Every line of a command has its device and number, every line of a request its id; the table is bound by the task.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from tableside import decisions
from tableside.hub import Entry

_log = structlog.get_logger("table")


def log_rows(entries: Sequence[Entry]) -> None:
    """Hear the rows of one commit."""
    for entry in entries:
        _tell_way(entry.what)
        _tell_end(entry.what)


def _tell_way(what: object) -> None:
    """A command on its way, and a request with its answer. No words of people: they stand in the journal."""
    match what:
        case decisions.RequestAnswered(request=request, is_accepted=is_accepted, rule=rule):
            _log.info("request_answered", request=request, is_accepted=is_accepted, rule=rule)
        case decisions.CommandIntended(device=device, number=number, verb=verb, step=step):
            _log.info("command_intended", device=device, command=number, verb=verb.value, step=step)
        case decisions.CommandAccepted(device=device, number=number, is_found=is_found):
            _log.info("command_accepted", device=device, command=number, is_found=is_found)


def _tell_end(what: object) -> None:
    """What became of a command."""
    match what:
        case decisions.CommandFinished(device=device, number=number, outcome=outcome, moved=moved):
            _log.info("command_finished", device=device, command=number, outcome=outcome.value, moved=moved)
        case decisions.CommandRefused(device=device, number=number, reason=reason):
            _log.warning("command_refused", device=device, command=number, reason=reason.value)
        case decisions.CommandNotDone(device=device, number=number, why=why):
            _log.warning("command_not_done", device=device, command=number, why=why)
        case decisions.CommandUnknown(device=device, number=number, why=why):
            _log.warning("command_unknown", device=device, command=number, why=why)
        case decisions.CommandSettled(device=device, number=number, by=by, moved=moved):
            _log.info("command_settled", device=device, command=number, by=by, moved=moved)
