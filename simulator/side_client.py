"""Speaks to a running simulator's side channel: one question, one answer, for the command line."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

# A simulator that is there answers at once; pulling a cable may take a second.
ANSWER_TIMEOUT_S = 10.0
CHUNK_BYTES = 65_536


class SideChannelRefused(Exception):
    """Nobody answers there, or the answer is no: says what and what to do."""


class Mistaken(SideChannelRefused):
    """The simulator did not understand what is asked: says how it is said rightly."""


class NothingDone(SideChannelRefused):
    """Hands came away with nothing: says what is there."""


def ask(path: Path, message: dict[str, object]) -> object:
    """The answer's `what`. Raises `Mistaken`, `SideChannelRefused`."""
    return _asked(path, message).get("what")


def ask_hands(path: Path, message: dict[str, object]) -> object:
    """As `ask`, for a person who wants something done. Raises `NothingDone` where hands came away with nothing."""
    said = _asked(path, message)
    if said.get("text"):
        raise NothingDone(f"nothing done: {said['text']}")
    return said.get("what")


def _asked(path: Path, message: dict[str, object]) -> dict[str, Any]:
    line = json.dumps({"id": "cli", **message}, ensure_ascii=False).encode() + b"\n"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(ANSWER_TIMEOUT_S)
            channel.connect(str(path))
            channel.sendall(line)
            answer = _line(channel)
    except OSError as error:
        raise SideChannelRefused(
            f"no simulator answers at {path} ({error.strerror or error}): start one with `tableside-sim serve`"
        ) from error
    said: dict[str, Any] = json.loads(answer)
    if said["answer"] in ("told", "done"):
        return said
    refused = Mistaken if said["answer"] == "mistaken" else SideChannelRefused
    raise refused(f"{said['answer']}: {said.get('text', '')}")


def answers(path: Path, who: str, remedy: str) -> None:
    """Whether somebody listens at this socket. Raises `SideChannelRefused` with what to do."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(ANSWER_TIMEOUT_S)
            channel.connect(str(path))
    except OSError as error:
        raise SideChannelRefused(f"no {who} answers at {path} ({error.strerror or error}): {remedy}") from error


def _line(channel: socket.socket) -> bytes:
    received = bytearray()
    while not received.endswith(b"\n"):
        chunk = channel.recv(CHUNK_BYTES)
        if not chunk:
            raise ConnectionResetError(0, "it hung up")
        received += chunk
    return bytes(received)
