"""The last line of a test run: which peers and rigs took part, and why the others did not.

Where `NOTHING_SKIPPED` stands in the environment, as in CI, a peer that did not take part makes the run fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

# Marks of tests that need something which may be absent.
OUTSIDE = ("peer", "rig")
# Set by `.ci/run`: a green run there has tried every peer.
NOTHING_SKIPPED = "TABLESIDE_NOTHING_SKIPPED"
# What a machine of CI need not have: a device on its desk, and a systemd that Debian 12 does not bring.
_MAY_BE_ABSENT = "no udevadm that verifies"
_SKIP_PREFIX = "Skipped: "


def is_outside(report: pytest.TestReport | pytest.CollectReport) -> bool:
    """Whether a report is of a test that needs a peer or a rig; a module that skips itself has only its path."""
    keywords = getattr(report, "keywords", {})
    return any(mark in keywords for mark in OUTSIDE) or report.nodeid.startswith("tests/peers/")


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, in the words of whoever skipped it."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix(_SKIP_PREFIX)


def missed(skipped: Iterable[pytest.TestReport | pytest.CollectReport]) -> list[str]:
    """The peers' tests that were skipped and may not be where nothing may: each with its reason, in order."""
    return sorted(
        f"{report.nodeid}: {skip_reason(report)}"
        for report in skipped
        if is_outside(report)
        and "rig" not in getattr(report, "keywords", {})
        and not skip_reason(report).startswith(_MAY_BE_ABSENT)
    )


def last_line(
    ran: Iterable[pytest.TestReport | pytest.CollectReport], skipped: Iterable[pytest.TestReport | pytest.CollectReport]
) -> str:
    """`peers and rigs: 4 ran, 3 skipped: no C compiler (2), mosquitto is not installed (1)`."""
    done = sum(is_outside(report) for report in ran)
    reasons = Counter(skip_reason(report) for report in skipped if is_outside(report))
    if not done and not reasons:
        return "peers and rigs: none in this selection"
    # By count, then by words: the line does not depend on the order of the tests.
    told = [f"{reason} ({count})" for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))]
    line = f"peers and rigs: {done} ran, {reasons.total()} skipped"
    return f"{line}: {', '.join(told)}" if told else line
