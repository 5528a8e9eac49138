"""JSON Schemas of what `tableside diag … --json` prints, made from the structs that are printed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from docs.generate.northbound import DIALECT, anything, text_of
from docs.generate.technician_shapes import (
    CountLine,
    DealTestLine,
    Entries,
    FactLine,
    Finding,
    RowLine,
    SelfTestLine,
    Status,
    TableAtRow,
    TraceLine,
)
from tableside.diagnosis.bundle import Contents
from tableside.diagnosis.errors import ErrorsTold
from tableside.diagnosis.handover import HandoverTold, OrdersTold
from tableside.diagnosis.maintenance import UpkeepTold
from tableside.diagnosis.replayed import ReplayTold
from tableside.diagnosis.sensors import SensorsTold
from tableside.diagnosis.statistics import StatisticsTold

FOLDER = "docs/protocols/technician"
# Name → what one line of it is. The first word is the command.
SCHEMAS: Mapping[str, type[msgspec.Struct]] = {
    "bundle": Contents,
    "count": CountLine,
    "errors": ErrorsTold,
    "explain": Entries,
    "handover": HandoverTold,
    "pm": UpkeepTold,
    "replay-difference": ReplayTold,
    "replay-fact": FactLine,
    "replay-table": TableAtRow,
    "selftest": SelfTestLine,
    "sensors": SensorsTold,
    "stats": StatisticsTold,
    "status": Status,
    "test-deal": DealTestLine,
    "trace": TraceLine,
    "watch": RowLine,
    "why": Finding,
    "work-order": OrdersTold,
}


def schema(name: str) -> str:
    """One JSON Schema (2020-12), as a file's text."""
    made = msgspec.json.schema(SCHEMAS[name], schema_hook=anything)
    return text_of({"$schema": DIALECT, "$id": f"urn:tableside:technician:{name}", **made})


def pages() -> dict[str, str]:
    """Every file that is made: its name from the root, and its text."""
    return {f"{FOLDER}/{name}.schema.json": schema(name) for name in SCHEMAS}
