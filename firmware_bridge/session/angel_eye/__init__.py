"""One connection to an Angel Eye shoe."""

from firmware_bridge.session.angel_eye.session import Answer, ReadOnly, Said, ShoeSession, Unreadable

__all__ = ["Answer", "ReadOnly", "Said", "ShoeSession", "Unreadable"]
