"""The unix socket of the control desk: who may connect, how many, and how long a slow reader is borne."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from pathlib import Path

import structlog

from tableside.control.answers import line_of, mistaken
from tableside.control.conversation import Conversation
from tableside.control.desk import Desk
from tableside.control.message import Mistaken
from tableside.control.peers import is_allowed, peer_of

MAX_CONNECTIONS = 256  # pages, pagers and consoles of 32 tables
BACKLOG = 128
CHUNK_BYTES = 65_536
# A reader that takes nothing for so long is hung up on; it comes back with `after` and has lost nothing.
STALLED_S = 30.0
OWNER_ONLY, OWNER_AND_GROUP = 0o600, 0o660

_log = structlog.get_logger("control")

FULL = Mistaken("", (f"the daemon has {MAX_CONNECTIONS} connections already; close one",))


class SocketRefused(Exception):
    """The control socket cannot be opened: says why and what to do."""


class ControlServer:
    """Listens on a path until cancelled. `group`: members of it may connect beside the daemon's own account."""

    def __init__(self, desk: Desk, path: Path, group: int | None = None) -> None:
        self.connections = 0
        self.refused = 0
        self._desk = desk
        self._path = path
        self._group = group
        self._server: asyncio.Server | None = None
        self._tasks: asyncio.TaskGroup | None = None

    async def open(self) -> None:
        """Listen from now on; connections wait until `run`. Raises `SocketRefused`."""
        try:
            listening = _listen(self._path, self._group)
        except OSError as error:
            text = f"the control socket {self._path} cannot be opened: {error.strerror or error}"
            raise SocketRefused(text) from error
        self._server = await asyncio.start_unix_server(
            self._connected, sock=listening, limit=CHUNK_BYTES, start_serving=False
        )

    async def run(self) -> None:
        """Serve until cancelled; then the path is gone and every connection closed."""
        if self._server is None:
            raise RuntimeError("the control socket runs before it is open")
        try:
            async with asyncio.TaskGroup() as self._tasks:
                await self._server.serve_forever()
        finally:
            self._server.close()
            self._path.unlink(missing_ok=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: socket.socket = writer.get_extra_info("socket")
        peer = peer_of(connection)
        if not is_allowed(peer, self._group):
            self.refused += 1
            _log.warning("control_refused", uid=peer.uid, pid=peer.pid)
            writer.close()
        elif self.connections >= MAX_CONNECTIONS or self._tasks is None:
            self.refused += 1
            _log.warning("control_full", connections=self.connections)
            writer.write(line_of(mistaken(FULL)))
            writer.close()
        else:
            self.connections += 1
            self._tasks.create_task(self._serve(reader, writer), name=f"control of {peer.pid}")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: whatever becomes of it ends it alone."""

        async def write(line: bytes) -> None:
            writer.write(line)
            async with asyncio.timeout(STALLED_S):
                await writer.drain()

        try:
            await Conversation(self._desk, write).run(lambda: reader.read(CHUNK_BYTES))
            writer.close()  # what is written already still goes out
        except* (OSError, TimeoutError) as group:
            _log.info("control_lost", why=str(group.exceptions[0]) or f"takes nothing for {STALLED_S:g} s")
            writer.transport.abort()
        except* Exception as group:
            _log.error("control_failed", exc_info=group)
            writer.transport.abort()
        finally:
            self.connections -= 1


def _listen(path: Path, group: int | None) -> socket.socket:
    """A listening socket at `path`. A dead one left there is removed, a living one refused (BR-062)."""
    if path.exists() or path.is_symlink():
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(0, f"{path} is there and is no socket: name another path or move it away")
        if _is_answered(path):
            raise FileExistsError(0, "another daemon answers there: stop that one first, or name another path")
        path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        mask = os.umask(0o777 & ~OWNER_ONLY)  # never open to others, not even between bind and chmod
        try:
            listening.bind(str(path))
        finally:
            os.umask(mask)
        if group is not None:
            os.chown(path, -1, group)
            path.chmod(OWNER_AND_GROUP)
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True
