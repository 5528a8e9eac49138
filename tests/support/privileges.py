"""Tests that must be refused by the operating system, also where the suite runs as root."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

NOBODY = 65_534


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """For the length of a test this process has no rights but those of everybody."""
    if os.geteuid() != 0:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)
