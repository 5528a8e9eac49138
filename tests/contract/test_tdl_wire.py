"""The simulated shuffler held to the specification frame by frame; the stranger's is, in tests/peers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.contract.tdl_wire_answers import TdlAnswersContract
from tests.contract.tdl_wire_commands import TdlCommandsContract, TdlPermitsContract
from tests.contract.tdl_wire_notices import TdlNoticesContract
from tests.contract.tdl_wire_sessions import TdlBytesContract, TdlSessionsContract
from tests.support.plain_host import PlainHost
from tests.support.tdl_rigs import simulated_rig
from tests.support.wires import memory_wire

pytestmark = pytest.mark.virtual_time


@pytest_asyncio.fixture
async def host() -> AsyncIterator[PlainHost]:
    async with simulated_rig(memory_wire()) as rig:
        host = PlainHost(rig)
        await host.connect()
        yield host
        await host.close()


class TestBytes(TdlBytesContract):
    pass


class TestSessions(TdlSessionsContract):
    pass


class TestCommands(TdlCommandsContract):
    pass


class TestPermits(TdlPermitsContract):
    pass


class TestNotices(TdlNoticesContract):
    pass


class TestAnswers(TdlAnswersContract):
    pass
