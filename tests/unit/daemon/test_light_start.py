"""What a daemon loads before it knows its tables: nothing that only some tables need (60 MB at rest, `make bench`)."""

from __future__ import annotations

import subprocess
import sys

from tests.support.processes import DEADLINE_S, environment

# The MQTT library and its protocol, ports and USB, an HTTP client that comes with the XML library's small tools.
HEAVY = ("aiomqtt", "paho", "serial", "usb", "xml.sax", "urllib.request", "http.client")


def loaded(command: str) -> list[str]:
    """What a new process prints at the end of this."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {command}"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    return done.stdout.split()


def test_what_only_some_tables_need_is_loaded_by_them() -> None:
    assert loaded(f"import tableside.process; print(*[name for name in {HEAVY!r} if name in sys.modules])") == []


def test_the_daemons_log_needs_no_rich_and_leaves_it_to_others() -> None:
    light = "from tableside.cli.run import load_log_without_rich; load_log_without_rich(); import tableside.process"
    assert loaded(f"{light}; print('rich' in sys.modules)") == ["False"]
    assert loaded(f"{light}; from rich.table import Table; print(Table.__name__)") == ["Table"]
