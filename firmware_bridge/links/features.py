"""Links to devices that are set and read by HID feature reports, beside whatever else they carry."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class FeatureReports(Protocol):
    """One report at a time, in turn with what is written. Raises `LinkClosed`; `LinkRefused` where there are none."""

    async def set_feature(self, data: bytes) -> None:
        """Set a feature report, its number first where the device numbers them."""

    async def feature(self, report: int) -> bytes:
        """Read one, its number included where the device numbers them."""
