"""Our pcapng read by Wireshark's tshark and by python-pcapng: every byte, time, direction, cable and comment."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.links.recording import Direction
from tableside.diagnosis.captures import Passed, pcapng
from tests.support.peer_environment import peer_python

pytestmark = pytest.mark.peer

BEGIN_NS = 1_800_000_000_123_456_789
MESSAGES = [
    Passed("shuffler", "tdl", BEGIN_NS, Direction.OUT, b"\x00\x03\xd1", "HELLO: nonce"),
    Passed("badges", "osdp", BEGIN_NS + 1, Direction.IN, b"\x53\x80\x07\x00\x04", "station 1 ACK"),
    Passed("shuffler", "tdl", BEGIN_NS + 2_000_000_000, Direction.END, b"", "unplugged"),
]
PYTHON_PCAPNG = "python-pcapng==2.1.1"
FIELDS = ("frame.time_epoch", "frame.interface_name", "frame.packet_flags_direction", "frame.comment", "data.data")


def test_tshark_reads_what_we_wrote(tmp_path: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    file = tmp_path / "trace.pcapng"
    file.write_bytes(b"".join(pcapng(MESSAGES)))
    wanted = [word for field in FIELDS for word in ("-e", field)]
    read = subprocess.run(
        [tshark, "-r", str(file), "-T", "fields", "-E", "separator=|", *wanted],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
    )
    rows = [line.split("|") for line in read.stdout.splitlines()]
    assert [row[0] for row in rows] == ["1800000000.123456789", "1800000000.123456790", "1800000002.123456789"]
    assert [row[1] for row in rows] == ["shuffler", "badges", "shuffler"]
    assert [int(row[2], 0) for row in rows[:2]] == [2, 1]
    assert [row[3] for row in rows] == ["HELLO: nonce", "station 1 ACK", "unplugged"]
    assert [row[4] for row in rows] == ["0003d1", "5380070004", ""]


def test_python_pcapng_reads_what_we_wrote(tmp_path: Path) -> None:
    file = tmp_path / "trace.pcapng"
    file.write_bytes(b"".join(pcapng(MESSAGES)))
    reader = Path(__file__).with_name("pcapng_rows.py")
    read = subprocess.run(
        [str(peer_python(PYTHON_PCAPNG)), str(reader), str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert [json.loads(line) for line in read.stdout.splitlines()] == [
        ["shuffler", BEGIN_NS, "outbound", "HELLO: nonce", "0003d1"],
        ["badges", BEGIN_NS + 1, "inbound", "station 1 ACK", "5380070004"],
        ["shuffler", BEGIN_NS + 2_000_000_000, "NA", "unplugged", ""],
    ]
