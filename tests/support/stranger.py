"""The stranger's shuffler as a rig: his C program, built with the system's compiler, on the pseudo-terminal it opens.

What hands do at it goes through its standard input, line by line; each is answered by one line, `ok …` or `error …`.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import Link
from tests.support.collector import DEADLINE_S

SOURCES = Path(__file__).parents[1] / "peers" / "tdl_stranger"
COMPILER = shutil.which("cc")
# As in his Makefile, but for -Werror: a younger compiler's new warning is no fault of the program.
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-O2", "-D_XOPEN_SOURCE=700")
QUICK = 60  # as the simulated shuffler on real bytes: only the mechanics are quick


def build(folder: Path) -> Path:
    """Compile it into this folder; skips where there is no compiler."""
    if COMPILER is None:
        pytest.skip("no C compiler (Debian: apt-get install gcc libc6-dev)")
    program = folder / "tdl_stranger"
    sources = sorted(str(source) for source in SOURCES.glob("*.c"))
    built = subprocess.run(
        [COMPILER, *FLAGS, "-o", str(program), *sources], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return program


class StrangersHands:
    """Hands at the stranger's machine, and eyes."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._is_talking = asyncio.Lock()

    async def lay(self, cards: int) -> None:
        await self.do(f"hopper {cards}")

    async def draw(self) -> int:
        return int((await self.do("draw 1"))[0])

    async def crease_at_exit(self) -> None:
        await self.do("jam exit")

    async def free_exit(self) -> int:
        await self.do("lid open")
        await self.do("clear exit")
        await self.do("lid close")
        return 1

    async def open_lid(self) -> None:
        await self.do("lid open")

    async def close_lid(self) -> None:
        await self.do("lid close")

    async def reset(self) -> None:
        await self.do("reset")

    async def break_memory(self) -> None:
        await self.do("memory broken")

    async def mend_memory(self) -> None:
        await self.do("memory well")

    async def inside(self) -> int:
        return int((await self.look())["inside"])

    async def look(self) -> dict[str, str]:
        """Everything that there is to see, by name."""
        return dict(word.split("=", 1) for word in await self.do("look"))

    async def do(self, line: str) -> list[str]:
        """One line in; the words behind the `ok` that comes back."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        async with self._is_talking, asyncio.timeout(DEADLINE_S):
            stdin.write(line.encode() + b"\n")
            answer = (await stdout.readline()).decode().split()
        assert answer[:1] == ["ok"], (line, answer)
        return answer[1:]


class StrangersRig:
    """One machine with a memory of its own."""

    model = "CSM-C99"
    serial = "000777"
    has_counted_feed = True
    sees_cable = False  # a pseudo-terminal is serial

    def __init__(self, process: Process, node: str) -> None:
        self.address = f"serial://{node}"
        self.hands = StrangersHands(process)
        self._link: Link | None = None

    async def connect(self) -> Link:
        await self.cut()
        self._link = await open_link(self.address)
        return self._link

    async def cut(self) -> None:
        if self._link is not None:
            await self._link.close()
            self._link = None


@asynccontextmanager
async def strangers_rig(program: Path, memory: Path, *, pace: int = QUICK) -> AsyncIterator[StrangersRig]:
    """The machine for one test, its memory in this file."""
    names = ("--serial", StrangersRig.serial, "--model", StrangersRig.model, "--memory", str(memory))
    process = await asyncio.create_subprocess_exec(program, *names, "--pace", str(pace), stdin=PIPE, stdout=PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            said = (await process.stdout.readline()).decode().split()
        assert said[:1] == ["node"], said
        rig = StrangersRig(process, said[1])
        yield rig
        await rig.cut()
        await rig.hands.do("quit")
        async with asyncio.timeout(DEADLINE_S):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
