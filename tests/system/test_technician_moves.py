"""A technician lets things move, by real commands at a real control socket, on a simulated machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs.generate.technician import FOLDER
from simulator.world import hands
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.happenings import Trouble
from tableside.exit_codes import ExitCode
from tableside.procedures.deal_test_slice import DealTestSlice, DealTestState
from tests.support.config_files import Edit
from tests.support.processes import DEADLINE_S, ROOT, environment
from tests.support.processes import tableside as run
from tests.support.served_table import Served, served

pytestmark = pytest.mark.system
TECHNICIAN = Edit(
    "host", "[[staff]]", '[[staff]]\nstaff_id = "T-1"\nname = "Technician"\nroles = ["technician"]\n\n[[staff]]'
)
THERE = ("--yes-i-am-there", "--as", "T-1")


@pytest.fixture
def it(tmp_path: Path) -> Iterator[Served]:
    """A closed table whose machine has counted that it is empty."""
    with served(tmp_path, TECHNICIAN) as table:
        table.until(lambda: not is_busy(table))
        yield table


def is_busy(it: Served) -> bool:
    state = it.daemon.tables["BJ-1"].state
    return bool(state.commands.open) or state.devices.known["shuffler"].is_content_unverified


def diag(it: Served, *arguments: str) -> tuple[int, str, str]:
    done = run("diag", *arguments, "--config", str(it.config))
    return done.returncode, done.stdout, done.stderr


def told(it: Served, schema: str, *arguments: str) -> tuple[int, dict[str, object]]:
    code, out, err = diag(it, *arguments, "--json")
    assert out, err
    line: dict[str, object] = json.loads(out)
    found = json.loads((ROOT / FOLDER / f"{schema}.schema.json").read_text("utf-8"))
    Draft202012Validator(found).validate(line)
    return code, line


def commands_given(it: Served) -> list[bytes]:
    return it.do(
        lambda: [row.body for row in it.daemon.tables["BJ-1"].journal.records() if row.type == "CommandIntended"]
    )


def hurt(it: Served, trouble: Trouble) -> None:
    it.do(lambda: it.table.stage.act(lambda: hands.hurt(it.table.machine, trouble)))


def test_a_self_test_passes_and_finds_what_is_broken(it: Served) -> None:
    before = len(commands_given(it))
    assert told(it, "selftest", "selftest", "shuffler", *THERE) == (
        ExitCode.DONE,
        {"device": "shuffler", "part": 0, "outcome": "done", "reason": "none", "faults": []},
    )
    hurt(it, Trouble.EXIT_DRIVE)
    code, line = told(it, "selftest", "exercise", "shuffler", "1", *THERE)
    assert (code, line["outcome"], line["part"]) == (ExitCode.DONE, "done", 1)
    code, out, _ = diag(it, "exercise", "shuffler", "3", *THERE)
    assert code == ExitCode.FOUND
    assert "failed" in out
    assert "exit drive" in out
    assert len(commands_given(it)) == before + 3


def test_what_is_refused_moves_nothing(it: Served) -> None:
    before = commands_given(it)
    for arguments, word in (
        (("selftest", "shuffler", "--as", "T-1"), "--yes-i-am-there"),
        (("selftest", "shuffler", "--yes-i-am-there", "--as", "S-1"), "technician"),
        (("exercise", "toaster", "1", *THERE), "does not answer"),
        (("test-deal", "switches", "5", *THERE), "no machine of this table"),
    ):
        code, _, err = diag(it, *arguments)
        assert code == ExitCode.REFUSED, err
        assert word in err
    assert commands_given(it) == before
    code, _, err = diag(it, "exercise", "shuffler", "77", *THERE)
    assert code == ExitCode.FOUND, "the machine itself refuses what it has not"


def test_a_count_goes_on_to_its_end(it: Served) -> None:
    code, line = told(it, "count", "count", "--as", "T-1")
    assert (code, line) == (ExitCode.DONE, {"device": "shuffler", "counted": 0, "expected": 0})


def deals_of(it: Served) -> DealTestSlice:
    return it.daemon.tables["BJ-1"].state.procedures.deal_tests


def lay_in_when_proved_empty(it: Served, cards: int) -> threading.Thread:
    """The technician's hands."""

    def lay() -> None:
        it.until(lambda: deals_of(it).state is DealTestState.FEEDING)
        pack = new_deck(9, Back.RED, Pile("test cards"))[:cards]
        it.do(lambda: it.table.stage.act(lambda: hands.put_packet(it.table.machine, pack)))

    thread = threading.Thread(target=lay)
    thread.start()
    return thread


def test_test_cards_go_in_and_come_out(it: Served) -> None:
    hand = lay_in_when_proved_empty(it, 5)
    code, line = told(it, "test-deal", "test-deal", "shuffler", "5", *THERE)
    hand.join(DEADLINE_S)
    assert line == {"device": "shuffler", "cards_in": 5, "cards_out": 5, "left": 0, "why": "done"}
    assert code == ExitCode.DONE
    account = it.do(lambda: it.daemon.tables["BJ-1"].state.account)
    assert account.balances.get("machine", 0) == 0


def test_ctrl_c_ends_at_once_and_what_was_begun_goes_on_record(it: Served) -> None:
    command = [
        sys.executable,
        "-m",
        "tableside",
        "diag",
        "test-deal",
        "shuffler",
        "5",
        *THERE,
        "--config",
        str(it.config),
    ]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        it.until(lambda: deals_of(it).is_under_way)
        os.kill(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=DEADLINE_S)
    assert child.returncode == ExitCode.INTERRUPTED
    assert "goes on record" in err
    assert it.do(lambda: deals_of(it)).is_under_way, "it ends under the daemon's eye, by itself"


def test_a_work_order_is_opened_listed_and_closed(it: Served) -> None:
    assert diag(it, "work-order", "open", "shuffler", "--number", "W-17", "--as", "T-1")[0] == ExitCode.DONE
    assert diag(it, "work-order", "open", "shuffler", "--number", "W-18", "--as", "T-1")[0] == ExitCode.REFUSED
    code, line = told(it, "work-order", "work-order", "list")
    assert code == ExitCode.DONE
    assert "W-17 at shuffler" in json.dumps(line)
    assert "open work orders: 1" in diag(it, "handover")[1]
    assert diag(it, "work-order", "close", "shuffler", "--work", "belt", "--as", "T-1")[0] == ExitCode.DONE
    assert "no work order is open" in diag(it, "work-order", "list")[1]
