"""Every `diag` command on every terminal: a pipe, 40 columns, TERM=dumb, the C locale; text alone, the same code,
and with --json what the published schema says (BR-065, BR-066)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs.generate.technician import FOLDER, SCHEMAS
from drivers import events
from drivers.events import Place
from firmware_bridge.links.recording import Direction, Entry, Head
from simulator.world import hands
from simulator.world.happenings import Trouble
from tableside.cli.diag import diag
from tableside.cli.plain import width_of
from tableside.exit_codes import ExitCode
from tests.support.processes import ROOT
from tests.support.served_table import Served, served
from tests.support.session import open_table
from tests.support.terminals import TERMINALS, Seen, Terminal, run_on
from tests.support.written import written
from tests.unit.cli.test_diag import ACK, CARDS_OUT, JAM

pytestmark = pytest.mark.system


@dataclass(frozen=True, slots=True)
class Case:
    """A command line; `{…}` stand for files, `{fresh}` for one that is not there yet. `schema` is that of each line."""

    line: str
    code: ExitCode
    schema: str

    @property
    def arguments(self) -> list[str]:
        return self.line.split()


LIVE = "--config {config}"
JSON = "json"
CASES = (
    Case(f"status {LIVE}", ExitCode.DONE, "status"),
    Case(f"why shuffler {LIVE}", ExitCode.DONE, "why"),
    Case(f"errors {LIVE}", ExitCode.FOUND, "errors"),
    Case(f"errors switches {LIVE}", ExitCode.DONE, "errors"),
    Case("errors --recording {journal}", ExitCode.FOUND, "errors"),
    Case("errors --recording {cable}", ExitCode.FOUND, "errors"),
    Case(f"stats {LIVE}", ExitCode.DONE, "stats"),
    Case("stats --recording {journal}", ExitCode.DONE, "stats"),
    Case(f"sensors {LIVE}", ExitCode.DONE, "sensors"),
    Case("sensors --recording {journal}", ExitCode.DONE, "sensors"),
    Case(f"pm {LIVE}", ExitCode.DONE, "pm"),
    Case("pm --recording {journal}", ExitCode.DONE, "pm"),
    Case(f"handover {LIVE}", ExitCode.DONE, "handover"),
    Case("handover --recording {journal}", ExitCode.DONE, "handover"),
    Case("bundle {fresh} --recording {journal}", ExitCode.DONE, "bundle"),
    Case(f"bundle {{fresh}} {LIVE}", ExitCode.DONE, "bundle"),
    Case(f"work-order list {LIVE}", ExitCode.DONE, "work-order"),
    Case(f"selftest shuffler --as T-9 {LIVE}", ExitCode.REFUSED, ""),
    Case(f"exercise shuffler 3 --as T-9 {LIVE}", ExitCode.REFUSED, ""),
    Case(f"count --as T-9 {LIVE}", ExitCode.REFUSED, ""),
    Case(f"test-deal shuffler 5 --as T-9 {LIVE}", ExitCode.REFUSED, ""),
    Case(f"work-order open shuffler --number 7 --as T-9 {LIVE}", ExitCode.REFUSED, ""),
    Case("explain FAULT-4 --second zh_Hant_MO", ExitCode.DONE, "explain"),
    Case("trace --recording {cable}", ExitCode.DONE, "trace"),
    Case("replay {cable}", ExitCode.DONE, "replay-fact"),
    Case("replay {cable} --against {journal}", ExitCode.FOUND, "replay-difference"),
    Case("replay {journal}", ExitCode.DONE, "replay-table"),
)
# These go on until Ctrl-C, or are tried where their device is.
ELSEWHERE = {"watch", "shoe", "verify-firmware"}
# Held against their schemas where their devices move: tests/system/test_technician_moves.py.
MOVING = {"selftest", "count", "test-deal"}


@dataclass(frozen=True, slots=True)
class Files:
    """What the command lines name."""

    config: Path
    journal: Path
    cable: Path

    def of(self, case: Case) -> list[str]:
        fresh = self.journal.with_name(f"{secrets.token_hex(4)}.zip")
        names = {"config": self.config, "journal": self.journal, "cable": self.cable, "fresh": fresh}
        return ["diag", *(argument.format(**names) for argument in case.arguments)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    """A table whose shuffler has a worn part, a journal with a fault, a recording of a jam."""
    folder = tmp_path_factory.mktemp("technician")
    table = open_table()
    table.notice(events.DeviceFaulted, fault=4, place=Place.FEED)
    (folder / "journal").mkdir()
    journal = written(table, folder / "journal")
    cable = folder / "shuffler.jsonl"
    entries = [(Direction.IN, JAM), (Direction.OUT, ACK), (Direction.IN, CARDS_OUT)]
    lines = [Entry(at * 10**9, direction, bytes.fromhex(text)).encode() for at, (direction, text) in enumerate(entries)]
    cable.write_text("\n".join([Head("shuffler", "tdl", "none", is_message_based=False).encode(), *lines]) + "\n")
    with served(folder) as it:
        _fail_the_supply(it)
        yield Files(it.config, journal, cable)


def _fail_the_supply(it: Served) -> None:
    """A part wears out, and the table knows it."""
    it.do(lambda: it.table.stage.act(lambda: hands.hurt(it.table.machine, Trouble.SUPPLY)))
    it.until(lambda: bool(it.daemon.tables["BJ-1"].state.devices.known["shuffler"].faults))


def test_every_command_is_tried() -> None:
    assert {case.arguments[0] for case in CASES} | ELSEWHERE == set(diag.commands)


@pytest.fixture(scope="module")
def printed(files: Files) -> dict[str, dict[Case, Seen]]:
    """What every command prints on every terminal, and into a pipe with --json."""
    seen = {
        terminal.name: dict(zip(CASES, run_on(terminal, [files.of(case) for case in CASES]), strict=True))
        for terminal in TERMINALS
    }
    as_json = run_on(TERMINALS[-1], [[*files.of(case), "--json"] for case in CASES])
    return {**seen, JSON: dict(zip(CASES, as_json, strict=True))}


@pytest.mark.parametrize("terminal", TERMINALS, ids=lambda terminal: terminal.name)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.line)
def test_text_on_every_terminal(case: Case, terminal: Terminal, printed: dict[str, dict[Case, Seen]]) -> None:
    seen = printed[terminal.name][case]
    assert seen.code == case.code, seen
    assert (seen.out + seen.err).strip()
    assert b"Traceback" not in seen.out + seen.err
    printable = seen.out.replace(b"\r\n", b"\n").replace(b"\n", b"")
    assert not [byte for byte in printable if byte < 0x20 or byte == 0x7F], "nothing but text"
    if terminal.is_ascii:
        assert seen.out.isascii()
    if terminal.columns:
        assert [line for line in seen.text.splitlines() if width_of(line) > terminal.columns] == []


@pytest.mark.parametrize("case", [case for case in CASES if case.schema], ids=lambda case: case.line)
def test_json_is_what_its_schema_says(case: Case, printed: dict[str, dict[Case, Seen]]) -> None:
    schema = json.loads((ROOT / FOLDER / f"{case.schema}.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    assert not validator.is_valid({})
    seen = printed[JSON][case]
    assert seen.code == case.code, seen
    lines = seen.out.splitlines()
    assert lines
    for line in lines:
        assert line.isascii()
        validator.validate(json.loads(line))


def test_every_schema_is_met_by_something() -> None:
    assert {case.schema for case in CASES if case.schema} | {"watch"} | MOVING == set(SCHEMAS)
