"""docs/protocols/tdl.cddl, read by a validator that nobody here wrote, against the vectors and against wrong bodies."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cbor2
import pycddl
import pytest

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation
from tests.vectors import tdl

SCHEMA = (Path(__file__).parents[3] / "docs" / "protocols" / "tdl.cddl").read_text(encoding="utf-8")
VECTORS = tdl.load()
PREFIX = {MessageType.REQUEST: "request-", MessageType.REPLY: "reply-", MessageType.NOTICE: "notice-"}


def _rule(kind: MessageType, code: int) -> str | None:
    """The rule of tdl.cddl that a body of this type and code follows; None for codes of no version known here."""
    if kind not in PREFIX:
        return kind.name.lower().replace("_", "-")
    codes: dict[int, str] = {int(item): item.name for item in (NoticeKind if kind is MessageType.NOTICE else Operation)}
    return PREFIX[kind] + codes[code].lower().replace("_", "-") if code in codes else None


@cache
def _schema(rule: str) -> pycddl.Schema:
    return pycddl.Schema(f"root = {rule}\n{SCHEMA}")  # a validator begins at the first rule


def _is_valid(rule: str, body: bytes) -> bool:
    try:
        _schema(rule).validate_cbor(body)
    except pycddl.ValidationError:
        return False
    return True


RULED = [(rule, vector) for vector in VECTORS if (rule := _rule(vector.message.type, vector.message.code))]
each_ruled = pytest.mark.parametrize(("rule", "vector"), RULED, ids=[vector.name for _, vector in RULED])


@each_ruled
def test_every_vector_follows_its_rule(rule: str, vector: tdl.Vector) -> None:
    assert _is_valid(rule, vector.frame[8:-4])


@each_ruled
def test_unknown_keys_are_skipped(rule: str, vector: tdl.Vector) -> None:
    for value in (0, -1, True, b"\1", "later", [1, 2]):
        assert _is_valid(rule, cbor2.dumps({**_plain(vector.message.body), 23: value}))


@each_ruled
def test_a_known_key_of_another_type_is_refused(rule: str, vector: tdl.Vector) -> None:
    body = _plain(vector.message.body)
    known = [] if "later_version" in vector.name else list(body)
    for key in known:
        # a text is no boolean; everything else is no boolean either (this validator's `.size` takes any text for bytes)
        wrong = "text" if isinstance(body[key], bool) else True
        assert not _is_valid(rule, cbor2.dumps({**body, key: wrong})), key


def _plain(body: object) -> dict[int, object]:
    assert isinstance(body, dict)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in body.items()}


def test_every_message_operation_and_notice_has_a_rule_and_a_vector() -> None:
    wanted = {"hello", "hello-reply", "notice-ack", "progress"}
    wanted |= {str(_rule(kind, code)) for kind in (MessageType.REQUEST, MessageType.REPLY) for code in Operation}
    wanted |= {str(_rule(MessageType.NOTICE, code)) for code in NoticeKind}
    assert {rule for rule, _ in RULED} == wanted
    for rule in wanted:
        assert f"\n{rule} =" in SCHEMA


TOLD = {0: 3, 1: 41, 2: 123_456}
HELLO: dict[int, Value] = {0: bytes(8), 1: 1, 2: 1, 3: 96, 4: 5}
STATE = {0: 0, 7: 0, 8: 0, 9: 0}
IDENTITY = {0: 0, 2: "m", 3: "1", 4: bytes(32), 5: [1], 6: [2] * 8}
WRONG: list[tuple[str, dict[int, object]]] = [
    ("hello", {**HELLO, 0: bytes(7)}),
    ("hello", {**HELLO, 0: bytes(9)}),
    ("hello", {**HELLO, 3: 95}),
    ("hello", {**HELLO, 3: 1001}),
    ("hello", {**HELLO, 4: 0}),
    ("hello", {**HELLO, 4: 2**32}),
    ("hello", {0: bytes(8), 1: 1, 2: 1, 3: 96}),
    ("notice-ack", {0: 3}),
    ("notice-ack", {0: 0, 1: 41}),
    ("progress", {1: 5, 2: 10}),
    ("progress", {0: 0}),
    ("request-outcome", {0: 5}),
    ("request-outcome", {0: 5, 1: 0}),
    ("request-permit", {0: 2}),
    ("request-permit", {0: 0, 1: 2000}),
    ("request-permit", {0: 5, 1: 2000}),
    ("request-permit", {0: 2, 1: 60_001}),
    ("request-permit", {0: 2, 1: 2000, 2: 0}),
    ("request-lamp", {0: 4, 1: 0}),
    ("request-lamp", {0: 1, 1: 2}),
    ("request-lamp", {0: 1}),
    ("request-clear-fault", {0: 0, 1: 7}),
    ("request-arm", {0: 0x7F}),
    ("request-arm", {0: 0xC0}),
    ("request-show", {0: 7, 1: 5, 5: 3000}),
    ("request-show", {0: 7, 1: 1, 2: 5, 4: "EURO", 5: 3000}),
    ("request-count-all", {0: 5}),
    ("request-count-all", {1: 5}),
    ("request-count-all", {0: 0, 1: 17}),
    ("request-deal", {0: 5, 1: 17}),
    ("request-adopt", {0: 0, 1: 17}),
    ("request-adopt", {0: 5}),
    ("reply-identity", {**IDENTITY, 4: bytes(31)}),
    ("reply-identity", {**IDENTITY, 6: [2] * 7}),
    ("reply-identity", {**IDENTITY, 6: [3] * 8}),
    ("reply-identity", {**IDENTITY, 2: "m" * 17}),
    ("reply-identity", {0: 0}),
    ("reply-state", {0: 0}),
    ("reply-state", {**STATE, 0: 1}),
    ("reply-state", {**STATE, 3: []}),
    ("reply-state", {**STATE, 3: [1, 2, 3, 4]}),
    ("reply-state", {**STATE, 6: 1}),
    ("reply-state", {**STATE, 7: 16}),
    ("reply-state", {**STATE, 13: 101}),
    ("reply-state", {0: 3}),
    ("reply-state", {0: 3, 1: 15}),
    ("reply-permit", {0: 0}),
    ("reply-permit", {0: 1}),
    ("reply-faults", {0: 0}),
    ("reply-faults", {0: 0, 2: [256, 1]}),
    ("reply-ping", {}),
    ("reply-ping", {0: 1}),
    ("reply-outcome", {0: 0}),
    ("reply-outcome", {0: 4}),
    ("reply-count-all", {0: 8}),
    ("reply-count-all", {0: 3}),
    ("reply-adopt", {0: 1}),
    ("notice-booted", {0: 1, 1: 1, 2: 0}),
    ("notice-booted", {0: 1, 1: 1, 2: 0, 3: 6}),
    ("notice-cards-out", TOLD),
    ("notice-cards-out", {0: 3, 1: 0, 2: 0, 3: 5}),
    ("notice-cards-out", {0: 3, 2: 0, 3: 5}),
    ("notice-tray", TOLD),
    ("notice-tray", {**TOLD, 4: 101}),
    ("notice-chips-in", {**TOLD, 3: 1}),
    ("notice-jam", TOLD),
    ("notice-jam", {**TOLD, 3: 0}),
    ("notice-jam", {**TOLD, 3: 7}),
    ("notice-fault", {**TOLD, 3: 0, 4: 1}),
    ("notice-fault", {**TOLD, 3: 1}),
    ("notice-lamp", {**TOLD, 3: 1}),
    ("notice-permit-ended", {**TOLD, 3: 2, 4: 7, 5: 0}),
    ("notice-permit-ended", {**TOLD, 3: 2, 4: 1}),
    ("notice-suspect-card", {**TOLD, 3: 4, 4: 1}),
    ("notice-command-ended", {**TOLD, 3: 17, 4: 1}),
    ("notice-command-ended", {**TOLD, 3: 17, 4: 4}),
    ("notice-command-ended", {**TOLD, 4: 2}),
    ("notice-key", {**TOLD, 3: 6}),
    ("notice-key", TOLD),
]


@pytest.mark.parametrize(("rule", "body"), WRONG, ids=[f"{rule} {sorted(body)}" for rule, body in WRONG])
def test_wrong_bodies_are_refused(rule: str, body: dict[int, object]) -> None:
    assert not _is_valid(rule, cbor2.dumps(body))
