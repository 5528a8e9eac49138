"""Chunks on their way to the receiver: order, pauses, and the short way where nothing waits."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.links.base import HIGH_WATER_BYTES, LOW_WATER_BYTES
from firmware_bridge.links.inbox import Inbox
from firmware_bridge.links.usb import Unsent


class Ear:
    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def chunk_received(self, chunk: bytes) -> None:
        if chunk == b"bad":
            raise ValueError(chunk)
        self.heard.append(chunk)

    def link_lost(self, reason: Exception) -> None:
        raise AssertionError(reason)


async def turns() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


async def test_what_is_passed_on_is_there_in_the_same_turn() -> None:
    taken: list[int] = []
    inbox, ear = Inbox(lambda: taken.append(1)), Ear()
    inbox.pass_on(b"before the start")
    inbox.start(ear)
    assert ear.heard == []
    await turns()
    inbox.pass_on(b"1")
    assert ear.heard == [b"before the start", b"1"]
    assert len(taken) == 2, "each chunk gives its room back"


async def test_nothing_overtakes_what_waits() -> None:
    inbox, ear = Inbox(lambda: None), Ear()
    inbox.start(ear)
    inbox.put(b"1")
    inbox.pass_on(b"2")
    assert ear.heard == []
    await turns()
    assert ear.heard == [b"1", b"2"]


async def test_a_pause_holds_it_up() -> None:
    inbox, ear = Inbox(lambda: None), Ear()
    inbox.start(ear)
    inbox.pause()
    inbox.pass_on(b"1")
    await turns()
    assert (ear.heard, inbox.held_bytes) == ([], 1)
    inbox.resume()
    await turns()
    assert (ear.heard, inbox.held_bytes) == ([b"1"], 0)


async def test_a_receiver_that_raises_costs_one_chunk() -> None:
    inbox, ear = Inbox(lambda: None), Ear()
    inbox.start(ear)
    with pytest.raises(ValueError, match="bad"):
        inbox.pass_on(b"bad")
    inbox.pass_on(b"1")
    assert ear.heard == [b"1"]


def test_the_loop_is_told_of_low_water_once_and_only_after_high() -> None:
    unsent = Unsent()
    unsent.add(100)
    assert not unsent.take(100), "nobody waits: the loop is not woken for a frame"
    unsent.add(HIGH_WATER_BYTES + 1)
    assert not unsent.take(1)
    assert unsent.take(unsent.count - LOW_WATER_BYTES)
    assert not unsent.take(1)
    assert unsent.count == LOW_WATER_BYTES - 1
