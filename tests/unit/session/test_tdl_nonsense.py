"""Whatever comes in: the session goes on or says why it is over, and never tells a fact that no frame said."""

from __future__ import annotations

import asyncio
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.session.endings import SessionOver
from firmware_bridge.session.tdl import Noticed, Ready, Request
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import encode_stream
from tests.support.jumping_loop import run_virtual
from tests.support.tdl_device import EPOCH, ScriptedDevice
from tests.support.tdl_host import Host, running, until

SESSION = 0x1234
U32 = 2**32 - 1

small = st.integers(0, 20)
values: st.SearchStrategy[Value] = st.one_of(
    small, st.integers(0, U32), st.booleans(), st.binary(max_size=32), st.text(max_size=8), st.lists(small).map(tuple)
)
bodies = st.dictionaries(st.integers(0, 12), values, max_size=8)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """A frame as the format allows it, that means anything or nothing."""
    kind = draw(st.sampled_from([kind for kind in MessageType if kind is not MessageType.SEALED]))
    has_code = kind in (MessageType.REQUEST, MessageType.REPLY, MessageType.NOTICE, MessageType.PROGRESS)
    has_seq = kind in (MessageType.HELLO, MessageType.HELLO_REPLY, MessageType.REQUEST, MessageType.REPLY)
    code = draw(st.sampled_from([*Operation, *NoticeKind, 0x77])) if has_code else 0
    seq = draw(st.integers(1, 12)) if has_seq else 0
    return Frame(kind, int(code), seq, draw(st.sampled_from([SESSION, SESSION, 1])), draw(bodies))


async def _fed(pieces: list[bytes], *, is_open: bool) -> list[object]:
    """A session, open or still greeting, on a device beside which these bytes come in. What it said."""
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    session = host.session(link)
    async with running(session) as task:
        if is_open:
            await until(lambda: bool(host.of(Noticed)))
            session.put(Request(Operation.COUNT_ALL, {0: EPOCH, 1: 1}))
        for piece in pieces:
            await device.send_raw(piece)
            await asyncio.sleep(0)
        await asyncio.wait([task], timeout=3)
        if task.done():
            assert isinstance(task.exception(), SessionOver), task.exception()
    await device.close()
    return list(host.said)


@settings(max_examples=150)
@given(st.lists(frames(), max_size=12), st.booleans())
def test_frames_that_mean_nothing(sent: list[Frame], is_open: bool) -> None:
    said = run_virtual(_fed([encode_stream(frame) for frame in sent], is_open=is_open))
    assert len([one for one in said if isinstance(one, Ready)]) <= 1
    told = [one for one in said if isinstance(one, Noticed)]
    assert [one.number for one in told] == list(range(1, len(told) + 1))
    true = {(frame.code, str(dict(frame.body))) for frame in sent}
    for one in told[1:]:
        is_devices_own = one.kind == NoticeKind.COMMAND_ENDED
        assert is_devices_own or (one.kind, str(dict(one.body))) in true


def test_random_bytes_make_no_fact() -> None:
    """Half frames, other protocols, wrong speed: counted, and nothing else."""
    for seed in range(40):
        chance = random.Random(seed)
        pieces = [chance.randbytes(chance.choice((1, 3, 17, 64, 300))) for _ in range(20)]
        said = run_virtual(_fed(pieces, is_open=bool(seed % 2)))
        kinds = {one.kind for one in said if isinstance(one, Noticed)}
        assert kinds <= {NoticeKind.BOOTED, NoticeKind.COMMAND_ENDED}
