"""The forms of the page: how each field of an offered act is filled in. Data, made into JSON for the browser."""

from __future__ import annotations

from collections.abc import Mapping

from tableside import requests
from tableside.control.acts import act_name, fields_of
from tableside.games.defects import Defect, Where
from tableside.page.offered import OFFERED
from tableside.request_shapes import Request
from tableside.shoe_requests import CutCards

# How a field is filled in, by its name; another way for one act stands below. What is not here is a line of text.
ENTRIES: Mapping[str, str] = {
    "cards": "number",
    "packets": "number",
    "moved": "number",
    "round": "number",
    "numbers": "numbers",
    "seats": "seats",
    "seat": "seat",
    "occupied": "seats",
    "counts": "counts",
    "card": "card",
    "defect": "choice",
    "where": "choice",
    "count": "number",
    "acted": "number",
    "has_owner_acted": "yes",
    "is_bet": "yes",
    "is_mixed_in": "yes",
    "is_known": "yes",
    "is_unlooked": "yes",
    "has_looked": "yes",
    "out": "counts",
    "damaged": "card",
    "replacement": "card",
    "dealer": "dealer",
    "technician": "technician",
    "back": "back",
    "groups": "groups",
    "is_origin_unknown": "yes",
    "is_against": "yes",
    "is_against_reader": "yes",
    "chip": "choice",
    "now": "choice",
    "found_in": "choice",
    "place": "choice",
    "ruling": "choice",
}
ENTRY_OF: Mapping[tuple[type[Request], str], str] = {
    (requests.ClaimJackpot, "cards"): "faces",
    (CutCards, "seat"): "cutter",
}
# The words of a field that takes one of a few; each is a word of the page.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "now": ("table", "tray", "damaged", "back in"),
    "chip": ("no main bet", "second chip", "another value", "late"),
    "found_in": ("table", "tray"),
    "place": ("machine", "table", "aside", "tray", "hopper"),
    "ruling": ("goes on", "finished elsewhere", "void"),
    "defect": tuple(defect.value for defect in Defect),
    "where": tuple(where.value for where in Where),
}


def forms() -> dict[str, list[dict[str, object]]]:
    """Act → its fields in order: name, way of entry, whether it must be filled in, choices."""
    return {act_name(kind): [_field(kind, *each) for each in _fields(kind)] for kind in OFFERED}


def _fields(kind: type[Request]) -> list[tuple[str, bool]]:
    return [(field.name, field.required) for field in fields_of(kind)]


def _field(kind: type[Request], name: str, is_needed: bool) -> dict[str, object]:
    entry = ENTRY_OF.get((kind, name)) or ENTRIES.get(name, "text")
    return {"name": name, "entry": entry, "is_needed": is_needed, "choices": list(CHOICES.get(name, ()))}
