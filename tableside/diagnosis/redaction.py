"""What leaves the house in a service file says nothing of who anybody is, which badge, which card, which key. Pure.

People become their role and a number that holds within one file; a badge, a PIN's hash, a card, what is sealed and
what stands between `//` and `@` of an address become a mark. Secrets of a file are known by their key and left out
whatever they hold: a new key of this kind must be added here, and the test of the bundle plants one of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tableside.control.curtain import A_CARD, FACE
from tableside.house import Person
from tableside.sealing import PREFIX

LEFT_OUT = "[left out]"
STATEMENT = (
    "people by role and number; badges, PIN hashes, keys, cards and what is sealed left out; traces as they were kept, "
    "without what proves a person or carries a key"
)
# Keys of files and rows whose value proves a person or opens something.
SECRET_KEYS = frozenset({"badge", "pin", "pin_hash", "pins", "code", "key", "sealed", "uid", "nonce", "second_way"})
# Free words that people typed: nobody knows what stands in them.
SPOKEN_KEYS = frozenset({"finding", "decision", "reference", "ruling", "envelope"})
PEOPLE_KEYS = frozenset({"staff", "persons"})
_BADGE = re.compile(r"\b\d{1,3}:[0-9A-F]{4,}\b")
_PIN_HASH = re.compile(r"scrypt\$\S+")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


class Redaction:
    """Of one file: the same person has the same name in all of its parts."""

    def __init__(self, persons: Iterable[Person]) -> None:
        self._names: dict[str, str] = {}
        numbers: dict[str, int] = {}
        for person in persons:
            if person.staff in self._names:
                continue
            role = str(person.roles[0]) if person.roles else "person"
            numbers[role] = numbers.get(role, 0) + 1
            for known in (person.staff, person.name):
                self._names[known] = f"{role} {numbers[role]}"
        every = sorted((re.escape(name) for name in self._names if name), key=len, reverse=True)
        self._person = re.compile(rf"(?<!\w)(?:{'|'.join(every)})(?!\w)") if every else None

    def of(self, value: object, key: str = "") -> object:
        """A JSON value with nothing in it that must not leave."""
        if key in SECRET_KEYS and value not in (None, "", [], {}):
            return LEFT_OUT
        if key in PEOPLE_KEYS and not isinstance(value, str):
            return f"{len(value)} people" if isinstance(value, list | tuple) else LEFT_OUT
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.of(item, str(name)) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, key) for item in value]
        if isinstance(value, str):
            return LEFT_OUT if key in SPOKEN_KEYS and value else self.text(value)
        return value

    def text(self, text: str) -> str:
        """A sentence or a name."""
        if text.startswith(PREFIX):
            return LEFT_OUT
        if self._person is not None:
            text = self._person.sub(lambda found: self._names[found[0]], text)
        for pattern in (_PIN_HASH, _BADGE, _USERINFO):
            text = pattern.sub(LEFT_OUT, text)
        return FACE.sub(A_CARD, text)
