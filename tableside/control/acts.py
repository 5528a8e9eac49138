"""Which acts there are: each request of the table under its name in kebab-case. A table, not a list by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

import msgspec

from tableside import people_requests, requests
from tableside.requests import AnyRequest, Request

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def act_name(kind: type[Request]) -> str:
    """`LoadPacket` is asked for as `load-packet`."""
    return _CAPITAL.sub("-", kind.__name__).lower()


ACTS: Mapping[str, type[Request]] = {act_name(kind): kind for kind in get_args(AnyRequest)}
NAMES: Mapping[type[Request], str] = {kind: name for name, kind in ACTS.items()}

# Only what makes things safer needs no badge (semantics: facts, requests, locks): the dealer's HOLD, CALL, stop.
NO_BADGE: frozenset[type[Request]] = frozenset(
    {requests.StopPlay, requests.CallSupervisor, requests.RaiseComplaint},
)
# Asked of every table of a section at once: one supervisor answers for all of them.
OF_SECTION: frozenset[type[Request]] = frozenset({requests.TakeSection, people_requests.HandOverSection})
# Asked of every table of the host: a badge is one badge at all of them.
OF_HOST: frozenset[type[Request]] = frozenset({people_requests.WithdrawBadge})

_ENVELOPE = frozenset(field.name for field in msgspec.structs.fields(Request))


def fields_of(kind: type[Request]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """What an act asks for beside who asks."""
    return tuple(field for field in msgspec.structs.fields(kind) if field.name not in _ENVELOPE)


def said_of(kind: type[Request]) -> str:
    """The first sentence of the request's docstring: what the act does."""
    text = " ".join((kind.__doc__ or "").split())
    return text.partition(". ")[0].rstrip(".") + "."
