"""The file that tells digests: `AuthenticationResponse.xml`, made and read. Pure.

Its elements are those that a DeckMate 2 was seen to tell (Black Hat 2023): *Components* with *Game*, in it *Name*,
*Manufacturer* and one *Component* for each part of the firmware with *Name* and *Checksum*. What comes from a device is
not trusted: no declarations of types and entities, bounded depth, size and number.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.parsers.expat import ExpatError, ParserCreate

MAX_DEPTH = 8
MAX_COMPONENTS = 256
MAX_TEXT = 128
SHA1_HEX_DIGITS = 40
_HEX = frozenset("0123456789ABCDEF")


class BadDigests(ValueError):
    """It is no such file: says what is wrong."""


@dataclass(frozen=True, slots=True)
class Digests:
    """What a machine says of itself. `components`: name and digest of each part, hex in capitals, as it came."""

    maker: str
    model: str
    components: tuple[tuple[str, str], ...]


def read_digests(data: bytes) -> Digests:
    """The digests in such a file. Raises BadDigests."""
    reader = _Reader()
    parser = ParserCreate()
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse_declaration
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        raise BadDigests(f"no XML: {error}") from None
    return reader.digests()


def encode_digests(digests: Digests) -> bytes:
    """The file with these digests."""
    parts = "".join(
        f"<Component>\r\n<Name>{_escaped(name)}</Name>\r\n<Checksum>{digest}</Checksum>\r\n</Component>\r\n"
        for name, digest in digests.components
    )
    text = (
        "<?xml version='1.0'?>\r\n<Components GatExec='default'>\r\n<Game>\r\n"
        f"<Name>{_escaped(digests.model)}</Name>\r\n<Manufacturer>{_escaped(digests.maker)}</Manufacturer>\r\n"
        f"{parts}</Game>\r\n</Components>\r\n"
    )
    return text.encode("utf-8")


def _escaped(text: str) -> str:
    """As character data of XML. The library's own way loads an HTTP client with it, two megabytes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _Reader:
    def __init__(self) -> None:
        self._path: list[str] = []
        self._text = ""
        self._told: dict[str, str] = {}  # of the game
        self._part: dict[str, str] = {}  # of the component that is being read
        self._parts: list[tuple[str, str]] = []

    def begin(self, name: str, _attributes: object) -> None:
        self._path.append(name)
        self._text = ""
        if len(self._path) > MAX_DEPTH:
            raise BadDigests(f"elements lie deeper than {MAX_DEPTH}")

    def text(self, data: str) -> None:
        self._text += data
        if len(self._text) > MAX_TEXT:
            raise BadDigests(f"<{self._path[-1]}> has more than {MAX_TEXT} characters")

    def end(self, name: str) -> None:
        inside, value = self._path[-2:-1], self._text.strip()
        if name == "Component":
            self._component()
        elif inside == ["Component"]:
            self._part[name] = value
        elif inside == ["Game"]:
            self._told[name] = value
        self._path.pop()
        self._text = ""

    def refuse_declaration(self, *_what: object) -> None:
        raise BadDigests("it declares types of its own, which no such file needs")

    def digests(self) -> Digests:
        if not self._parts:
            raise BadDigests("it names no component")
        return Digests(self._told.get("Manufacturer", ""), self._told.get("Name", ""), tuple(self._parts))

    def _component(self) -> None:
        part, self._part = self._part, {}
        name, digest = part.get("Name", ""), part.get("Checksum", "").upper()
        if not name or name in dict(self._parts):
            raise BadDigests(f'component "{name}" is without a name, or told twice')
        if len(digest) != SHA1_HEX_DIGITS or not set(digest) <= _HEX:
            raise BadDigests(f'component "{name}" has no digest of {SHA1_HEX_DIGITS} hex digits')
        self._parts.append((name, digest))
        if len(self._parts) > MAX_COMPONENTS:
            raise BadDigests(f"it names more than {MAX_COMPONENTS} components")
