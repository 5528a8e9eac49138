"""How a table stood after a row of its journal: the inputs up to there, fed to the tables again."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.clock import Instant, WallQuality
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.inputs import DaemonStarted
from tableside.journal.reader import JournalReader
from tableside.journal.record import RecordKind
from tableside.outputs.texts import Texts
from tableside.replay import turns
from tableside.reports.rounds import open_round_since
from tableside.state import TableState, reduce


class NothingStands(ValueError):
    """The journal has no row from which a state could come."""


def standing_at(file: Path, row: int | None = None) -> dict[str, object]:
    """The table's state after a row, as the daemon would have told it. Raises `JournalRefused`, `NothingStands`.

    Cards of a round that is still open at the journal's end are not named, whichever row is asked for.
    """
    state: TableState | None = None
    now = Instant(0, 0, WallQuality.SIMULATED)
    last = 0
    with JournalReader(file) as reader:
        is_open = open_round_since(reader.rows.records(0, {RecordKind.DECISION})) is not None
        for seq, given, _ in turns(reader.rows.records()):
            if row is not None and seq > row:
                break
            if state is None:
                if not isinstance(given.what, DaemonStarted):
                    continue
                state = TableState(house=given.what.house)
            state, _ = reduce(state, given)
            now, last = Instant(given.at_ns, given.wall_ns, WallQuality(given.quality)), seq
    if state is None:
        raise NothingStands(f"{file} has no start of a daemon up to row {row or 'the last'}")
    texts = Texts(state.house.languages, state.house.time_zone)
    return {**state_view(state, texts, Curtain(0 if is_open else None), now), "row": last}
