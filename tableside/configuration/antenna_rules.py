"""What the antennas of a table must keep: a place each, and a register that says what each tag is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drivers.readers.tag_register import RegisterRefused, read_register
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import MISSING, Finding
from tableside.configuration.table_rules import repeated

ALLOWED = "a file with a line for each tag: its number, card or chip, and which"
# In turn, a dozen still look several times a second each (docs/protocols/pn532.md §5); each seat has two, the bank two.
MOST_ANTENNAS = 16


def antenna_findings(file: Draft, folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with antennas and their register."""
    antennas = [device for device in file.parts("devices") if device.text("role") == "antenna"]
    for antenna in antennas:
        if not antenna.has("place"):
            yield Finding(antenna.at("place"), MISSING, "what the table calls the spot above it, such as seat 3")
    for antenna, place in repeated(antennas, "place"):
        yield Finding(antenna.at("place"), f'"{place}" is the place of another antenna', "each place once")
    table = file.part("table")
    name = table.text("tag_register")
    if name is None:
        if antennas:
            yield Finding(table.at("tag_register"), MISSING, ALLOWED)
        return
    try:
        read_register(folder / name)
    except OSError as problem:
        yield Finding(table.at("tag_register"), f"{folder / name}: {problem.strerror}", ALLOWED)
    except RegisterRefused as refused:
        yield Finding(table.at("tag_register"), f"{name}: {refused}", ALLOWED)
