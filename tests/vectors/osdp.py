"""The golden bytes of OSDP, read from `osdp.json`; hex is written with or without blanks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
FRAMES: list[dict[str, Any]] = VECTORS["frames"]
SECURE_SESSION: dict[str, Any] = VECTORS["secure_session"]
ANNEX_E: dict[str, Any] = VECTORS["annex_e"]
MASTER_KEY: dict[str, Any] = VECTORS["master_key"]

ALL_BYTES: list[bytes] = [bytes.fromhex(f["bytes"]) for f in FRAMES] + [
    bytes.fromhex(text) for text in SECURE_SESSION["frames"]
]
