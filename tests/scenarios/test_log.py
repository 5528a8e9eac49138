"""The engineers' log of a day: each line says of which table, device, session, command, request (semantics §6)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tableside.journal.reader import JournalReader
from tableside.outputs.event_names import EVENTS
from tableside.outputs.log import configure_log
from tests.scenarios.virtual_house import ROOT, TABLE, house
from tests.unit.outputs.test_log import StillClock

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

# Rows of the journal and the lines that tell engineers of them.
LINES = {
    "RequestAnswered": "request_answered",
    "CommandIntended": "command_intended",
    "CommandAccepted": "command_accepted",
    "CommandRefused": "command_refused",
    "CommandFinished": "command_finished",
    "CommandNotDone": "command_not_done",
    "CommandUnknown": "command_unknown",
    "CommandSettled": "command_settled",
}
OF_SESSION = {"order_refused", "notice_unknown"}
# A link is lost within three unanswered polls, and back within the longest back-off of a cable of one's own.
AWAY_S = 60.0
OF_PROCESS = {"daemon_started", "daemon_stopped", "driver_unverified"}


@pytest.fixture
def raw() -> Iterator[list[bytes]]:
    """Every line of the log, in the daemon's own chain."""
    before = structlog.get_config()
    lines: list[bytes] = []
    configure_log("debug", lines.append, StillClock())
    try:
        yield lines
    finally:
        structlog.configure(**before)
        structlog.contextvars.clear_contextvars()


def rows_of(journal: Path) -> Iterator[tuple[str, str | None, str | int]]:
    """Event, device, and command or request, of each row that has a line."""
    with JournalReader(journal) as reader:
        for record in reader.rows.records():
            if record.type in LINES:
                body = json.loads(record.body)
                yield LINES[record.type], body.get("device"), body.get("number", body.get("request"))


async def test_every_line_says_of_which_table_device_command_and_request(tmp_path: Path, raw: list[bytes]) -> None:
    async with house(tmp_path) as here:
        outcome = await here.play(ROOT / "scenarios" / "short_day.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        await here.side.world({"does": "pull-cable", "device": "shuffler"})
        await asyncio.sleep(AWAY_S)
        await here.side.world({"does": "plug-cable", "device": "shuffler"})
        await asyncio.sleep(AWAY_S)
        await here.host.stop()
        lines = [json.loads(line) for line in raw]
        for line in lines:
            event = line["event"]
            assert event in EVENTS
            assert event in OF_PROCESS or line["table"] == TABLE, line
            assert not event.startswith(("command_", "link_", "order_", "notice_")) or line["device"], line
            assert not event.startswith("command_") or isinstance(line["command"], int), line
            assert not event.startswith("request_") or line["request"], line
            assert event not in OF_SESSION or line["session"], line
        told = Counter(
            (line["event"], line.get("device"), line.get("command", line.get("request")))
            for line in lines
            if line["event"] in LINES.values()
        )
        assert told == Counter(rows_of(here.host.config.journal_directory / f"{TABLE}.db"))
        assert {line["device"] for line in lines if line["event"] in ("link_lost", "link_back")} == {"shuffler"}
        assert {"request_answered", "command_intended", "command_finished"} <= {event for event, _, _ in told}
        assert len(lines) == len({json.dumps(line) for line in lines}), "each change once"
