"""One connection to an ALPHA sign."""

from firmware_bridge.session.alpha.session import AlphaSession, Refused

__all__ = ["AlphaSession", "Refused"]
