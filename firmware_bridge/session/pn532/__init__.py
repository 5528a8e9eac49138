"""One connection to a PN532 with its antenna."""

from firmware_bridge.session.pn532.session import Missed, Pn532Session

__all__ = ["Missed", "Pn532Session"]
