"""Why a connection ended: one word to branch on, one sentence for the technician."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """The kinds of end that a session tells apart."""

    SILENT = "silent"  # not one byte came
    NO_FRAME = "no_frame"  # bytes, but none of them a frame: speed, parity, another protocol
    WRONG_DEVICE = "wrong_device"  # somebody else answers at this address
    WRONG_VERSION = "wrong_version"  # no version of the protocol in common
    OTHER_HOST = "other_host"  # the device serves another host
    UNANSWERED = "unanswered"  # no answer to the last copy of a request
    BUSY = "busy"  # *busy* to every copy of one request
    REBOOTED = "rebooted"  # the device shows another boot number
    NOISY = "noisy"  # more garbage than the budget allows
    STUCK = "stuck"  # the cable takes no more bytes
    NONSENSE = "nonsense"  # checked frames that say what the protocol forbids
    LINK_LOST = "link_lost"  # the cable itself ended


# Trying again soon cannot help: somebody must change the device or the configuration.
PERMANENT = frozenset({Ending.WRONG_DEVICE, Ending.WRONG_VERSION})


class SessionOver(ConnectionError):
    """The session has ended; another needs a new link. `ending` says why, the text what to do next."""

    def __init__(self, ending: Ending, text: str) -> None:
        super().__init__(text)
        self.ending = ending

    @property
    def is_permanent(self) -> bool:
        """True when trying again soon cannot help."""
        return self.ending in PERMANENT
