"""The number tables of docs/protocols/tdl.md section 14 and the code are the same numbers, in both directions."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest

from firmware_bridge.wire.tdl import codes, keys

TEXT = (Path(__file__).parents[3] / "docs" / "protocols" / "tdl.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (0x[0-9A-F]{2}|\d+) \| ([A-Za-z_ ]+?) \|")

CODES: dict[str, type[IntEnum]] = {
    "Message types": codes.MessageType,
    "Operations": codes.Operation,
    "Notice kinds": codes.NoticeKind,
    "Statuses": codes.Status,
    "Reasons": codes.Reason,
    "Profiles": codes.Profile,
    "Abilities": codes.Ability,
    "Holdings": codes.Holding,
    "Permits": codes.Permit,
    "Ends of a permit": codes.PermitEnd,
    "Places": codes.Place,
    "Lamp colours": codes.LampColour,
    "Lamp patterns": codes.LampPattern,
    "Causes of a boot": codes.BootCause,
    "Faults": codes.FaultCode,
    "Keys of the dealer": codes.Key,
    "Why a card is suspect": codes.SuspectReason,
    "What was tampered with": codes.TamperKind,
    "Why a chip came back": codes.ChipReturn,
    "What a display shows": codes.Shown,
}
KEYS: dict[str, type[IntEnum]] = {
    "HELLO": keys.HelloKey,
    "HELLO_REPLY": keys.HelloReplyKey,
    "REPLY": keys.ReplyKey,
    "REPLY to IDENTITY": keys.IdentityKey,
    "OUTCOME": keys.OutcomeKey,
    "REPLY to OUTCOME and to moving commands": keys.OutcomeReplyKey,
    "REPLY to STATE": keys.StateKey,
    "PERMIT": keys.PermitKey,
    "REPLY to PERMIT": keys.PermitReplyKey,
    "LAMP": keys.LampKey,
    "REPLY to FAULTS": keys.FaultsKey,
    "REPLY to METERS": keys.MetersKey,
    "SHOW": keys.ShowKey,
    "CLEAR_FAULT": keys.ClearFaultKey,
    "ARM": keys.ArmKey,
    "Moving commands": keys.MovingKey,
    "PROGRESS": keys.ProgressKey,
    "ADOPT": keys.AdoptKey,
    "NOTICE": keys.NoticeKey,
    "NOTICE_ACK": keys.NoticeAckKey,
    "Notice booted": keys.BootedKey,
    "Notices cards out, cards in, chips in": keys.MeterKey,
    "Notice tray": keys.TrayKey,
    "Notices jam, jam gone": keys.PlaceKey,
    "Notices fault, fault gone": keys.FaultKey,
    "Notice lamp": keys.LampNoticeKey,
    "Notices buffer low, buffer normal, packet end": keys.CardsKey,
    "Notice permit ended": keys.PermitEndedKey,
    "Notice suspect card": keys.SuspectKey,
    "Notice command ended": keys.CommandEndedKey,
    "Notice tamper": keys.TamperKey,
    "Notice notices lost": keys.NoticesLostKey,
    "Notice key": keys.KeyKey,
    "Notice card read": keys.CardReadKey,
    "Notice chip returned": keys.ChipReturnedKey,
}


def _tables() -> dict[str, dict[str, int]]:
    """Heading -> {name: number} of each table of section 14."""
    section = TEXT.split("\n## 14 Numbers\n")[1].split("\n## 15 ")[0]
    tables: dict[str, dict[str, int]] = {}
    for part in section.split("\n#### ")[1:]:
        heading, *lines = part.splitlines()
        rows = [match for line in lines if (match := ROW.match(line))]
        tables[heading] = {row[2].upper().replace(" ", "_"): int(row[1], 0) for row in rows}
        assert len(tables[heading]) == len(rows), f"{heading}: a name twice"
        assert len(set(tables[heading].values())) == len(rows), f"{heading}: a number twice"
    return tables


TABLES = _tables()


@pytest.mark.parametrize("heading", [*CODES, *KEYS])
def test_table_and_code_agree(heading: str) -> None:
    assert TABLES[heading] == {item.name: int(item) for item in {**CODES, **KEYS}[heading]}


def test_flags_agree() -> None:
    assert TABLES["Flags"] == {item.name: int(item) for item in codes.HelloFlag}


def test_no_table_stands_outside_this_test() -> None:
    assert set(TABLES) == {*CODES, *KEYS, "Flags"}
    defined = {item for item in vars(keys).values() if isinstance(item, type) and issubclass(item, IntEnum)}
    assert set(KEYS.values()) == defined - {IntEnum}
    defined = {item for item in vars(codes).values() if isinstance(item, type) and issubclass(item, IntEnum)}
    assert set(CODES.values()) == defined - {IntEnum}


@pytest.mark.parametrize(
    ("code", "moving"),
    [(0x01, False), (0x3F, False), (0x40, True), (0x7F, True), (0x80, True), (0xBF, True), (0xC0, False)],
)
def test_what_is_never_repeated(code: int, moving: bool) -> None:
    """BR-009: the host repeats nothing that moves."""
    assert codes.is_moving(code) is moving
