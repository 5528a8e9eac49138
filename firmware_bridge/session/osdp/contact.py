"""Whether a station is there: misses, waits, and the eight seconds after which it is off-line."""

from __future__ import annotations

from firmware_bridge.session.osdp.notices import Loss
from firmware_bridge.session.osdp.profile import (
    CHANNEL_WAITS_S,
    MISSES_BEFORE_PROBING,
    OFF_LINE_AFTER_S,
    POLL_PERIOD_S,
    PROBE_WAITS_S,
    WRONG_DEVICE_WAIT_S,
)

# Told without waiting for the eight seconds, once a second attempt has failed in the same way.
_DEFINITE = frozenset({Loss.WRONG_KEY, Loss.NOT_SECURABLE, Loss.NEEDS_KEY})
_DEFINITE_FAILURES = 2


class Contact:
    """The history of one station, in loop time (s). It never decides what to send, only when and what is lost."""

    def __init__(self, now_s: float) -> None:
        self.misses = 0
        self._failures = 0
        # Since when no answer was of use; None while there is nothing to complain of. Time in which we did not
        # ask (a full hub) counts against nobody.
        self._useless_since_s: float | None = now_s
        self._ready_since_s: float | None = None
        self._trouble: tuple[Loss, str] | None = None
        self._told: set[Loss] = set()

    @property
    def is_silent(self) -> bool:
        """True while its last command has not been answered: others go first."""
        return self.misses > 0

    def asked(self, now_s: float) -> None:
        """Something was sent to it."""
        if self._useless_since_s is None:
            self._useless_since_s = now_s

    def was_useful(self) -> None:
        """It is ready, and has answered."""
        self.misses = 0
        self._useless_since_s = None
        self._trouble = None

    def became_ready(self, now_s: float) -> None:
        """Its set-up is complete."""
        self.was_useful()
        self._ready_since_s = now_s
        self._told.clear()

    def answered(self) -> None:
        """It is there, but not (yet) of use."""
        self.misses = 0
        if self._trouble and self._trouble[0] in (Loss.SILENT, Loss.LINK):
            self._trouble = None

    def missed(self, asked_at_s: float, now_s: float) -> float:
        """A deadline passed; when to ask again."""
        self.misses += 1
        if self.misses < MISSES_BEFORE_PROBING:
            return asked_at_s + POLL_PERIOD_S
        self._trouble = (Loss.SILENT, f"no answer to {self.misses} copies: check cable, address, speed, power")
        return now_s + PROBE_WAITS_S[min(self.misses - MISSES_BEFORE_PROBING, len(PROBE_WAITS_S) - 1)]

    def is_troubled(self, loss: Loss, text: str) -> None:
        """It answers, but to no use (busy, nonsense)."""
        self._trouble = (loss, text)

    def link_went(self, text: str, now_s: float) -> None:
        """Its cable is gone; who is off-line already is not told so again for that."""
        self.asked(now_s)  # we would
        if not self._told:
            self._trouble = (Loss.LINK, text)

    def failed(self, loss: Loss, text: str, now_s: float) -> float:
        """Its session has to be made anew; when to begin: at once the first time, then later and later."""
        self._no_longer_ready(now_s)
        self._trouble = (loss, text)
        wait_s = CHANNEL_WAITS_S[min(self._failures, len(CHANNEL_WAITS_S) - 1)]
        self._failures += 1
        return now_s + (WRONG_DEVICE_WAIT_S if loss is Loss.WRONG_DEVICE else wait_s)

    def watch_at(self) -> float | None:
        """When the eight seconds will be over, if they run; None where nothing is to be told."""
        if self._trouble is None or self._trouble[0] in self._told or self._useless_since_s is None:
            return None
        return self._useless_since_s + OFF_LINE_AFTER_S

    def silent_s(self, now_s: float) -> float:
        """For how long it has been asked without an answer of use."""
        return 0.0 if self._useless_since_s is None else now_s - self._useless_since_s

    def lost(self, now_s: float) -> tuple[Loss, str] | None:
        """What is to be told now, once for each reason until it is ready again."""
        watch_at = self.watch_at()
        if watch_at is None or self._trouble is None:
            return None
        loss = self._trouble[0]
        is_definite = loss is Loss.WRONG_DEVICE or (loss in _DEFINITE and self._failures >= _DEFINITE_FAILURES)
        if not is_definite and now_s < watch_at:
            return None
        self._told.add(loss)
        self._no_longer_ready(now_s)
        return self._trouble

    def _no_longer_ready(self, now_s: float) -> None:
        if self._ready_since_s is not None and now_s - self._ready_since_s >= OFF_LINE_AFTER_S:
            self._failures = 0  # it had held: what comes is a new trouble, not the same one going on
        self._ready_since_s = None
