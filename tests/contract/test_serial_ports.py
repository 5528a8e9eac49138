"""Serial ports: names, rights, holders, modem lines, drivers that hang, cables that are pulled."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import sys
import termios
import threading
from pathlib import Path

import pytest
import serial

from firmware_bridge.links import apart
from firmware_bridge.links.address_kinds import SerialSettings
from firmware_bridge.links.base import LinkAbsent, LinkBusy, LinkClosed, LinkForbidden, LinkRefused
from firmware_bridge.links.descriptor import DescriptorLink
from firmware_bridge.links.pty import Pty, open_pty
from firmware_bridge.links.serial import open_serial
from tests.support.collector import DEADLINE_S, Collector, until
from tests.support.privileges import unprivileged
from tests.support.turns import CountingLoop

__all__ = ["unprivileged"]

# Far more turns than a quiet loop makes in a tenth of a second, far fewer than a busy one.
BUSY_TURNS = 100


async def ends(pty: Pty, **options: object) -> tuple[DescriptorLink, Collector]:
    host = await open_serial(pty.node)
    got = Collector()
    host.start(got)
    return host, got


async def test_what_lay_in_the_buffer_before_the_opening_is_not_taken() -> None:
    """BR-006 c: yesterday's frame is no answer of today."""
    pty = open_pty()
    await pty.link.write(b"yesterday")
    host, got = await ends(pty)
    await pty.link.write(b"today")
    await got.until_bytes(5)
    assert bytes(got.text) == b"today"
    await host.close()
    await pty.link.close()


async def test_a_port_that_vanishes_and_comes_back_under_another_node_is_opened_by_its_lasting_name(
    tmp_path: Path,
) -> None:
    """BR-021: fifty times, the old descriptor still open when the new node is there; none is left at the end."""
    name = tmp_path / "shuffler"
    before = len(os.listdir("/proc/self/fd"))
    pty = open_pty(name)
    for number in range(50):
        host = await open_serial(str(name))
        got, at_device = Collector(), Collector()
        host.start(got)
        pty.link.start(at_device)
        await host.write(b"%d" % number)
        await at_device.until_bytes(len(str(number)))
        following = open_pty(name)  # the adapter is back before anybody noticed that it was gone
        assert following.node != pty.node
        await pty.link.close()
        await got.until_lost()
        await host.close()
        pty = following
    await pty.link.close()
    assert not name.is_symlink()
    await until(lambda: len(os.listdir("/proc/self/fd")) <= before, "the descriptors to be closed")


@pytest.mark.parametrize("when", ["idle", "reading", "writing", "paused", "closing"])
def test_a_pulled_cable_is_told_once_and_costs_nothing_afterwards(when: str) -> None:
    """BR-024: no busy loop, whatever was under way."""

    async def pull() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, CountingLoop)
        pty = open_pty()
        host, got = await ends(pty)
        writer: asyncio.Task[None] | None = None
        if when == "reading":
            await pty.link.write(b"half a fra")
        elif when == "writing":
            writer = asyncio.create_task(host.write(b"x" * 100_000))
            await asyncio.sleep(0.01)
        elif when == "paused":
            host.pause_reading()
        closing = [pty.link.close(), host.close()] if when == "closing" else [pty.link.close()]
        await asyncio.gather(*closing)
        host.resume_reading()
        await got.until_lost()
        assert await loop.turns_while(0.1) < BUSY_TURNS
        if writer is not None:
            with pytest.raises(LinkClosed):
                await writer
        with pytest.raises(LinkClosed):
            await host.write(b"gone")
        await host.close()
        assert len(got.lost) == 1

    with asyncio.Runner(loop_factory=CountingLoop) as runner:
        runner.run(asyncio.wait_for(pull(), DEADLINE_S))


