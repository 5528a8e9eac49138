"""Where keys stand: compared with what `tomllib` reads, on written and on generated texts."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableside.configuration.locate import KeyPath, Position, locate, nearest_position

TEXT = '''\
# a comment with [brackets] and key = value
top = 1
"quoted key" = 'x' # = [no]
a.b.'c d' = true

[table]
\tindented = """
[not.a.table]
no = "key" ""\\" """
literal = \'\'\'it''s
[[no]]\'\'\'
empty = ""

[[devices]]
name = "one"
tags = [ "x", # ] not the end
  "y, z",
  [ 1, { deep = 2, 'er' = [3] } ],
]
[devices.line]
speed = 1979-05-27T07:32:00Z

[[devices]]
name = "two"
[[devices.ports]]
pin = 4
[[devices.ports]]
pin = 5
inline = { x = 1, y.z = "}" }
'''


def paths_of(value: object, path: KeyPath = ()) -> set[KeyPath]:
    """Every path into what tomllib read."""
    found: set[KeyPath] = {path} if path else set()
    if isinstance(value, dict):
        for key, item in value.items():
            found |= paths_of(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found |= paths_of(item, (*path, index))
    return found


def test_every_path_that_tomllib_reads_has_a_place_and_no_other_has() -> None:
    assert set(locate(TEXT)) == paths_of(tomllib.loads(TEXT))


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("top",), 2, 1),
        (("quoted key",), 3, 1),
        (("a", "b", "c d"), 4, 5),
        (("table",), 6, 2),
        (("table", "indented"), 7, 2),
        (("table", "empty"), 12, 1),
        (("devices", 0), 14, 3),
        (("devices", 0, "tags", 1), 17, 3),
        (("devices", 0, "tags", 2, 1, "er"), 18, 20),
        (("devices", 0, "line", "speed"), 21, 1),
        (("devices", 1, "ports", 1, "pin"), 28, 1),
        (("devices", 1, "ports", 1, "inline", "y", "z"), 29, 21),
    ],
)
def test_places_are_those_that_an_editor_shows(path: KeyPath, line: int, column: int) -> None:
    assert locate(TEXT)[path] == Position(line, column)


def test_what_is_not_written_down_is_shown_at_the_table_around_it() -> None:
    positions = locate(TEXT)
    assert nearest_position(positions, ("devices", 1, "address")) == positions[("devices", 1)]
    assert nearest_position(positions, ("nowhere",)) == Position(1, 1)


def test_windows_line_ends_move_nothing() -> None:
    assert locate(TEXT.replace("\n", "\r\n")) == locate(TEXT)


KEYS = st.text("abcz-_9", min_size=1, max_size=4) | st.text(min_size=0, max_size=4)
STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)
SCALARS = st.booleans() | st.integers(-(2**31), 2**31) | STRINGS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


def basic(text: str) -> str:
    """A TOML basic string."""
    return '"' + "".join(c if c.isalnum() or c in " [].,=#{}'" else f"\\U{ord(c):08X}" for c in text) + '"'


def written(value: object) -> str:
    """A value as TOML, arrays over several lines, some strings in their other forms."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            if value.isprintable() and "'" not in value and len(value) % 2:
                return f"'''{value}'''"
            return basic(value)
        case list():
            return "[" + "".join(f"\n  {written(item)}, # ]" for item in value) + "\n]"
        case dict():
            return "{" + ", ".join(f"{basic(key)} = {written(item)}" for key, item in value.items()) + "}"
    raise TypeError(type(value))


@given(
    head=st.dictionaries(KEYS, VALUES, max_size=3),
    parts=st.lists(st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3),
)
def test_generated_texts_are_located_as_tomllib_reads_them(
    head: dict[str, object], parts: list[dict[str, object]]
) -> None:
    lines = [f"{basic(key)} = {written(value)}" for key, value in head.items() if key != "parts"]
    for part in parts:
        lines.append("[[parts]]")
        lines += [f"{basic(key)}\t=  {written(value)}" for key, value in part.items()]
    text = "\n".join(lines)
    positions = locate(text)
    assert set(positions) == paths_of(tomllib.loads(text))
    for path, (line, column) in positions.items():
        name = path[-1]
        if isinstance(name, str) and path != ("parts",):
            assert text.split("\n")[line - 1][column - 1 :].startswith(basic(name))
