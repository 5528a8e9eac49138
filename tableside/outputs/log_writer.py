"""Lines to stderr from a thread of their own: a console that stands still, or a full pipe, must not hold the loop."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import suppress

# A storm of lines beyond this is thrown away, and counted.
MOST_WAITING = 1_000
# At the end of the process the thread may take so long for what waits.
LAST_LINES_S = 1.0


class LogWriter:
    """Use it as the sink of the log; `close` at the end."""

    def __init__(self, descriptor: int = 2) -> None:
        self.dropped = 0  # lines that found no room, over the life of the process; counted by the loop only
        self._told = 0  # of those, how many the log itself has told of; counted by the thread only
        self._descriptor = descriptor
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def __call__(self, line: bytes) -> None:
        """Hand a line over; never waits."""
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Write what waits, unless nobody takes it."""
        with suppress(queue.Full):
            self._lines.put(None, timeout=LAST_LINES_S)
            self._thread.join(LAST_LINES_S)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            self._tell_dropped()
            self._write(line)
        self._tell_dropped()

    def _tell_dropped(self) -> None:
        dropped = self.dropped - self._told
        if dropped:
            self._told += dropped
            self._write(b'{"level":"warning","part":"log","event":"log_dropped","lines":%d}\n' % dropped)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError:  # nobody reads any more, or the pipe was made non-blocking: the line is lost
                return
