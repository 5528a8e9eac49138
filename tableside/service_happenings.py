"""What happens in a technician's hands: work orders, tests, test cards. Rows of the journal."""

from __future__ import annotations

from drivers.events import Outcome, Reason
from tableside.happenings import Happening


class WorkOrderOpened(Happening, frozen=True, kw_only=True):
    """Technical alerts of this device are mute from now on; `until_ns` (UTC) at the longest."""

    device: str
    number: str
    by: str
    until_ns: int


class WorkOrderClosed(Happening, frozen=True, kw_only=True):
    """`why`: *closed* by a technician, or its *time* is over. What was mute and still stands is raised now."""

    device: str
    number: str
    work: str
    why: str
    by: str


class AlertMuted(Happening, frozen=True, kw_only=True):
    """A technical alert of a device under a work order was not raised, or not any longer."""

    text: str
    place: str
    device: str
    number: str


class SelfTestEnded(Happening, frozen=True, kw_only=True):
    """A self-test came to its end; `part` 0: of everything. The faults that it found are told by themselves."""

    device: str
    part: int
    outcome: Outcome
    reason: Reason
    by: str


class DealTestBegun(Happening, frozen=True, kw_only=True):
    """So many test cards are to go in; what the machine's meters count is theirs, and not the table's."""

    device: str
    cards: int
    by: str


class ProvingCardsMoved(Happening, frozen=True, kw_only=True):
    """Test cards passed a sensor of the machine; they are in no account of a table."""

    device: str
    cards: int
    is_in: bool


class DealTestEnded(Happening, frozen=True, kw_only=True):
    """`why`: *done*, or what stopped it. `left` is what the machine says that it still holds; None: it did not say."""

    device: str
    cards_in: int
    cards_out: int
    left: int | None
    why: str
    by: str
