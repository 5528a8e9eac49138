"""`--device tdl=ADDRESS`: hold a real device to its contract, as the simulated one is.

Refused unless the serial number is given, and given once more as the device that *may move*: these tests deal,
eject and jam. It is looked at once, before the first test: a held port, another device (nothing but HELLO is sent to
it), an open lid or a standing jam end the whole run with one message.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.support.named_rig import NamedDevice, RigRefused, look_at, named_device, refuse_unfit
from tests.support.tdl_table import TEST_EPOCH

# modules of tests that are no test modules by name
pytest.register_assert_rewrite("tests.contract.tdl_shuffler_contract")
_PARTS = ("sessions", "commands", "notices", "answers")
pytest.register_assert_rewrite(*(f"tests.contract.tdl_wire_{part}" for part in _PARTS))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rigs", "real devices")
    group.addoption("--device", action="append", default=[], metavar="KIND=ADDRESS", help="tdl=serial:///dev/…")
    group.addoption("--serial-number", metavar="SERIAL", help="serial number on the device's plate")
    group.addoption("--model", metavar="MODEL", help="model on the device's plate")
    group.addoption("--may-move", metavar="SERIAL", help="the same serial number: hands are off, it may move cards")


@pytest.fixture(scope="session")
def tdl_device(request: pytest.FixtureRequest) -> NamedDevice:
    """The device of the command line, fit to be moved; without one, a skip that says so."""
    config = request.config
    chosen = [text for text in config.getoption("--device", default=[]) if text.startswith("tdl=")]
    if not chosen:
        pytest.skip("no rig named by --device tdl=ADDRESS")
    try:
        device = named_device(
            chosen,
            serial=config.getoption("--serial-number"),
            model=config.getoption("--model"),
            may_move=config.getoption("--may-move"),
        )
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            refuse_unfit(runner.run(look_at(device, epoch=TEST_EPOCH)))
    except RigRefused as refused:
        pytest.exit(str(refused), returncode=pytest.ExitCode.USAGE_ERROR)
    return device
