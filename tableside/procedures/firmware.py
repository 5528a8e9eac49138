"""What a machine says that it runs: not on the list of allowed firmware, or not to be had, is somebody's to look into.

It is self-reported, so a good answer proves little and lifts nothing but its own alert; a bad one stops no play by
itself either: whether such a machine is used, the people decide who are called (docs/adr/0030).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec.structs import replace

from drivers.events import FirmwareTold, FirmwareUntold
from tableside import alerts, devices, incidents
from tableside.tables import Procedure, Row, Turn

UNLISTED = "FIRMWARE-UNLISTED"
UNTOLD = "FIRMWARE-UNTOLD"
INCIDENT = "firmware"
RULE = "CSM-8"


class FirmwareState(StrEnum):
    """Proofs have no states of their own: each stands as told, and what is wrong stands as an alert."""

    ANY = "any"


def _is_listed(_turn: Turn, what: FirmwareTold) -> bool:
    return what.is_listed


def _runs(turn: Turn, what: FirmwareTold, version: str) -> None:
    """What the port's machine says that it runs, for the technician's list of devices."""
    devices.put(turn, what.device, replace(devices.of(turn, what.device), firmware=version))


def _listed(turn: Turn, what: FirmwareTold) -> None:
    _runs(turn, what, what.version)
    why = f"{what.maker} {what.model} {what.version} is on the list"
    for text in (UNLISTED, UNTOLD):
        alerts.clear_alert(turn, text, what.device, by=what.device, why=why)
    for incident in incidents.of_kind(turn, INCIDENT):
        if incident.text.startswith(f"{what.of}:"):
            incidents.close(turn, incident.number, why, what.device)


def _unlisted(turn: Turn, what: FirmwareTold) -> None:
    """Each proof is a row; the incident says what differs, the alert that somebody must come."""
    _runs(turn, what, "not on the list")
    alerts.clear_alert(turn, UNTOLD, what.device, by=what.device, why="it has told")
    told = f"{what.of}: {'; '.join(what.differences)}"
    digests = ", ".join(f"{name} {digest}" for name, digest in what.components)
    standing = [incident for incident in incidents.of_kind(turn, INCIDENT) if incident.text.startswith(f"{what.of}:")]
    if not standing:
        incidents.open_incident(turn, INCIDENT, RULE, f"{told} (under key {what.key}: {digests})")
    elif not standing[-1].text.startswith(told):
        incidents.note(turn, standing[-1].number, told)
    if f"{UNLISTED}:{what.device}" not in turn.state.alerts.standing:
        alerts.raise_alert(turn, UNLISTED, what.device, device=what.of)


def _untold(turn: Turn, what: FirmwareUntold) -> None:
    """It answers, and nobody knows what the machine behind the port runs."""
    if f"{UNTOLD}:{what.device}" not in turn.state.alerts.standing:
        alerts.raise_alert(turn, UNTOLD, what.device, device=what.of)


A = FirmwareState.ANY
PROCEDURE = Procedure(
    name="firmware",
    rule=RULE,
    states=FirmwareState,
    read=lambda _state, _what: FirmwareState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, FirmwareTold, None, _listed, _is_listed, said="on the list"),
        Row(A, FirmwareTold, None, _unlisted, said="not on the list"),
        Row(A, FirmwareUntold, None, _untold, said="not told"),
    ),
    next_step={A: "see what stands: alerts, incidents; `tableside diag verify-firmware` asks again"},
)
