"""What a driver refuses when it is built; running drivers never raise, they report facts."""

from __future__ import annotations


class DriverUnknown(LookupError):
    """The configuration names a driver that does not exist: its text lists those that do, nearest first."""


class AddressRefused(ValueError):
    """The driver does not offer this kind of cable."""
