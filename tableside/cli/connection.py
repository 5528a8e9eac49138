"""Asking the daemon over its socket, blocking: what a command line needs, and quick to import."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from tableside.cli.failing import Failed
from tableside.exit_codes import ExitCode

DEFAULT_CONFIG = "host.toml"
CONNECT_LIMIT_S = 2.0
# The desk itself gives up after 30 s and says so.
ANSWER_LIMIT_S = 35.0
CHUNK_BYTES = 65_536

Line = dict[str, object]


def socket_path(given: str | None, config: str) -> Path:
    """Where the daemon listens: as told, or as the host's file says. Raises `Failed`."""
    if given is not None:
        return Path(given)
    import tomllib

    path = Path(config)
    try:
        named = tomllib.loads(path.read_text("utf-8"))["host"]["control_socket"]
    except FileNotFoundError:
        text = f"there is no {path}: name the host's file with --config, or the daemon's socket with --socket"
        raise Failed(ExitCode.NO_INPUT, text) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = f"{path} names no control socket ({error}); `tableside config check {path}` says what is wrong"
        raise Failed(ExitCode.CONFIG, text) from None
    return Path(os.path.normpath(path.resolve().parent / str(named)))


def new_id() -> str:
    """A request id that nobody has used."""
    return f"cli-{os.urandom(8).hex()}"


class Connection:
    """One connection to the daemon. A context manager; raises `Failed`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._lines: Iterator[Line] = iter(())

    def __enter__(self) -> Connection:
        try:
            self._connect()
        except BaseException:
            self._socket.close()
            raise
        self._lines = self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def ask(self, message: Line) -> Line:
        """Send a message and wait for its answer."""
        self._socket.settimeout(ANSWER_LIMIT_S)
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
            for line in self._lines:
                if "answer" in line:
                    return line
        except TimeoutError:
            raise Failed(ExitCode.TIMEOUT, f"the daemon did not answer within {ANSWER_LIMIT_S:g} s") from None
        except ConnectionError:
            pass
        text = f"the daemon hung up; nobody knows whether it was done: ask again with --id {message['id']}"
        raise Failed(ExitCode.OUTCOME_UNKNOWN, text)

    def follow(self, limit_s: float | None = None) -> Iterator[Line]:
        """Every further line, until the daemon hangs up. Raises `TimeoutError` where `limit_s` passes in silence."""
        self._socket.settimeout(limit_s)
        yield from self._lines

    def _connect(self) -> None:
        self._socket.settimeout(CONNECT_LIMIT_S)
        try:
            self._socket.connect(str(self._path))
        except (FileNotFoundError, ConnectionRefusedError):
            text = f"no daemon answers at {self._path}: start it with `tableside run`, or name its socket"
            raise Failed(ExitCode.NO_DAEMON, text) from None
        except PermissionError:
            text = f"{self._path} may not be opened by this account: use the daemon's, or one of its group"
            raise Failed(ExitCode.NO_PERMISSION, text) from None
        except OSError as error:
            raise Failed(ExitCode.NO_DAEMON, f"{self._path}: {error}") from None

    def _read(self) -> Iterator[Line]:
        part = b""
        while chunk := self._socket.recv(CHUNK_BYTES):
            *lines, part = (part + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)
