"""What `diag status` must say at the end of `make run`: each device that the evening has, and that it is there.

Imports nothing of the product.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# How `diag status` ends (docs/cli.md): every device answers; one or more are away.
ALL_THERE, ONE_AWAY = 0, 81
# The page of a display is away as long as nobody has opened it; nobody has to.
NEED_NOT_BE_THERE = "page"


def configured(host: Path) -> dict[str, list[str]]:
    """Each table's devices by name, as the host's file and those that it names have them."""
    tables = {}
    for name in tomllib.loads(host.read_text("utf-8"))["host"]["tables"]:
        table = tomllib.loads((host.parent / name).read_text("utf-8"))
        tables[table["table"]["name"]] = [device["name"] for device in table["devices"]]
    return tables


def findings(wanted: Mapping[str, list[str]], told: Mapping[str, Any], text: str, code: int) -> list[str]:
    """What is not as it must be: of the answer in JSON, of the text as people read it, and of the exit code."""
    found = []
    away = []
    for table, names in wanted.items():
        devices = told["tables"].get(table, {}).get("devices", {})
        for name in names:
            if name not in devices:
                found.append(f"{table}: {name} is not in the answer")
            elif not devices[name]["is_connected"]:
                away.append((table, name))
            if name not in text:
                found.append(f"{table}: {name} is not in the text")
    found += [f"{table}: {name} is away" for table, name in away if name != NEED_NOT_BE_THERE]
    due = ONE_AWAY if away else ALL_THERE
    return found + ([f"diag status ended with {code} where {due} is due"] if code != due else [])


def check_status(root: Path, host: Path, control: Path) -> int:
    """Show `diag status`; returns 1, having said why, where it does not tell what the evening has."""
    command = [sys.executable, "-m", "tableside", "diag", "status", "--socket", str(control)]
    shown = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    print(shown.stdout, end="", flush=True)
    told = subprocess.run([*command, "--json"], cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    try:
        answer = json.loads(told.stdout)
        found = findings(configured(host), answer, shown.stdout, shown.returncode)
    except (ValueError, KeyError) as error:
        found = [f"its answer cannot be read: {error!r}"]
    for line in found:
        print(f"diag status is NOT as it must be: {line}", flush=True)
    return 1 if found else 0
