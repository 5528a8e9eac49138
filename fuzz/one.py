"""The process of one target: `python -m fuzz.one NAME [what libFuzzer takes …]`. It does not return."""

from __future__ import annotations

import sys

import atheris

if __name__ == "__main__":
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["firmware_bridge"], enable_loader_override=False):
        from fuzz.targets import TARGETS

    atheris.Setup(sys.argv, TARGETS[name].oracle.check)
    atheris.Fuzz()
