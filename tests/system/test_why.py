"""`diag why` on twelve planted causes, on real pseudo-terminals: at least eleven are named in the first line."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tableside.diagnosis.why import Finding, why
from tableside.diagnosis.why_directly import ask
from tests.support.planted import BOUGHT, MORE, TWELVE, Planted, bench
from tests.support.privileges import NOBODY

pytestmark = pytest.mark.system

RIGHTS = "rights"
# No power and no cable are named together: no byte tells them apart.
AT_LEAST = 11


async def found(cause: Planted, folder: Path) -> Finding:
    """Planted, and asked for as a technician does."""
    place = folder / cause.name.replace(" ", "-")
    os.mkdir(place, 0o755)
    async with bench(place) as made:
        device = await cause.plant(made)
        if cause.name != RIGHTS or os.geteuid() != 0:
            return why(await ask(device))
        for above in (place, folder, *folder.parents[:2]):  # an account without rights must come up to the port
            os.chmod(above, 0o755)
        os.seteuid(NOBODY)
        try:
            return why(await ask(device))
        finally:
            os.seteuid(0)


def is_named(cause: Planted, finding: Finding) -> bool:
    return all(word in finding.line for word in cause.words)


async def test_what_is_planted_on_devices_that_a_house_can_buy_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BR-005: an echo is how their wires are. All at once; where a station is dead every address is asked."""
    findings = await asyncio.gather(*(found(cause, tmp_path) for cause in BOUGHT))
    with capsys.disabled():
        lines = (finding.line.replace(str(tmp_path), "…") for finding in findings)
        print("", *(f"{cause.name:23} {line}" for cause, line in zip(BOUGHT, lines, strict=True)), sep="\n")
    assert [cause.name for cause, finding in zip(BOUGHT, findings, strict=True) if not is_named(cause, finding)] == []


async def test_planted_causes_are_named_in_the_first_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All at once, each on a port of its own; rights by itself, as they are those of the whole process."""
    causes = [cause for cause in (*TWELVE, *MORE) if cause.name != RIGHTS]
    findings = await asyncio.gather(*(found(cause, tmp_path) for cause in causes))
    by_name = dict(zip((cause.name for cause in causes), findings, strict=True))
    rights = next(cause for cause in TWELVE if cause.name == RIGHTS)
    by_name[RIGHTS] = await found(rights, tmp_path)
    lines = [f"{cause.name:21} {by_name[cause.name].line.replace(str(tmp_path), '…')}" for cause in (*TWELVE, *MORE)]
    with capsys.disabled():
        print("", *lines, sep="\n")
    named = [cause.name for cause in TWELVE if is_named(cause, by_name[cause.name])]
    assert len(named) >= AT_LEAST, named
    assert [cause.name for cause in (*TWELVE, *MORE) if not is_named(cause, by_name[cause.name])] == []
    assert all(finding.next_step and finding.step for finding in by_name.values())
