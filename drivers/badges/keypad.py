"""Digits keyed at a reader, up to the `#` that ends them. They are never logged, never kept."""

from __future__ import annotations

from firmware_bridge.wire.osdp.replies import KEY_CLEAR, KEY_ENTER

# The longest PIN that is known here is shorter; more digits are somebody playing.
DIGITS_MAX = 12
# Who has not gone on after so long has left.
ABANDONED_AFTER_S = 5.0


class Keypad:
    """Gathers keys. `abandoned` counts entries that nobody ended, or that were too long."""

    def __init__(self) -> None:
        self.abandoned = 0
        self._digits = ""
        self._keyed_at_s = 0.0

    def pressed(self, keys: bytes, now_s: float) -> list[str]:
        """Take some keys (ASCII digits, 7F for *, 0D for #); gives back the codes that they ended."""
        if self._digits and now_s - self._keyed_at_s > ABANDONED_AFTER_S:
            self._abandon()
        self._keyed_at_s = now_s
        codes = []
        for key in keys:
            if key == KEY_ENTER:
                if self._digits:
                    codes.append(self._digits)
                self._digits = ""
            elif key == KEY_CLEAR:
                self._digits = ""
            elif chr(key) in "0123456789":
                self._digits += chr(key)
                if len(self._digits) > DIGITS_MAX:
                    self._abandon()
        return codes

    def forget(self) -> None:
        """The reader went away: half a code is none."""
        if self._digits:
            self._abandon()

    def _abandon(self) -> None:
        self.abandoned += 1
        self._digits = ""
