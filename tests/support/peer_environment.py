"""Virtual environments for peers that may not share ours: made once under `.venv-peers/`, used by all later runs."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PLACE = Path(__file__).parents[2] / ".venv-peers"
# A small wheel takes seconds; a registry that does not answer shall not hold the suite up.
_MAKE_LIMIT_S = 60
_INSTALL_LIMIT_S = 90


def peer_python(requirement: str) -> Path:
    """The interpreter of an environment that holds exactly one pinned requirement (`name==version`).

    Skips the test with the reason where the requirement cannot be had.
    """
    place = _PLACE / requirement.replace("==", "-")
    python = place / "bin" / "python"
    done = place / ".installed"
    with _locked(requirement):
        if not done.exists():
            _run([sys.executable, "-m", "venv", str(place)], _MAKE_LIMIT_S, requirement)
            _run([str(python), "-m", "pip", "install", "--quiet", requirement], _INSTALL_LIMIT_S, requirement)
            done.touch()
    return python


def peer_node(requirement: str) -> Path:
    """The folder of a Node environment that holds one pinned requirement (`name@version`); skips as `peer_python`."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed (Debian: apt-get install nodejs npm)")
    place = _PLACE / requirement.replace("/", "-").lstrip("@")
    done = place / ".installed"
    with _locked(place.name):
        if not done.exists():
            place.mkdir(exist_ok=True)
            options = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--prefix", str(place))
            _run(["npm", "install", *options, requirement], _INSTALL_LIMIT_S, requirement)
            done.touch()
    return place


@contextmanager
def _locked(requirement: str) -> Iterator[None]:
    """Two runs at once make it once."""
    _PLACE.mkdir(exist_ok=True)
    with (_PLACE / f"{requirement}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: list[str], limit_s: int, requirement: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{requirement} could not be installed: no answer within {limit_s} s")
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        pytest.skip(f"{requirement} could not be installed: {lines[-1] if lines else 'no reason given'}")
