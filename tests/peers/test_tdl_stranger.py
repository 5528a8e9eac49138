"""A TDL shuffler whose maker had docs/protocols/tdl.md and its CDDL and nothing else, held to our own's promises.

He wrote it in C (tdl_stranger/), without our code, our tests or us.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.tdl_shuffler_contract import TdlShufflerContract
from tests.contract.tdl_wire_commands import TdlCommandsContract, TdlPermitsContract
from tests.contract.tdl_wire_notices import TdlNoticesContract
from tests.contract.tdl_wire_sessions import TdlBytesContract, TdlSessionsContract
from tests.support.plain_host import PlainHost
from tests.support.stranger import StrangersRig, build, strangers_rig

pytestmark = pytest.mark.peer


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("stranger"))


@pytest_asyncio.fixture
async def rig(program: Path, tmp_path: Path) -> AsyncIterator[StrangersRig]:
    async with strangers_rig(program, tmp_path / "memory") as rig:
        yield rig


@pytest_asyncio.fixture
async def host(rig: StrangersRig) -> AsyncIterator[PlainHost]:
    host = PlainHost(rig)
    await host.connect()
    yield host
    await host.close()


class TestThroughOurDriver(TdlShufflerContract):
    """All promises, through our own driver and session."""


class TestBytes(TdlBytesContract):
    """Frame by frame, to a host that is not ours either."""


class TestSessions(TdlSessionsContract):
    """The same."""


class TestCommands(TdlCommandsContract):
    """The same."""


class TestPermits(TdlPermitsContract):
    """The same."""


class TestNotices(TdlNoticesContract):
    """The same."""
