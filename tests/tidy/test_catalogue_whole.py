"""Every entry of the catalogue says where hands are needed, which ones, who clears it and when, in every language."""

from __future__ import annotations

from pathlib import Path

from tableside import catalogue as catalogue_module
from tableside.catalogue import AlertText, Standing, catalogue
from tableside.explained import fault_code, picture
from tableside.phrases import is_translated, phrases

PICTURES = Path(catalogue_module.__file__).parent / "pictures"
STANDING = (*catalogue().alert, *catalogue().fault)
# Such an alert latches, and the machine's own count clears it.
COUNTED = frozenset({"COUNT-DUE", "DEVICE-RESET", "READER-COUNT"})


def name_of(entry: Standing) -> str:
    return entry.id if isinstance(entry, AlertText) else fault_code(getattr(entry, "number", -1))


def test_where_hands_are_needed_is_said_and_each_movement_is_drawn() -> None:
    """An alert for which somebody must come names the place and has at least one drawing."""
    drawn = {path.name for path in PICTURES.iterdir()}
    for entry in STANDING:
        assert entry.where in catalogue().words["where"], (
            f"{name_of(entry)}: say with `where` at which place, of [words.where]"
        )
        assert {picture(hand) for hand in entry.hands} <= drawn, entry
        assert all(is_translated("hand", hand) for hand in entry.hands), entry
    for alert in catalogue().alert:
        if alert.class_.level == 1:
            assert alert.hands, f"{alert.id}: somebody must go: say with `hands` what the hand does first"
    assert drawn == {picture(hand) for hand in phrases()["hand"]}, "no drawing without words, no words without one"


def test_who_clears_agrees_with_whether_it_latches() -> None:
    for alert in catalogue().alert:
        assert bool(alert.cleared_by) is (alert.latched and alert.id not in COUNTED) or alert.id == "USB-STRANGE", (
            f"{alert.id}: `cleared_by` names who clears what latches, and nobody for what goes by itself"
        )


def test_every_condition_is_said_in_every_language() -> None:
    for entry in STANDING:
        assert is_translated("clears", entry.clears), f"phrases.toml lacks under [clears]: {entry.clears}"


# Entries that nobody has found a way yet to provoke at the simulated table. This number may only fall.
UNPROVOKED = 79


def test_ways_to_provoke_what_the_manual_tells_only_become_more() -> None:
    """Each that stands is played by `tests/scenarios/test_provocations.py`."""
    without = [name_of(entry) for entry in STANDING if not entry.provoke]
    assert len(without) <= UNPROVOKED, f"say with `provoke` how to make it happen: {without}"
