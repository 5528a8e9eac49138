"""A monitoring system at a running daemon: what it gets over HTTP, and a port that another program holds."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain

from tests.support.processes import DEADLINE_S, daemon, simulated_table, until

pytestmark = pytest.mark.system
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


def scrape(port: int, accept: str, host: str = "127.0.0.1") -> tuple[int, str]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    try:
        line.request("GET", "/metrics", headers={"Accept": accept, "Host": host})
        answer = line.getresponse()
        return answer.status, answer.read().decode()
    finally:
        line.close()


def host_file(port: int) -> dict[str, str]:
    return {"[page]": f"[metrics]\nport = {port}\n\n[page]", "port = 8377": "port = 18377"}


def test_both_formats_are_read_and_strangers_names_are_refused(tmp_path: Path, unused_tcp_port: int) -> None:
    with (
        simulated_table(tmp_path, edits=host_file(unused_tcp_port)) as config,
        daemon(config, tmp_path / "run" / "control.sock", tmp_path / "log") as running,
    ):
        until(lambda: "metrics_served" in running.log, lambda: running.log)
        for accept, read in (("text/plain", plain), (OPEN_METRICS, open_metrics)):
            status, text = scrape(unused_tcp_port, accept)
            names = {family.name for family in read(text)}
            assert status == 200
            assert {"tableside_info", "tableside_alerts", "process_resident_memory_bytes"} <= names
        assert scrape(unused_tcp_port, "text/plain", host="elsewhere.example")[0] == 400
        with pytest.raises(urllib.error.HTTPError, match="405"):
            urllib.request.urlopen(f"http://127.0.0.1:{unused_tcp_port}/metrics", data=b"x", timeout=DEADLINE_S)


def test_a_port_that_another_holds_stops_no_table(tmp_path: Path, unused_tcp_port: int) -> None:
    with (
        socket.create_server(("127.0.0.1", unused_tcp_port)),
        simulated_table(tmp_path, edits=host_file(unused_tcp_port)) as config,
        daemon(config, tmp_path / "run" / "control.sock", tmp_path / "log") as running,
    ):
        until(lambda: "metrics_port_taken" in running.log, lambda: running.log)
        assert running.told("hello")["tables"]
        assert running.end() == 0
