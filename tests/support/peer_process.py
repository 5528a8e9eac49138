"""A peer as a child process that speaks JSON lines: what it says is kept, what it is told goes to its input."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

DEADLINE_S = 30.0
# A peer prints more than JSON lines (its library logs); only so much of that is kept for a failure's report.
_NOISE_KEPT = 40


class PeerProcess:
    """One running peer."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.said: list[dict[str, Any]] = []
        self.noise: list[str] = []
        self.is_over = False
        self._process = process
        self._changed = asyncio.Event()

    def tell(self, **what: Any) -> None:
        """One JSON line to its input."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")

    async def until_said(self, key: str, value: Any = None) -> dict[str, Any]:
        """The first line that has `key` (with `value`, where given). Fails after the deadline with its output."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                while True:
                    self._changed.clear()
                    for line in self.said:
                        if key in line and value in (None, line[key]):
                            return line
                    assert not self.is_over, f"the peer ended without {key}={value}: {self.said}; {self.noise}"
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"the peer never said {key}={value}; it said {self.said}; {self.noise}") from None

    async def listen(self) -> None:
        """Take its lines until it ends."""
        assert self._process.stdout is not None
        async for raw in self._process.stdout:
            text = raw.decode("utf-8", "replace").strip()
            try:
                line = json.loads(text)
            except ValueError:
                line = None
            if isinstance(line, dict):
                self.said.append(line)
            elif text:
                self.noise = [*self.noise[:_NOISE_KEPT], text]
            self._changed.set()
        self.is_over = True
        self._changed.set()


@asynccontextmanager
async def running_peer(python: Path, script: Path, *arguments: str) -> AsyncIterator[PeerProcess]:
    """A script in its own interpreter, ended with the block. It cannot import anything of ours."""
    async with running_program(str(python), "-I", str(script), *arguments) as peer:
        yield peer


@asynccontextmanager
async def running_program(*command: str) -> AsyncIterator[PeerProcess]:
    """A program that speaks JSON lines, ended with the block."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    peer = PeerProcess(process)
    listening = asyncio.create_task(peer.listen())
    try:
        yield peer
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(DEADLINE_S):
            await process.wait()
            await listening
        if process.stdin is not None:
            process.stdin.close()
