"""With what every command ends (docs/howto/exit-codes.md); numbers from sysexits(3) where it has one."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a script may branch on."""

    DONE = 0
    FOUND = 1  # the work was done, and something is wrong: a broken chain, a deviation
    USAGE = 64  # the command line itself
    DATA = 65  # a file that is not what it should be
    NO_INPUT = 66  # a file that is not there
    NO_DAEMON = 69  # no daemon answers
    SOFTWARE = 70  # a fault of ours
    CANNOT_CREATE = 73  # journal or control socket cannot be made
    HELD = 75  # another process holds it
    NO_PERMISSION = 77
    CONFIG = 78
    REFUSED = 79  # by a rule of the house; the text says which and what to do
    OUTCOME_UNKNOWN = 80  # asked, and nobody knows whether it was done: ask again with the same id
    NO_DEVICE = 81
    TIMEOUT = 82
    INTERRUPTED = 130  # Ctrl-C
