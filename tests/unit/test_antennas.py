"""What antennas tell at the table: unknown tags call somebody, what cannot be told gives advice, chips are recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.antenna_events import ChipRead, ChipRemoved, TagUnknown, UnknownTagGone
from drivers.card_events import CardRead, CardRemoved, CardsAmbiguous
from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.pn532 import commands
from firmware_bridge.wire.pn532.frame import Message, encode
from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.decisions import AlertCleared, AlertRaised, LineShown
from tableside.diagnosis.speech import speech_of
from tests.support.config_files import Edit, write_config
from tests.support.samples import SEALED
from tests.support.table import Table

UNKNOWN = TagUnknown(device="antenna", tag="32:00000009", place="seat 3")
REGISTER = "D0AC1F62 card 8♠\n00000001 chip 500\n"


def antenna(name: str, place: str, driver: str = "pn532-antenna", more: str = "") -> str:
    return f"""
[[devices]]
name = "{name}"
role = "antenna"
driver = "{driver}"
address = "serial:///dev/serial/by-id/{name}?baud=115200"
serial_number = "{name}"
model = "PN532"
{place and f'place = "{place}"'}
{more}
"""


def written(folder: Path, *devices: str, register: str | None = REGISTER, named: bool = True) -> Path:
    """A host whose table has these antennas."""
    if register is not None:
        (folder / "tags.txt").write_text(register, "utf-8")
    edits = [Edit("table", 'section = "A"', 'section = "A"\ntag_register = "tags.txt"')] if named else []
    return write_config(folder, *edits, Edit("table", "", "".join(devices)))


def test_an_unknown_tag_calls_somebody_until_it_is_gone() -> None:
    table = Table()
    table.give(UNKNOWN)
    raised = table.all_of(AlertRaised)[-1]
    assert (raised.text, raised.fields["place"]) == ("TAG-UNKNOWN", "seat 3")
    assert UNKNOWN.tag not in str(raised.fields), "its number is nobody's business at the table"
    table.give(UnknownTagGone(device="antenna", tag=UNKNOWN.tag, place="seat 3"))
    assert table.all_of(AlertCleared)[-1].alert == raised.alert


def test_two_unknown_tags_are_two_alerts() -> None:
    table = Table()
    table.give(UNKNOWN)
    table.give(TagUnknown(device="antenna", tag="32:0000000A", place="seat 3"))
    assert len(table.all_of(AlertRaised)) == 2


def test_what_cannot_be_told_gives_advice_and_no_card() -> None:
    """BR-035: an advice to place the card again."""
    table = Table()
    table.give(CardsAmbiguous(device="antenna", places=("seat 3", "seat 4"), why="read at two antennas"))
    shown = table.all_of(LineShown)[-1]
    assert (shown.text, shown.fields["place"]) == ("CARDS-AMBIGUOUS", "seat 3, seat 4")
    assert not table.all_of(AlertRaised)


def test_cards_and_chips_move_nothing_in_the_account_and_alarm_nobody() -> None:
    """An antenna says where a card lies, not where it came from."""
    table = Table()
    before = table.state.account
    for fact in (
        CardRead(device="antenna", card=SEALED, place="seat 3"),
        CardRemoved(device="antenna", card=SEALED, place="seat 3"),
        ChipRead(device="antenna", value=500, place="seat 3"),
        ChipRemoved(device="antenna", value=500, place="seat 3"),
    ):
        table.give(fact)
    assert table.state.account == before
    assert not table.all_of(AlertRaised)
    assert [read.place for read in table.state.procedures.card_identities.read] == ["seat 3"]


def test_antennas_and_their_register_in_a_tables_file(tmp_path: Path) -> None:
    path = written(tmp_path, antenna("a1", "seat 1"), antenna("a2", "seat 2"))
    assert check(path) == []
    host = load_host(path)
    assert host.tables[0].tag_register == tmp_path / "tags.txt"
    assert house_of(host, host.tables[0], 1).others == ("a1", "a2")


@pytest.mark.parametrize(
    ("devices", "register", "key", "problem"),
    [
        ((antenna("a1", ""),), REGISTER, "devices[3].place", "missing"),
        ((antenna("a1", "seat 1"), antenna("a2", "seat 1")), REGISTER, "devices[4].place", "another antenna"),
        ((antenna("a1", "seat 1"),), None, "table.tag_register", "No such file"),
        ((antenna("a1", "seat 1"),), "D0AC1F6 card 8♠", "table.tag_register", "line 1: "),
        ((antenna("a1", "seat 1", driver="tdl-display"),), REGISTER, "devices[3].driver", "drives no antenna"),
    ],
)
def test_mistakes_are_told_where_they_are(
    tmp_path: Path, devices: tuple[str, ...], register: str | None, key: str, problem: str
) -> None:
    found = {mistake.key: mistake.problem for mistake in check(written(tmp_path, *devices, register=register))}
    assert problem in found[key], found


def test_an_antenna_without_a_register_is_refused(tmp_path: Path) -> None:
    (mistake,) = check(written(tmp_path, antenna("a1", "seat 1"), named=False))
    assert mistake.key == "table.tag_register"


def test_a_trace_says_how_many_tags_and_never_which() -> None:
    """semantics §6: a card that was read leaves the daemon as *a card*."""
    speech = speech_of("pn532", is_message_based=False)
    target = commands.Target(1, bytes.fromhex("D0AC1F62"), 4, 8)
    reply = encode(Message(0x4B, commands.targets_data((target,)), is_reply=True))
    asked = encode(commands.list_targets())
    spoken = [*speech.feed(Direction.OUT, asked), *speech.feed(Direction.IN, reply)]
    assert [one.text for one in spoken] == ["IN_LIST_PASSIVE_TARGET 0200", "IN_LIST_PASSIVE_TARGET: 1 tag(s) …"]
    assert [one.data for one in spoken] == [asked, b""]
    (nothing,) = speech.feed(Direction.IN, encode(Message(0x4B, b"\x00", is_reply=True)))
    assert nothing.data
    (other,) = speech.feed(Direction.IN, encode(Message(0x41, b"\x00\xd0\xac\x1f\x62", is_reply=True)))
    assert (other.text, other.data) == ("40: …", b"")
