"""CPU time of other processes, read from the kernel's clock of each: nobody is asked, nothing is disturbed."""

from __future__ import annotations

import time

_CPU_CLOCK_OF = 2  # Linux: the clock of a process' CPU time is its number, inverted, shifted by three, and this


def cpu_ns(process: int) -> int:
    """CPU time of a process, all its threads, in nanoseconds."""
    return time.clock_gettime_ns(~process << 3 | _CPU_CLOCK_OF)
