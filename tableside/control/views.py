"""How things stand, as pages and technicians read it: made of the table's state, nothing secret in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firmware_bridge.clock import Instant
from tableside.alerts import Alert
from tableside.control.curtain import Curtain, shown
from tableside.inputs import AnyInput
from tableside.journal.export import utc_text
from tableside.journal.record import Record, RecordKind
from tableside.locks import Scope, standing
from tableside.outputs.texts import Texts
from tableside.procedures import is_round_open
from tableside.rows import what_of
from tableside.state import TableState

# Of the state, what is told by a view of its own.
_TOLD_APART = ("house", "alerts", "locks", "clock_boot", "last_at_ns", "last_wall_ns")
