"""The end of a hub, wanted or not: the machine stops (design rule 2)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from drivers import events
from tests.support.jumping_loop import run_virtual
from tests.unit.test_hub import Bench


@pytest.mark.parametrize("is_crash", [True, False])
def test_however_the_hub_ends_its_permits_are_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_crash: bool
) -> None:
    """Design rule 2: a machine does not go on under nobody's eye, whether we stop or break."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        await bench.play()
        bench.log.clear()
        if is_crash:
            monkeypatch.setattr("tableside.hub.reduce", lambda _state, _given: 1 / 0)
            await bench.hub.report(events.CardsOut(device="shuffler", boot=1, number=400, meter=1))
            (end,) = await asyncio.gather(bench.task, return_exceptions=True)
            assert isinstance(end, ZeroDivisionError)
        else:
            await bench.stop()
        assert bench.log == ["shuffler.revoke(<PermitKind.DEAL: 'deal'>,)"]

    run_virtual(main())
