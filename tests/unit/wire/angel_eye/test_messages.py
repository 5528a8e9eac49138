"""What telegrams say: every field both ways, and what the check lets through although it is no telegram."""

from __future__ import annotations

import pytest

from firmware_bridge.wire.angel_eye import commands
from firmware_bridge.wire.angel_eye.codes import Mode, Suit, Target, Winner
from firmware_bridge.wire.angel_eye.copies import Copies, Fresh
from firmware_bridge.wire.angel_eye.messages import (
    Card,
    CutCard,
    Drawn,
    DrawnOutside,
    Error,
    ErrorCancelled,
    LockStatus,
    Malformed,
    Message,
    RegisterChanged,
    Result,
    Started,
    StoodBy,
    read_message,
    write_message,
)
from firmware_bridge.wire.angel_eye.telegram import Block, Telegram
from tests.vectors.angel_eye import COMMANDS, TELEGRAMS

EIGHT = Card(Suit.SPADE, 8)
SAID: dict[str, Message] = {
    "started": Started(),
    "player card 1 is the eight of spades": Drawn(Target.PLAYER, 1, EIGHT),
    "player wins, player pair": Result(Winner.PLAYER, is_player_pair=True, is_banker_pair=False),
    "cut card": CutCard(),
    "error 1, in error mode": Error(1, is_stopped=True),
    "locked": LockStatus(is_locked=True),
    "player card 1 is the eight of spades, again": Drawn(Target.PLAYER, 1, EIGHT, is_again=True),
    "banker card 1 is the five of clubs": Drawn(Target.BANKER, 1, Card(Suit.CLUB, 5)),
    "error 1 cancelled": ErrorCancelled(1),
    "banker wins, banker pair": Result(Winner.BANKER, is_player_pair=False, is_banker_pair=True),
    "tie": Result(Winner.TIE, is_player_pair=False, is_banker_pair=False),
    "standby": StoodBy(),
}


@pytest.mark.parametrize("vector", TELEGRAMS, ids=lambda vector: vector["meaning"])
def test_golden_telegrams_say_what_they_mean(vector: dict[str, str]) -> None:
    message, data = SAID[vector["meaning"]], bytes.fromhex(vector["data"])
    assert read_message(data) == message
    assert write_message(message) == data


def test_every_card_target_mode_and_result_goes_both_ways() -> None:
    cards = [Card(suit, rank) for suit in Suit for rank in range(14) if rank or suit is Suit.NONE]
    messages: list[Message] = [Drawn(target, 1, card, again) for target in Target for card in cards for again in (0, 1)]
    messages += [Drawn(target, index, EIGHT) for target in Target for index in range(1, 11)]
    messages += [Drawn(target, 0, Card(Suit.NONE, 0)) for target in (Target.BURN, Target.BURN_COUNT)]
    messages += [DrawnOutside(mode, card) for mode in Mode for card in cards]
    messages += [Result(winner, a, b) for winner in Winner for a in (False, True) for b in (False, True)]
    messages += [Error(code, is_stopped) for code in range(64) for is_stopped in (False, True)]
    messages += [ErrorCancelled(63), LockStatus(False), RegisterChanged("01", "00FF")]
    assert [read_message(write_message(message)) for message in messages] == messages


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("44 80 B8", "index 0"),  # a card of a hand has a place in it
        ("44 8B B8", "index 11"),
        ("44 B1 B8", "target 3"),
        ("44 81 38", "bit 7"),
        ("44 01 B8", "bit 7"),
        ("44 81", "1 parameters"),
        ("44 81 B8 80", "3 parameters"),
        ("44 81 BE", "no such card"),  # rank 14
        ("44 81 B0", "no such card"),  # a suit without a rank
        ("44 81 D1", "no such card"),  # suit 5
        ("64 B0 B8", "mode 3"),
        ("47 80", "no such result"),
        ("47 95", "no such result"),
        ("53 80", "1 parameters"),
        ("4D 30 31 30 30 30", "a register"),
        ("4D 30 31 30 30 30 81", "a register"),
        ("5A", "no such telegram"),
        ("81", "no such telegram"),
    ],
)
def test_what_is_no_telegram_is_told_with_its_letter_and_without_its_card(data: str, why: str) -> None:
    raw = bytes.fromhex(data)
    said = read_message(raw)
    assert isinstance(said, Malformed)
    assert why in said.why
    assert said.letter == (chr(raw[0]) if raw[0] < 0x7F else "?")
    with pytest.raises(ValueError, match="no bytes"):
        write_message(said)


def test_three_copies_are_one_and_the_next_with_the_same_content_is_another() -> None:
    """Test 2 of the page."""
    copies, first, second = Copies(), Telegram(ord("1"), b"S"), Telegram(ord("2"), b"S")
    taken = [copies.take(telegram, 0) for telegram in (first, first, first, second, second, second)]
    assert taken == [Fresh(first), None, None, Fresh(second), None, None]


def test_the_same_seq_with_another_content_counts_and_is_said() -> None:
    """Test 3 of the page."""
    copies, first, other = Copies(), Telegram(ord("1"), b"C"), Telegram(ord("1"), b"P")
    assert [copies.take(first, 0), copies.take(other, 0)] == [Fresh(first), Fresh(other, is_contradicting=True)]
    assert copies.take(first, 1) is None, "a late copy of the first"


def test_a_turn_of_the_seq_hides_nothing() -> None:
    """The same telegram again after the shortest turn of a seq that anybody could build, ten digits, is a new one."""
    copies = Copies()
    for _turn in range(3):
        for seq in b"0123456789":
            assert copies.take(Telegram(seq, b"C"), 0) == Fresh(Telegram(seq, b"C"))


def test_a_shoe_that_was_off_says_the_same_again_and_is_heard() -> None:
    copies, started, card = Copies(), Telegram(ord("0"), b"S"), Telegram(ord("1"), b"C")
    assert [copies.take(started, 0), copies.take(card, 0.5), copies.take(started, 1)] == [
        Fresh(started),
        Fresh(card),
        None,
    ]
    assert [copies.take(started, 5), copies.take(started, 500), copies.take(card, 500)] == [
        Fresh(started),
        None,
        Fresh(card),
    ]


@pytest.mark.parametrize("vector", COMMANDS, ids=lambda vector: vector["meaning"])
def test_golden_commands(vector: dict[str, str]) -> None:
    made = {
        "lock": commands.LOCK,
        "unlock": commands.UNLOCK,
        "confirm game": commands.CONFIRM_GAME,
        "cancel error 1": commands.cancel_error(1),
    }[vector["meaning"]]
    assert made.block == Block(bytes.fromhex(vector["data"]))
    assert commands.read_command(made.block) == made


def test_what_is_no_command_is_none() -> None:
    for data in (b"", b"OP", b"OPLK", b"OPLK0", b"OPLKxx", b"XXLK01", b"OPZZ01", b"OPLK010", b"\xff\xff\xff\xff01"):
        assert commands.read_command(Block(data)) is None
    with pytest.raises(ValueError, match="error 100"):
        commands.cancel_error(100)
