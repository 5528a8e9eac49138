"""What facts lose on their way into a table's queue, and how it comes back: badge numbers, keyed digits, cards.

The journal must hold none of them in the clear (semantics §5, §6). A PIN is entered at page or console; what is keyed
at a reader is counted, never kept.
"""

from __future__ import annotations

from collections import Counter
from typing import cast

from drivers.events import BadgeSeen, CodeKeyed, Fact
from tableside.badges import Badges
from tableside.decisions import CardsToOpen
from tableside.inputs import AnyInput, CardsOpened, OpenedCard
from tableside.sealing import Seal, is_card_told


class Rim:
    """Of one table. `badges` says whose badge a reader read, `seal` closes and opens identities of cards."""

    def __init__(self, badges: Badges, seal: Seal) -> None:
        self.codes_ignored: Counter[str] = Counter()  # by reader: keyed there, and nothing had asked for a code
        self._badges = badges
        self._seal = seal

    def kept(self, what: AnyInput | Fact) -> AnyInput | None:
        """The input as the journal may hold it; None: nothing of it."""
        if isinstance(what, BadgeSeen):
            return self._badges.sighted(what)
        if isinstance(what, CodeKeyed):
            self.codes_ignored[what.device] += 1
            return None
        if is_card_told(what):
            return self._seal.sealed(what)
        return cast(AnyInput, what)  # every other Fact is one of AnyFact

    def opened(self, decision: CardsToOpen) -> CardsOpened:
        """What these cards were."""
        cards = tuple(
            OpenedCard(device=one.device, place=one.place, card=self._seal.open(one.sealed) or "")
            for one in decision.cards
        )
        return CardsOpened(round=decision.round, cards=cards, is_face_up=decision.is_face_up)
