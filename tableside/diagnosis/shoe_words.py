"""What an Angel Eye shoe and its host say, in words; which card it was is never among them. Pure."""

from __future__ import annotations

from firmware_bridge.wire.angel_eye import messages as said
from firmware_bridge.wire.angel_eye.commands import read_command
from firmware_bridge.wire.angel_eye.telegram import (
    Acknowledged,
    Block,
    NotAcknowledged,
    Telegram,
    encode_answer,
    encode_block,
    encode_telegram,
)

A_CARD = "a card"
ShoePiece = Telegram | Block | Acknowledged | NotAcknowledged


def in_words(piece: ShoePiece) -> str:
    """One piece in words."""
    match piece:
        case Telegram(seq, data):
            return f"seq {ascii(chr(seq))[1:-1]} {_told(said.read_message(data))[0]}"
        case Block():
            command = read_command(piece)
            return "a block" if command is None else f"command {command.type.name.lower()} {command.digits}"
        case NotAcknowledged(code):
            return f"NAK {code:02X}h"
        case _:
            return "ACK"


def kept(piece: ShoePiece) -> bytes:
    """What a recording may keep of it: nothing of a card."""
    match piece:
        case Telegram(_, data):
            return b"" if _told(said.read_message(data))[1] else encode_telegram(piece)
        case Block():
            return encode_block(piece, bcc_includes_stx=True)
        case _:
            return encode_answer(piece)


def _told(message: said.Message) -> tuple[str, bool]:
    match message:
        case said.Drawn(target, index, _, is_again):
            again = " again" if is_again else ""
            return f"drawn{again}: {target.name.lower()} {index}, {A_CARD}", True
        case said.DrawnOutside(mode, _):
            return f"drawn outside a game: {mode.name.lower()}, {A_CARD}", True
        case said.Result(winner, is_player_pair, is_banker_pair):
            pairs = "".join(f", {who} pair" for who, is_so in _pairs(is_player_pair, is_banker_pair) if is_so)
            return f"result: {winner.name.lower()}{pairs}", False
        case said.Error(code, is_stopped):
            return f"error {code}{', stopped' if is_stopped else ''}", False
        case said.ErrorCancelled(code):
            return f"error {code} cancelled", False
        case said.LockStatus(is_locked):
            return "locked" if is_locked else "unlocked", False
        case said.RegisterChanged(register, value):
            return f"register {register} is {value}", False
        case said.Malformed(letter, why):
            return f"{letter}: {why}", True  # it may tell a card all the same
        case _:
            return _PLAIN[type(message)], False


def _pairs(is_player: bool, is_banker: bool) -> tuple[tuple[str, bool], tuple[str, bool]]:
    return ("player", is_player), ("banker", is_banker)


_PLAIN: dict[type, str] = {said.Started: "started", said.StoodBy: "standby", said.CutCard: "cut card"}
