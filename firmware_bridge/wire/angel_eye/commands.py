"""Commands that a host may send to a shoe, in engineering mode only (docs/protocols/angel-eye.md). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.angel_eye.codes import LOCK_OFF, LOCK_ON, CommandType
from firmware_bridge.wire.angel_eye.telegram import Block

_HEAD = "OP"
_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its type and two digits."""

    type: CommandType
    digits: str

    @property
    def block(self) -> Block:
        """As it is framed."""
        return Block((_HEAD + self.type + self.digits).encode("ascii"))


LOCK = Command(CommandType.LOCK, LOCK_ON)
UNLOCK = Command(CommandType.LOCK, LOCK_OFF)
CONFIRM_GAME = Command(CommandType.CONFIRM_GAME, "00")


def cancel_error(code: int) -> Command:
    """The error with this number is over. Raises ValueError."""
    if not 0 <= code < 10**_DIGITS:
        raise ValueError(f"error {code}: 0 to 99")
    return Command(CommandType.CANCEL_ERROR, f"{code:02}")


def read_command(block: Block) -> Command | None:
    """The command in a block; None: it is none that is known."""
    try:
        text = block.data.decode("ascii")
        kind = CommandType(text[len(_HEAD) : len(_HEAD) + _DIGITS])
    except ValueError:
        return None
    digits = text[len(_HEAD) + _DIGITS :]
    is_whole = text.startswith(_HEAD) and len(digits) == _DIGITS and digits.isdigit()
    return Command(kind, digits) if is_whole else None
