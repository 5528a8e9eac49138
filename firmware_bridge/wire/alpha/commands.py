"""What a host tells or asks an ALPHA sign: one function a command, without its frame. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.alpha.codes import (
    ALWAYS,
    ESC,
    NO_TIMES,
    PRIORITY_LABEL,
    PRIORITY_MAX_BYTES,
    STRING_MAX_BYTES,
    Command,
    FileType,
    Insert,
    Mode,
    Position,
    Special,
)

ENTRY_CHARACTERS = 11


class NotForThisFile(ValueError):
    """A label, a size or a content that the file cannot have."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of the memory table. A STRING is always locked, and has no times."""

    label: str
    type: FileType
    size: int  # bytes
    is_locked: bool = True

    def encode(self) -> bytes:
        """Its eleven characters. Raises NotForThisFile."""
        if self.label == PRIORITY_LABEL:
            raise NotForThisFile("the priority file is the sign's own and stands in no memory table")
        if self.type is FileType.STRING and not (self.is_locked and self.size <= STRING_MAX_BYTES):
            raise NotForThisFile(f"STRING {self.label}: locked, and at most {STRING_MAX_BYTES} bytes")
        times = NO_TIMES if self.type is FileType.STRING else ALWAYS
        return f"{self.label}{self.type}{'L' if self.is_locked else 'U'}{self.size:04X}{times}".encode("ascii")


def write_text(label: str, text: bytes, mode: Mode = Mode.HOLD, position: Position = Position.MIDDLE) -> bytes:
    """TEXT file: the display goes blank and begins it anew."""
    if label == PRIORITY_LABEL and len(text) > PRIORITY_MAX_BYTES:
        raise NotForThisFile(f"the priority file holds {PRIORITY_MAX_BYTES} bytes, not {len(text)}")
    return b"".join((Command.WRITE_TEXT.encode(), label.encode("ascii"), bytes((ESC, position)), mode.encode(), text))


def release_priority() -> bytes:
    """The priority file lets go of the sign; with a text, even an empty one, it would not."""
    return Command.WRITE_TEXT.encode() + PRIORITY_LABEL.encode()


def write_string(label: str, data: bytes) -> bytes:
    """STRING file: a TEXT that calls it goes on and shows the new value, without a blank."""
    if len(data) > STRING_MAX_BYTES:
        raise NotForThisFile(f"a STRING holds {STRING_MAX_BYTES} bytes, not {len(data)}")
    return Command.WRITE_STRING.encode() + label.encode("ascii") + data


def call_string(label: str) -> bytes:
    """Within a TEXT: what that STRING holds."""
    return bytes((Insert.STRING,)) + label.encode("ascii")


def write_special(function: Special, data: bytes = b"") -> bytes:
    """A special function."""
    return Command.WRITE_SPECIAL.encode() + function.encode() + data


def configure_memory(entries: tuple[FileEntry, ...]) -> bytes:
    """The memory table: everything that was in the sign is gone. No entries: all is cleared."""
    return write_special(Special.MEMORY, b"".join(entry.encode() for entry in entries))


def run_sequence(labels: str) -> bytes:
    """Which TEXT files run, in this order; the sign's remote control cannot change it."""
    return write_special(Special.RUN_SEQUENCE, b"SL" + labels.encode("ascii"))


def acknowledge(*, is_wanted: bool) -> bytes:
    """ACK mode: from now on the sign answers each packet with ACK or NAK."""
    return write_special(Special.ACKNOWLEDGE, b"1" if is_wanted else b"0")


def read_text(label: str) -> bytes:
    """Answered with the write command that would make it."""
    return Command.READ_TEXT.encode() + label.encode("ascii")


def read_string(label: str) -> bytes:
    """Answered with the write command that would make it."""
    return Command.READ_STRING.encode() + label.encode("ascii")


def read_special(function: Special) -> bytes:
    """Answered with the write command that would make it."""
    return Command.READ_SPECIAL.encode() + function.encode()


def answer_begins(question: bytes) -> bytes:
    """How the answer to a question begins: the letter of writing, then what was asked for."""
    writing = {
        Command.READ_TEXT.encode(): Command.WRITE_TEXT.encode(),
        Command.READ_STRING.encode(): Command.WRITE_STRING.encode(),
        Command.READ_SPECIAL.encode(): Command.WRITE_SPECIAL.encode(),
    }
    return writing[question[:1]] + question[1:]
