"""The wire face of a badge reader that types: a badge before the reader becomes key strokes, Enter behind them."""

from __future__ import annotations

from firmware_bridge.wire.keyboard.maps import KeyMap
from firmware_bridge.wire.keyboard.reports import ENTER, Stroke, reports_of
from simulator.world.badges import Badge, BadgeHead

# A reader types a report every 5 ms or so (assumed, from readers' manuals: 2 to 20 ms).
_REPORT_EVERY_NS = 5_000_000


class KeyboardReaderFace:
    """One reader. Its badges hold characters, eight bits each."""

    boot_number = 0  # a keyboard counts no boots
    profile = "keyboard"

    def __init__(self, head: BadgeHead, key_map: KeyMap) -> None:
        self.head = head
        self.is_on = False
        self.lamps = 0  # as the host set them last: num, caps and scroll lock
        self._map = key_map
        self._is_connected = False
        self._due: list[tuple[int, bytes]] = []
        self._output: list[bytes] = []
        self._wake_ns: int | None = None

    @property
    def next_wake_ns(self) -> int | None:
        return self._wake_ns

    def boot(self, now_ns: int) -> None:
        self.is_on = True
        self.update(now_ns)

    def power_off(self) -> None:
        self.is_on = False
        self._due.clear()
        self.head.forget_reads()
        self._wake_ns = None

    def connected(self, *, is_message_based: bool) -> None:
        self._is_connected = True

    def disconnected(self) -> None:
        """What was not typed is lost: a keyboard keeps nothing."""
        self._is_connected = False
        self._due.clear()
        self._output.clear()

    def is_host_present(self, now_ns: int) -> bool:
        """USB lets one host have it."""
        return self._is_connected

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """An output report."""
        self.lamps = chunk[0]

    def update(self, now_ns: int) -> bool:
        """Let time pass; nothing here wakes another world."""
        wakes = [self.head.update(now_ns)]
        while (read := self.head.take_read()) is not None:
            if self.is_on and self._is_connected and isinstance(read, Badge):
                self._type(read, now_ns)
        while self._due and self._due[0][0] <= now_ns:
            self._output.append(self._due.pop(0)[1])
        wakes.append(self._due[0][0] if self._due else None)
        self._wake_ns = min((wake for wake in wakes if wake is not None), default=None) if self.is_on else None
        return False

    def take_output(self) -> list[bytes]:
        output, self._output = self._output, []
        return output

    def _type(self, badge: Badge, now_ns: int) -> None:
        strokes = [*self._map.strokes(badge.data.decode("ascii")), Stroke(ENTER)]
        begin_ns = max([now_ns, *(at_ns + _REPORT_EVERY_NS for at_ns, _ in self._due[-1:])])
        self._due += [(begin_ns + at * _REPORT_EVERY_NS, report) for at, report in enumerate(reports_of(strokes))]
