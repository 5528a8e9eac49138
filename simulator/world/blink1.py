"""A blink(1): what it shows, its pattern, and the watchdog that plays the pattern when nobody feeds it any more.

Everything is reckoned from the time at which one looks: nothing has to be woken.
"""

from __future__ import annotations

from dataclasses import dataclass

NS_PER_MS = 1_000_000
LINES = 32
Rgb = tuple[int, int, int]
DARK: Rgb = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Line:
    rgb: Rgb = DARK
    ms: int = 0


@dataclass(frozen=True, slots=True)
class _Playing:
    begins_ns: int
    start: int
    end: int
    count: int


@dataclass(frozen=True, slots=True)
class _Watch:
    due_ns: int
    start: int
    end: int


class Blink1:
    """One lamp. Its lines outlive nothing: without power they are gone (they were not saved)."""

    def __init__(self) -> None:
        self.is_powered = False
        self._forget()

    def _forget(self) -> None:
        self.lines = [Line() for _ in range(LINES)]
        self._from: tuple[Rgb, int] = (DARK, 0)  # a fade begins with this colour, at this time …
        self._to: tuple[Rgb, int] = (DARK, 0)  # … and has ended at this
        self._playing: _Playing | None = None
        self._watch: _Watch | None = None

    def power(self, *, is_on: bool) -> None:
        """Plugged in or out."""
        self.is_powered = is_on
        self._forget()

    @property
    def is_watched(self) -> bool:
        """Its watchdog is armed."""
        return self._watch is not None

    def is_untended(self, now_ns: int) -> bool:
        """Its watchdog has fired: it plays by itself."""
        return self._watch is not None and now_ns >= self._watch.due_ns

    # What a host does

    def fade(self, rgb: Rgb, ms: int, now_ns: int) -> None:
        """Go to a colour; what was played ends."""
        self._from = (self.visible(now_ns), now_ns)
        self._to = (rgb, now_ns + ms * NS_PER_MS)
        self._playing = None

    def play(self, start: int, end: int, count: int, now_ns: int) -> None:
        """Play lines."""
        self._playing = _Playing(now_ns, start, end, count)

    def stop(self, now_ns: int) -> None:
        """Stay at what is shown now."""
        self.fade(self.visible(now_ns), 0, now_ns)

    def watch(self, ms: int, start: int, end: int, now_ns: int) -> None:
        """Feed the watchdog: it fires `ms` from now."""
        if self.is_untended(now_ns):
            self.stop(now_ns)
        self._watch = _Watch(now_ns + ms * NS_PER_MS, start, end)

    def unwatch(self, now_ns: int) -> None:
        """Nobody watches any more."""
        if self.is_untended(now_ns):
            self.stop(now_ns)
        self._watch = None

    # What eyes see

    def visible(self, now_ns: int) -> Rgb:
        """The colour now."""
        if not self.is_powered:
            return DARK
        playing = self._playing
        watch = self._watch
        if watch is not None and now_ns >= watch.due_ns:
            playing = _Playing(watch.due_ns, watch.start, watch.end, 0)
        return self._faded(now_ns) if playing is None else self._played(playing, now_ns)

    def _faded(self, now_ns: int) -> Rgb:
        (before, begins_ns), (after, ends_ns) = self._from, self._to
        if now_ns >= ends_ns:
            return after
        share = (now_ns - begins_ns) / (ends_ns - begins_ns)
        red, green, blue = (round(old + (new - old) * share) for old, new in zip(before, after, strict=True))
        return red, green, blue

    def _played(self, playing: _Playing, now_ns: int) -> Rgb:
        """Each line is shown for its time; the real lamp also fades into it, which is left out here."""
        lines = self.lines[playing.start : playing.end] or self.lines
        whole_ms = sum(line.ms for line in lines)
        if whole_ms == 0:
            return lines[-1].rgb
        gone_ms = (now_ns - playing.begins_ns) // NS_PER_MS
        if playing.count and gone_ms >= playing.count * whole_ms:
            return lines[-1].rgb
        gone_ms %= whole_ms
        for line in lines:
            if gone_ms < line.ms:
                return line.rgb
            gone_ms -= line.ms
        return lines[-1].rgb
