"""With what every command ends (docs/howto/exit-codes.md); numbers from sysexits(3) where it has one."""

from __future__ import annotations

from collections.abc import Mapping
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


# For the help of the command line.
MEANINGS: Mapping[ExitCode, str] = {
    ExitCode.DONE: "The work is done.",
    ExitCode.FOUND: "The work is done, and something is wrong.",
    ExitCode.USAGE: "The command line cannot be understood.",
    ExitCode.DATA: "A file is not what it should be.",
    ExitCode.NO_INPUT: "A file is not there.",
    ExitCode.NO_DAEMON: "No daemon answers at the control socket.",
    ExitCode.SOFTWARE: "A fault of this program; --debug shows where.",
    ExitCode.CANNOT_CREATE: "Journals, keys or the control socket cannot be made.",
    ExitCode.HELD: "Another process holds it.",
    ExitCode.NO_PERMISSION: "This account may not.",
    ExitCode.CONFIG: "The configuration cannot be used.",
    ExitCode.REFUSED: "A rule of the house forbids it now; the text says which, and what to do.",
    ExitCode.OUTCOME_UNKNOWN: "Nobody knows whether it was done: ask again with the same --id.",
    ExitCode.NO_DEVICE: "There is no such device, or it is not connected.",
    ExitCode.TIMEOUT: "No answer came in time.",
    ExitCode.INTERRUPTED: "Ended by Ctrl-C.",
}
