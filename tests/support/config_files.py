"""A sound host's and table's file, written to a folder with whatever a test breaks in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOST = """\
[host]
name = "pit-1"
profile = "lab"
tables = ["table.toml"]
journal_directory = "run"
reserve_directory = "reserve"
control_socket = "control.sock"
time_zone = "Europe/Lisbon"
has_pit_manager = true
room_management = ["R-1"]

[[sections]]
name = "A"
floor_supervisors = ["S-1"]
neighbour = "B"

[[sections]]
name = "B"

[[staff]]
staff_id = "S-1"
name = "Supervisor"
roles = ["floor supervisor"]
badge = "26:00000140"

[[staff]]
staff_id = "R-1"
name = "Manager"
roles = ["room management", "pit manager"]
badge = "26:00000240"
"""

TABLE = """\
[table]
name = "BJ-1"
section = "A"
jurisdiction = "pt"
languages = ["en", "pt_PT"]
seats = 7

[[decks]]
back = "red"
count = 3

[[decks]]
back = "blue"
count = 3

[[devices]]
name = "shuffler"
role = "shuffler"
driver = "tdl-continuous-shuffler"
address = "serial:///dev/serial/by-id/shuffler?baud=115200"
serial_number = "000123"
model = "CSM"
capacity_cards = 380

[[devices]]
name = "switches"
role = "switch_box"
driver = "tdl-switch-box"
address = "usb://1234:abcd/000777"
serial_number = "000777"
model = "BOX"

[[devices]]
name = "badges"
role = "badge_reader"
driver = "osdp-badge-reader"
address = "serial:///dev/serial/by-id/badges?baud=9600"
serial_number = "901"
model = "PD"
osdp_address = 1

[[staff]]
staff_id = "D-1"
name = "Dealer"
roles = ["dealer"]
badge = "26:00000340"

[settings]
presence_s = 60
presence_approved_by = "Inspection"
presence_approved_on = 2026-01-15
packet_limit_cards = 104

[alerts]
class_1_neighbour_s = 30
class_1_management_s = 120
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """In file `file` ("host" or "table"), the first `old` becomes `new`; an empty `old` appends."""

    file: str
    old: str
    new: str


def write_config(folder: Path, *edits: Edit) -> Path:
    """Both files in `folder`, edited; the host's path. An edit that finds nothing is a mistake of the test."""
    texts = {"host": HOST, "table": TABLE}
    for edit in edits:
        assert edit.old in texts[edit.file], edit
        text = texts[edit.file]
        texts[edit.file] = text.replace(edit.old, edit.new, 1) if edit.old else text + edit.new
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder / "host.toml"
