"""What people say of cards that are not as they should be (DECK-1 to DECK-12). `tableside.requests` has them all."""

from __future__ import annotations

from tableside.cards import Card
from tableside.games.defects import Defect, Where
from tableside.request_shapes import Request


class ReportDefect(Request, frozen=True, kw_only=True):
    """A card is not as it should be: what, where, at which seat (0: the bank's, or nobody's), and how far play was.

    `acted`: players who have acted since the deal; `has_owner_acted` on this card. `is_bet`: the first betting round is
    over. `is_mixed_in`: the card that would replace it is mixed with another's. `is_known`: somebody knew of it and
    tried to win. `is_unlooked`: its player had not looked at his cards.
    """

    defect: Defect
    where: Where
    card: Card | None = None
    seat: int = 0
    count: int = 1
    acted: int = 0
    has_owner_acted: bool = False
    is_bet: bool = False
    is_mixed_in: bool = False
    is_known: bool = False
    is_unlooked: bool = False


class ClaimExposed(Request, frozen=True, kw_only=True):
    """A player wants a ruling that his card of this finding is exposed; `has_looked` before he said so (DECK-9)."""

    finding: int
    has_looked: bool = False


class KeepMoney(Request, frozen=True, kw_only=True):
    """Money of this round stays on the table for the next deal; these seats were dealt in (DECK-8, DECK-12)."""

    seats: tuple[int, ...] = ()


class AwardMoney(Request, frozen=True, kw_only=True):
    """The money kept from that round goes to this seat (DECK-12)."""

    round: int
    seat: int


AnyDefectRequest = ReportDefect | ClaimExposed | KeepMoney | AwardMoney
