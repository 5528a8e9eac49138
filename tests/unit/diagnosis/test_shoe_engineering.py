"""What a technician tells a shoe: once, and again only where the shoe said that it did nothing."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.angel_eye import Answer
from firmware_bridge.session.endings import SessionOver
from firmware_bridge.wire.angel_eye.codes import Refusal
from firmware_bridge.wire.angel_eye.commands import LOCK, cancel_error
from simulator.faces.angel_eye import AngelEyeFace
from simulator.runner import Stage
from simulator.world.shoe import BaccaratShoe
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.diagnosis.shoe_engineering import Told, tell
from tableside.exit_codes import ExitCode


class Shoe:
    """A simulated shoe, and how often somebody opened its line."""

    def __init__(self, *, bcc_includes_stx: bool, is_on: bool = True) -> None:
        self.stage, self.face = Stage(), AngelEyeFace(BaccaratShoe("shoe"), bcc_includes_stx=bcc_includes_stx)
        self.outlet = self.stage.add_face(self.face)
        self.serving: list[asyncio.Task[None]] = []
        if is_on:
            self.stage.act(lambda: self.face.boot(self.stage.now_ns))

    async def connect(self) -> Link:
        host, device = memory_pair("shoe")
        self.serving.append(asyncio.create_task(self.outlet.serve(device)))
        return host

    async def close(self) -> None:
        self.stage.close()
        await asyncio.wait(self.serving)


@pytest.mark.virtual_time
@pytest.mark.parametrize("wants_stx", [True, False])
async def test_the_span_that_the_shoe_wants_is_found(wants_stx: bool) -> None:
    shoe = Shoe(bcc_includes_stx=wants_stx)
    assert await tell(shoe.connect, LOCK, (True, False)) == Told(Answer(None), wants_stx)
    assert shoe.face.shoe.is_locked
    assert shoe.face.commands == [LOCK], "done once, however often it was sent"
    assert len(shoe.serving) == (1 if wants_stx else 2)
    await shoe.close()


@pytest.mark.virtual_time
async def test_a_refusal_for_another_reason_and_silence_are_never_tried_again() -> None:
    shoe = Shoe(bcc_includes_stx=True)
    assert await tell(shoe.connect, cancel_error(3), (True, False)) == Told(Answer(Refusal.FORMAT), True)
    assert len(shoe.serving) == 1
    await shoe.close()
    dark = Shoe(bcc_includes_stx=True, is_on=False)
    assert await tell(dark.connect, LOCK, (True, False)) == Told(None, True)
    assert len(dark.serving) == 1
    await dark.close()


@pytest.mark.virtual_time
async def test_a_line_that_ends_is_said() -> None:
    async def closed() -> Link:
        host, device = memory_pair("shoe")
        asyncio.get_running_loop().call_later(0.1, lambda: closing.append(asyncio.ensure_future(device.close())))
        return host

    closing: list[asyncio.Future[None]] = []
    with pytest.raises(SessionOver):
        await tell(closed, LOCK, (True,))


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["tcp://127.0.0.1:1", "lock"], ExitCode.REFUSED, "only listened to"),
        (["tcp://127.0.0.1:1", "lock", "--error", "3", "--engineering"], ExitCode.USAGE, "cancel-error"),
        (["tcp://127.0.0.1:1", "cancel-error", "--engineering"], ExitCode.USAGE, "needs it"),
        (["what://x", "lock", "--engineering"], ExitCode.USAGE, "what"),
        (["tcp://127.0.0.1:1", "lock", "--engineering"], ExitCode.NO_DEVICE, "127.0.0.1"),
    ],
)
def test_what_is_refused_before_anything_is_sent(
    arguments: list[str], code: ExitCode, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(tableside, ["diag", "shoe", *arguments]) == code
    assert says in capsys.readouterr().err
