"""The looks, in the order in which they are told: a table; a new one is a function and a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tableside.doctor import cables, disks, host
from tableside.doctor.symptoms import Look, Symptom, Verdict, Ward

LOOKS: Mapping[str, Look] = {
    "account": host.account,
    "packages": host.packages,
    "folders": disks.folders,
    "file systems": disks.file_systems,
    "second disk": disks.second_disk,
    "space": disks.space,
    "clock": host.clock,
    "memory": host.memory,
    "serial ports": cables.ports,
    "grabbers": cables.grabbers,
    "latency": cables.latency,
    "USB": cables.plugged,
    "broker": host.broker,
    "service": host.service,
    "daemon": host.control_socket,
}


def examine(ward: Ward) -> Iterator[tuple[str, Symptom]]:
    """Every finding with the name of its look; a look that breaks is a finding, and the others go on."""
    for name, look in LOOKS.items():
        try:
            for symptom in look(ward):
                yield name, symptom
        except OSError as error:
            yield name, Symptom(Verdict.UNTOLD, f"{name}: {error}", "run it as root to see more")
