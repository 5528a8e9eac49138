"""What goes over a PN532's cable, in words: how many tags were read, never which (semantics §6)."""

from __future__ import annotations

from firmware_bridge.wire.pn532.codes import Command
from firmware_bridge.wire.pn532.frame import Mark, Message, encode

HIDDEN = "…"
# Replies in which no number of a tag can be.
_TELLS_NO_TAG = frozenset({Command.GET_FIRMWARE_VERSION, Command.SAM_CONFIGURATION, Command.RF_CONFIGURATION})
_NO_TARGET = b"\x00"


def in_words(piece: Message | Mark) -> str:
    """One frame in words."""
    if isinstance(piece, Mark):
        return piece.name.replace("_", " ")
    asked = piece.code - piece.is_reply
    name = Command(asked).name if asked in set(Command) else f"{asked:02X}"
    if not piece.is_reply:
        return f"{name} {piece.data.hex().upper()}".rstrip()
    if asked == Command.IN_LIST_PASSIVE_TARGET:
        return f"{name}: {piece.data[0] if piece.data else 'nothing'} tag(s) {HIDDEN}"
    return f"{name}: {HIDDEN if _tells_tag(piece) else piece.data.hex().upper() or 'done'}"


def kept(piece: Message | Mark) -> bytes:
    """What a recording may keep of it: nothing of a tag."""
    return b"" if isinstance(piece, Message) and _tells_tag(piece) else encode(piece)


def _tells_tag(piece: Message) -> bool:
    """Of the replies that are asked for here only the list names tags; what is not asked for is hidden too."""
    return piece.is_reply and piece.code - 1 not in _TELLS_NO_TAG and piece.data != _NO_TARGET
