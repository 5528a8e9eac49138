"""What hands do with cards and chips that have a tag, above the antennas."""

from __future__ import annotations

from collections.abc import Mapping

from .deeds import Impossible, PersonDeed
from .room import Room
from .world.rf_field import Tag


class LayTag(PersonDeed, frozen=True, kw_only=True):
    """Lay a card or chip with this number (hex, as in the register) on an antenna, so far off its middle."""

    tag: str
    antenna: str
    off_mm: float = 0.0

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        antenna = room.rf.antennas.get(self.antenna)
        if antenna is None:
            raise Impossible(f"there is no antenna {self.antenna!r}; here are {', '.join(room.rf.antennas) or 'none'}")
        tag = Tag(_number(self.tag))
        room.stage.act(lambda: room.rf.lay(tag, antenna.at_mm + self.off_mm))
        return {}


class TakeTag(PersonDeed, frozen=True, kw_only=True):
    """Take a card or chip with this number away from wherever it lies."""

    tag: str

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many there were."""
        number = _number(self.tag)
        return {"count": int(room.stage.act(lambda: room.rf.take(number)))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return f"no tag {self.tag} lies here; there are {', '.join(room.rf.lying) or 'none'}"


def _number(text: str) -> bytes:
    """A tag's number. Raises `Impossible`."""
    if len(text) not in (8, 14, 20) or set(text) - set("0123456789ABCDEF"):
        raise Impossible(f"{text!r} is no tag's number: 8, 14 or 20 upper-case hex digits")
    return bytes.fromhex(text)
