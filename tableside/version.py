"""The version of the running code: it stands in every start's row of the journal."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("tableside")
except PackageNotFoundError:  # run from a checkout that is not installed
    VERSION = "unreleased"
