"""One TOML file read as far as it goes: its values, where they stand, and every fault of its grammar."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tableside.configuration.locate import KeyPath, Position, locate, nearest_position
from tableside.configuration.mistake import Finding, Mistake, key_text

BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
# One slip can make the lines behind it look wrong too; after some, more would be guesses.
MAX_GRAMMAR_FAULTS = 5
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(slots=True)
class Source:
    """A file as read. `data` is empty where the grammar left nothing to go on."""

    path: Path
    data: dict[str, object] = field(default_factory=dict)
    positions: dict[KeyPath, Position] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    is_whole: bool = True  # False: keys may be absent only because their line could not be read

    def place(self, findings: Iterable[Finding]) -> list[Mistake]:
        """Findings with the place of their key in this file."""
        return [self._placed(finding) for finding in findings]

    def refuse(self, position: Position, problem: str, allowed: str = "", key: str = "") -> None:
        """Note a fault of the file itself."""
        self.mistakes.append(
            Mistake(
                file=self.path, line=position.line, column=position.column, key=key, problem=problem, allowed=allowed
            )
        )

    def _placed(self, finding: Finding) -> Mistake:
        line, column = nearest_position(self.positions, finding.path)
        return Mistake(
            file=self.path,
            line=line,
            column=column,
            key=key_text(finding.path),
            problem=finding.problem,
            allowed=finding.allowed,
            nearest=finding.nearest,
            severity=finding.severity,
        )


def read_source(path: Path) -> Source:
    """Read `path`; whatever is wrong stands in `mistakes`, nothing is raised."""
    source = Source(path)
    try:
        raw = path.read_bytes()
    except OSError as problem:
        source.refuse(Position(1, 1), f"cannot be read: {problem.strerror}", "a TOML file that the daemon may read")
        return source
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = raw[: problem.start].decode("utf-8")
        place = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
        source.refuse(place, f"byte {raw[problem.start]:#04x} is no UTF-8", "a text saved as UTF-8")
        return source
    if text.startswith(BYTE_ORDER_MARK):
        source.refuse(Position(1, 1), "the file begins with a byte-order mark", "UTF-8 without one")
        text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        source.refuse(Position(1, 1), "the file is empty", "[host] … or [table] …")
        return source
    _parse(source, text)
    return source


def _parse(source: Source, text: str) -> None:
    """Parse; at a fault note it, blank its line and try again, so that one run shows the next fault too."""
    lines = text.replace("\r\n", "\n").split("\n")
    for _ in range(MAX_GRAMMAR_FAULTS):
        try:
            source.data = tomllib.loads("\n".join(lines))
        except tomllib.TOMLDecodeError as problem:
            source.is_whole = False
            line = _note(source, str(problem), lines)
            if lines[line - 1].lstrip().startswith("[") or not lines[line - 1].strip():
                return  # a lost heading would put the keys below it in a wrong table
            lines[line - 1] = ""
        else:
            source.positions = locate("\n".join(lines))
            return


def _note(source: Source, problem: str, lines: list[str]) -> int:
    """Note one fault of the grammar; its line."""
    place = _PLACE.search(problem)
    at_end = Position(len(lines), len(lines[-1]) + 1)
    position = Position(int(place[1]), int(place[2])) if place and place[1] else at_end
    key = lines[position.line - 1].partition("=")[0].strip().strip("[]")
    words = _PLACE.sub("", problem)
    source.refuse(
        position, f"not TOML: {words[:1].lower()}{words[1:]}", "key = value, [table] or [[list of tables]]", key
    )
    return position.line
