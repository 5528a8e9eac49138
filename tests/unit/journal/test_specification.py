"""The journal's specification is enough for a stranger: its own program checks our journals."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from tableside.journal.reserve import RESERVE_BYTES
from tableside.journal.reserve_layout import HEAD_BYTES, HOLDER_OFFSET, MAGIC, SLOT_OFFSETS
from tableside.journal.schema import APPLICATION_ID, COLUMNS
from tests.support.journals import draft, open_journal

SPECIFICATION = Path(__file__).parents[3] / "docs" / "protocols" / "journal.md"


def check_with_its_program(journal: Path) -> subprocess.CompletedProcess[str]:
    (program,) = re.findall(r"```python\n(.*?)```", SPECIFICATION.read_text("utf-8"), re.DOTALL)
    command = [sys.executable, "-I", "-c", program, str(journal)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


async def test_program_of_the_specification_finds_a_forged_row_and_no_other(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(n, request=f"r-{n}" if n % 2 else None) for n in range(30)])
        last = journal.tail
    path = tmp_path / "BJ-1.db"
    assert check_with_its_program(path).stdout == f"31 rows, the last hash is {last.hash.hex()}\n"
    with sqlite3.connect(path) as forger:
        forger.execute("DROP TRIGGER record_no_update")
        forger.execute("UPDATE record SET wall_ns = wall_ns + 1 WHERE seq = 9")
    forger.close()
    done = check_with_its_program(path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("row 9 ")


def test_figures_of_the_specification_are_those_of_the_code() -> None:
    text = SPECIFICATION.read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert tuple(rows) == COLUMNS
    for figure in (f"{APPLICATION_ID:08X}h", f"{RESERVE_BYTES:,}", f"{HEAD_BYTES:,}", MAGIC.decode()):
        assert figure in text
    offsets = re.findall(r"^\| ([\d,]+(?: and [\d,]+)?) \|", text, re.MULTILINE)
    assert offsets == ["0", str(HOLDER_OFFSET), " and ".join(f"{at:,}" for at in SLOT_OFFSETS), f"{HEAD_BYTES:,}"]