@pytest.mark.parametrize("taken_before", [0, 5])
async def test_an_error_in_the_middle_of_a_write_is_told_once(
    monkeypatch: pytest.MonkeyPatch, taken_before: int
) -> None:
    """BR-024, BR-026: at once, or when the port was to take the rest; never as a write that seemed to succeed."""
    pty = open_pty()
    host, got = await ends(pty)
    error = OSError(errno.EIO, "Input/output error")
    answers: list[int | OSError] = [taken_before, error] if taken_before else [error]
    really_write = os.write

    def faulty_write(descriptor: int, data: bytes) -> int:
        if descriptor != host._descriptor:
            return really_write(descriptor, data)
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr("firmware_bridge.links.descriptor.os.write", faulty_write)
    if taken_before:
        await host.write(b"twelve bytes")  # five were taken; the rest finds the error
        assert "Input/output error" in str(await got.until_lost())
    else:
        with pytest.raises(LinkClosed, match="Input/output error"):
            await host.write(b"twelve bytes")
        await got.until_lost()
    with pytest.raises(LinkClosed):
        await host.write(b"x")
    await host.close()
    assert len(got.lost) == 1
    await pty.link.close()


def test_the_counting_loop_would_notice_a_busy_one() -> None:
    async def spin() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, CountingLoop)

        def again() -> None:
            handle[0] = loop.call_soon(again)

        handle = [loop.call_soon(again)]
        turns = await loop.turns_while(0.1)
        handle[0].cancel()
        return turns

    with asyncio.Runner(loop_factory=CountingLoop) as runner:
        assert runner.run(spin()) > BUSY_TURNS


async def test_a_driver_that_hangs_in_close_holds_up_nobody() -> None:
    """BR-025: `close` returns while the driver still drains, and the loop goes on meanwhile."""
    may_end = threading.Event()
    device, host = os.openpty()
    os.set_blocking(device, False)

    def release() -> None:
        may_end.wait(DEADLINE_S)
        os.close(device)

    link, got = DescriptorLink(device, address="serial:///slow", is_simulated=True, release=release), Collector()
    link.start(got)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticker = asyncio.create_task(tick())
    async with asyncio.timeout(DEADLINE_S):
        await link.close()
    assert not may_end.is_set()
    assert ticks > 0
    assert len(got.lost) == 1
    may_end.set()
    ticker.cancel()
    os.close(host)
    await until(lambda: not any(thread.name.startswith("close ") for thread in threading.enumerate()), "the thread")


async def test_a_driver_that_hangs_in_open_is_given_up_and_its_late_port_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BR-025: the port that opened too late is not left open."""
    may_end, closed = threading.Event(), threading.Event()
    pty = open_pty()
    really_open, really_close = serial.Serial.open, serial.Serial.close

    def slow_open(port: serial.Serial) -> None:
        may_end.wait(DEADLINE_S)
        really_open(port)

    def noted_close(port: serial.Serial) -> None:
        really_close(port)
        closed.set()

    monkeypatch.setattr(serial.Serial, "open", slow_open)
    monkeypatch.setattr(serial.Serial, "close", noted_close)
    monkeypatch.setattr(apart, "OPEN_TIMEOUT_S", 0.05)
    with pytest.raises(LinkRefused, match="did not open within"):
        await open_serial(pty.node)
    opening = asyncio.create_task(open_serial(pty.node))
    await asyncio.sleep(0.01)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    may_end.set()
    await until(closed.is_set, "the late port to be closed")
    await until(lambda: not any(thread.name.startswith("open ") for thread in threading.enumerate()), "the threads")
    monkeypatch.undo()
    host = await open_serial(pty.node)
    await host.close()
    await pty.link.close()


@pytest.mark.parametrize(("dtr", "rts"), [(True, True), (False, True), (True, False), (False, False)])
async def test_the_modem_lines_are_set_as_told_and_left_at_the_end(
    monkeypatch: pytest.MonkeyPatch, dtr: bool, rts: bool
) -> None:
    """BR-023: the policy is explicit; no hang-up at close, so that our restart resets no device."""
    set_lines: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        serial.Serial, "_update_dtr_state", lambda port: set_lines.append(("dtr", bool(port._dtr_state)))
    )
    monkeypatch.setattr(
        serial.Serial, "_update_rts_state", lambda port: set_lines.append(("rts", bool(port._rts_state)))
    )
    pty = open_pty()
    host = await open_serial(pty.node, SerialSettings(dtr=dtr, rts=rts))
    assert sorted(set_lines) == [("dtr", dtr), ("rts", rts)]
    control = termios.tcgetattr(host._descriptor)[2]
    assert not control & termios.HUPCL
    await host.close()
    assert sorted(set_lines) == [("dtr", dtr), ("rts", rts)]
    await pty.link.close()


async def test_speed_and_format_reach_the_port() -> None:
    pty = open_pty()
    host = await open_serial(pty.node, SerialSettings(9600, 7, "E", 2))
    _, _, control, _, speed_in, speed_out, _ = termios.tcgetattr(host._descriptor)
    assert (speed_in, speed_out) == (termios.B9600, termios.B9600)
    assert control & termios.CSTOPB
    await host.close()
    await pty.link.close()


HOLDER = """
import fcntl, os, sys
held = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(held, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


async def test_a_port_that_another_process_holds_is_refused_by_its_name_and_free_when_it_is_killed() -> None:
    """BR-020 b, BR-062 c: the holder is named; a process that was killed leaves no stale lock."""
    pty = open_pty()
    pipe = asyncio.subprocess.PIPE
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, pty.node, stdin=pipe, stdout=pipe)
    assert holder.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(LinkBusy, match=rf"python.* \(process {holder.pid}\)"):
        await open_serial(pty.node)
    holder.kill()
    await holder.communicate()
    host = await open_serial(pty.node)
    await host.close()
    await pty.link.close()


