"""What every test may use: virtual time by the mark `virtual_time`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping

import pytest
from hypothesis import settings

from tests.support.jumping_loop import JumpingLoop, virtual_loop
from tests.support.peer_report import NOTHING_SKIPPED, last_line, missed

__all__ = ["virtual_loop"]


# the same examples on each run, and no deadline in real time: a busy machine fails no test (BR-072)
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "virtual_time: the test's event loop is the jumping one (virtual time from 0)")


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("virtual_time"):
        return {"virtual": JumpingLoop}
    return {"real": asyncio.SelectorEventLoop}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a peer that was skipped fails the run: green there means that each one took part."""
    reporter: pytest.TerminalReporter | None = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get(NOTHING_SKIPPED):
        return
    if lines := missed(reporter.stats.get("skipped", [])):
        reporter.write_line("")
        reporter.write_line(f"{NOTHING_SKIPPED} is set, and these were skipped:")
        for line in lines:
            reporter.write_line(f"  {line}")
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """After everything else, also after pytest's own count: what a green run did not try."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    stats = reporter.stats
    ran = [item for outcome in ("passed", "failed") for item in stats.get(outcome, []) if item.when == "call"]
    reporter.write_line(last_line(ran, stats.get("skipped", [])))
