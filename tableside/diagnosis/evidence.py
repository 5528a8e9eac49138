"""What is known of one cable when somebody asks why its device is away: the same live and asked directly. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firmware_bridge.links.recording import Direction, Entry
from tableside.configuration import shape
from tableside.diagnosis.buses import without_own

# Of a cable that stands, so much counts as *now*: longer than any device may be silent (semantics §3), and short
# enough that what was said before it went silent is over.
WINDOW_NS = 12 * 1_000_000_000
# A device answers within half a second as a rule: a connection that has lasted for less than this has said nothing.
JUST_BEGUN_NS = 3 * 1_000_000_000
# How a display page is away that is served well: no keeper's word, since nothing has ended.
NO_PAGE_OPEN = "no_page"


@dataclass(frozen=True, slots=True)
class Evidence:
    """`ended_by`: the kind of end or refusal, as the keeper or the device's bus has it; `entries`: bytes, oldest first.

    `found` is what further questions have found out, where the port is ours to ask them (`why_directly.py`).
    """

    device: str
    address: str
    profile: str
    serial: str
    model: str
    is_connected: bool
    ended_by: str
    why_away: str
    entries: tuple[Entry, ...]
    station: int | None = None
    other_speed: int | None = None  # at which it answers, where it does not at ours
    other_station: int | None = None  # the address at which somebody answers, where ours is silent

    @property
    def sent(self) -> bytes:
        """What we said."""
        return _joined(self.entries, Direction.OUT)

    @property
    def heard(self) -> bytes:
        """What came in."""
        return _joined(self.entries, Direction.IN)

    @property
    def theirs(self) -> bytes:
        """What came in, without our own frames where a bus plays them back as it should."""
        said = (entry.data for entry in self.entries if entry.direction is Direction.OUT)
        return without_own(self.profile, said, self.heard)


def evidence_of(
    device: shape.Device, health: Mapping[str, object], profile: str, entries: tuple[Entry, ...]
) -> Evidence:
    """What is known of a configured device, from its link's health and its cable's bytes."""
    return Evidence(
        device=device.name,
        address=device.address,
        profile=profile,
        serial=device.serial_number,
        model=device.model,
        is_connected=bool(health["is_connected"]),
        ended_by=str(health["ended_by"]),
        why_away=str(health["why_away"]),
        entries=entries,
        station=station_of(device),
    )


def station_of(device: shape.Device) -> int | None:
    """Where on its bus a device is configured; None: its cable is its own."""
    if device.wiring is not None:
        return device.wiring.unit
    if device.coils is not None:
        return device.coils.unit
    return device.cctalk_address if device.cctalk_address is not None else device.osdp_address


def of_last_connection(entries: Iterable[Entry], now_ns: int) -> tuple[Entry, ...]:
    """The bytes of the last connection, and of it only what is of now.

    One that has just begun says less than the one before it, whose end is the reason why it was begun.
    """
    connections: list[list[Entry]] = [[]]
    for entry in entries:
        if entry.direction is Direction.END:
            connections.append([])
        else:
            connections[-1].append(entry)
    said = [each for each in connections if each]
    last = said[-1] if said else []
    if len(said) > 1 and now_ns - last[0].at_ns < JUST_BEGUN_NS:
        last = said[-2]
    until_ns = min(now_ns, last[-1].at_ns) if last else now_ns
    return tuple(entry for entry in last if entry.at_ns >= until_ns - WINDOW_NS)


def _joined(entries: Iterable[Entry], direction: Direction) -> bytes:
    return b"".join(entry.data for entry in entries if entry.direction is direction)
