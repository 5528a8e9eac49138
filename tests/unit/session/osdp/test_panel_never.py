"""The pure panel fed with anything at any time: it never raises, never spins, and asks one station at a time."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.session.osdp import ControlPanel, LineProfile, Send, StationProfile, Wait
from firmware_bridge.wire.osdp.codes import ReplyCode, Tone
from firmware_bridge.wire.osdp.commands import SoundBuzzer
from firmware_bridge.wire.osdp.frame import Frame, SecurityBlock, encode_frame
from firmware_bridge.wire.osdp.secure import BaseKey

KEY = BaseKey(bytes(range(0x10, 0x20)))
REPLIES = st.builds(
    Frame,
    address=st.integers(0, 3),
    is_reply=st.booleans(),
    sequence=st.integers(0, 3),
    code=st.sampled_from(list(ReplyCode)) | st.integers(0, 255),
    data=st.sampled_from([b"", b"\x01", b"\x04", b"\x06", bytes(12), bytes(32), b"\x00\x01\x1a\x00\x2d\x0a\x22\x80"])
    | st.binary(max_size=40),
    block=st.none() | st.builds(SecurityBlock, st.integers(0x10, 0x19), st.binary(max_size=2)),
)
STEPS = st.lists(
    st.tuples(st.just("wait"), st.floats(0.0, 40.0))
    | st.tuples(st.just("hear"), REPLIES)
    | st.tuples(st.just("noise"), st.binary(max_size=30))
    | st.tuples(st.sampled_from(["up", "down", "wish", "tap"]), st.none()),
    max_size=60,
)


@given(STEPS)
def test_anything_at_any_time(steps: list[tuple[str, object]]) -> None:
    now_s = 1000.0
    stations = (StationProfile(1), StationProfile(2, key=KEY), StationProfile(3, key=KEY, is_install_mode=True))
    panel = ControlPanel(LineProfile(), stations, random.Random(1).randbytes, now_s)
    panel.link_up(now_s)
    is_up = True
    for kind, what in steps:
        if kind == "wait":
            now_s += what  # type: ignore[operator]
        elif kind == "hear":
            panel.feed(encode_frame(what), now_s)  # type: ignore[arg-type]
        elif kind == "noise":
            panel.feed(what, now_s)  # type: ignore[arg-type]
        elif kind == "wish":
            panel.wish(2, SoundBuzzer(0, Tone.DEFAULT, 1, 1, 1), now_s + 2, now_s)
        elif kind == "tap":
            panel.expect_tap(1, now_s)
        elif kind == "up" and not is_up:
            panel.link_up(now_s)
            is_up = True
        elif kind == "down" and is_up:
            panel.link_down("cut", now_s)
            is_up = False
        settle(panel, now_s)


def settle(panel: ControlPanel, now_s: float) -> None:
    """Do what the panel asks at this instant: at most one command, then a wait that lies ahead, or none."""
    sent = 0
    for _ in range(5):
        action = panel.next_action(now_s)
        if isinstance(action, Send):
            sent += 1
            panel.sent(now_s)
        elif not panel.take_notices():
            break
    assert sent <= 1
    assert isinstance(action, Wait)
    assert action.until_s is None or action.until_s > now_s


@given(st.integers(0, 2**32 - 1))
def test_left_alone_it_asks_for_ever_and_its_waits_lie_ahead(seed: int) -> None:
    """Follow its waits for ten minutes of silence, with seeded noise: a bounded number of turns."""
    seeded = random.Random(seed)
    now_s = 5.0
    panel = ControlPanel(LineProfile(), (StationProfile(1), StationProfile(2, key=KEY)), seeded.randbytes, now_s)
    panel.link_up(now_s)
    turns = 0
    while now_s < 605.0:
        turns += 1
        action = panel.next_action(now_s)
        if isinstance(action, Send):
            panel.sent(now_s)
        elif not panel.take_notices():
            assert action.until_s is not None
            assert action.until_s > now_s
            now_s = action.until_s
            if seeded.random() < 0.1:
                panel.feed(seeded.randbytes(seeded.randrange(40)), now_s)
    assert turns < 2_000
