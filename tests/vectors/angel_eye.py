"""The golden bytes of the Angel Eye shoe, read from `angel_eye.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TELEGRAMS: list[dict[str, str]] = VECTORS["telegrams"]
COMMANDS: list[dict[str, str]] = VECTORS["commands"]
STREAM: bytes = b"".join(bytes.fromhex(vector["bytes"]) for vector in TELEGRAMS)
