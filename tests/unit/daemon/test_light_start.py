"""What a daemon loads before it knows its tables: nothing that only some tables need (60 MB at rest, `make bench`)."""

from __future__ import annotations

import subprocess
import sys

from tests.support.processes import DEADLINE_S, environment

# The MQTT library and its protocol, ports and USB, an HTTP client that comes with the XML library's small tools.
HEAVY = ("aiomqtt", "paho", "serial", "usb", "xml.sax", "urllib.request", "http.client")


def test_what_only_some_tables_need_is_loaded_by_them() -> None:
    command = f"import sys, tableside.process; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", command],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    assert done.stdout.split() == []
