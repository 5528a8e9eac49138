"""Sizes of reports from report descriptors: the boot keyboard of HID 1.11 appendix E.6, and numbered ones."""

from __future__ import annotations

import pytest

from firmware_bridge.links.usb_hid import BadReports, ReportKind, report_descriptor_bytes, report_sizes

# HID 1.11 appendix E.6: 8 bytes in, 1 byte out.
BOOT_KEYBOARD = bytes.fromhex(
    "05010906a101050719e029e71500250175019508810295017508810195057501050819012905910295017503910195067508"
    "1500256505071900296581 00c0".replace(" ", "")
)
# The sizes of a MagTek swipe reader (manual 99875206): one input report of 337 bytes, a feature report of 24.
SWIPE = bytes.fromhex("0600ff0901a10109201500" + "26ff007508" + "9651018102" + "09219518b102" + "c0")
NUMBERED = bytes.fromhex("a101850175089507810285027508950fb102c0")


def test_the_boot_keyboard() -> None:
    sizes = report_sizes(BOOT_KEYBOARD)
    assert (sizes.of(ReportKind.INPUT, 0), sizes.of(ReportKind.OUTPUT, 0), sizes.is_numbered) == (8, 1, False)
    assert sizes.of(ReportKind.FEATURE, 0) is None


def test_numbered_reports_count_their_number() -> None:
    sizes = report_sizes(NUMBERED)
    assert sizes.is_numbered
    assert (sizes.of(ReportKind.INPUT, 1), sizes.of(ReportKind.FEATURE, 2)) == (8, 16)
    assert sizes.largest(ReportKind.INPUT) == 8


def test_a_swipe_readers_large_report() -> None:
    assert report_sizes(SWIPE).largest(ReportKind.INPUT) == 337
    assert report_sizes(SWIPE).largest(ReportKind.FEATURE) == 24


@pytest.mark.parametrize("text", ["26ff", "b4", "75ff96ffff8102"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(BadReports):
        report_sizes(bytes.fromhex(text))


def test_the_length_stands_in_the_interfaces_own_descriptor() -> None:
    assert report_descriptor_bytes(bytes.fromhex("092111010001223f00")) == 0x3F
    assert report_descriptor_bytes(bytes.fromhex("0524001001")) is None