async def test_a_port_that_another_program_took_for_itself_is_busy(unprivileged: None) -> None:
    """BR-020: a program that locks the terminal instead of the file."""
    pty = open_pty()
    taken = os.open(pty.node, os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(taken, termios.TIOCEXCL)
    with pytest.raises(LinkBusy, match="is held by"):
        await open_serial(pty.node)
    os.close(taken)
    await pty.link.close()


async def test_rights_that_come_a_moment_late_are_waited_for(
    unprivileged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-027: the node is there before udev has set its rights."""
    pty = open_pty()
    os.chmod(pty.node, 0)
    refused = 0
    really_sleep = asyncio.sleep

    async def noted_sleep(seconds: float) -> None:
        nonlocal refused
        refused += 1
        if refused == 2:
            os.chmod(pty.node, 0o600)
        await really_sleep(0)

    monkeypatch.setattr(apart.asyncio, "sleep", noted_sleep)
    host = await open_serial(pty.node)
    monkeypatch.undo()
    assert refused == 2
    await host.close()
    await pty.link.close()


async def test_rights_that_are_lacking_for_good_are_said_with_node_owner_groups_and_remedy(
    unprivileged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-027: one message; never the advice to run as root."""
    monkeypatch.setattr(apart, "PERMISSION_GRACE_S", 0.0)
    pty = open_pty()
    os.chmod(pty.node, 0o040)
    with pytest.raises(LinkForbidden) as refused:
        await open_serial(pty.node)
    text = str(refused.value)
    assert f"{pty.node} belongs to " in text
    assert "mode 0040" in text
    assert "in the groups " in text
    assert "Next step: " in text
    assert "run as root" not in text
    assert "sudo" not in text
    await pty.link.close()


@pytest.mark.parametrize(
    ("node", "kind", "said"),
    [
        ("/dev/no-such-port", LinkAbsent, "is not there: plug the device in"),
        ("/dev/null", LinkRefused, "is not a serial port"),
        (__file__, LinkRefused, "is not a serial port"),
    ],
)
async def test_what_cannot_be_opened_is_refused_with_its_reason(node: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        await open_serial(node)


async def test_a_pty_shows_that_it_is_no_real_port() -> None:
    pty = open_pty()
    host = await open_serial(pty.node)
    assert host.is_simulated
    assert host.address == f"serial://{pty.node}"
    await host.close()
    await pty.link.close()


async def test_closing_a_pty_leaves_a_name_that_somebody_else_took(tmp_path: Path) -> None:
    name = tmp_path / "reader"
    first = open_pty(name)
    second = open_pty(name)
    await first.link.close()
    assert os.readlink(name) == second.node
    await second.link.close()
    assert not name.is_symlink()
