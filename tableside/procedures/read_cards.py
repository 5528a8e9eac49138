"""A card that a reader has told of, as the table knows it until its round is over."""

from __future__ import annotations

import msgspec

from tableside.decisions import SealedCard


class ReadCard(msgspec.Struct, frozen=True, kw_only=True):
    """`place`: where it lies or went, in words; `back`: its colour where the reader tells that.

    `is_face_up`: somebody said so. `card`: what it is, once it was opened; empty before, and where the key is gone.
    """

    device: str
    place: str
    sealed: str
    back: str = ""
    is_face_up: bool = False
    card: str = ""

    @property
    def as_sealed(self) -> SealedCard:
        """As the rim is asked to open it."""
        return SealedCard(device=self.device, place=self.place, sealed=self.sealed)
