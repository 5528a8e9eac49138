"""What was found of cards that are not as they should be, and what became of it. Rows of the journal."""

from __future__ import annotations

from tableside.cards import Card
from tableside.happenings import Happening


class DefectFound(Happening, frozen=True, kw_only=True):
    """Finding `finding`: what, where, at which seat, by whom or what; its rule and ruling, and the advice that asks it.

    `told`: who was called for it (DECK-8), at this row's time; `advice` 0: no hand is being played, nobody decides.
    `dealt_in`: the seats of the round as far as they are known (DECK-12).
    """

    finding: int
    defect: str
    where: str
    card: Card | None
    seat: int
    count: int
    round: int
    found_by: str
    rule: str
    ruling: str
    advice: int
    told: tuple[str, ...]
    dealt_in: tuple[int, ...]


class ExposureClaimed(Happening, frozen=True, kw_only=True):
    """Somebody wants his card to count as exposed. Both times in UTC ns: of the exposure and of the claim (DECK-9)."""

    finding: int
    seat: int
    exposed_ns: int
    claimed_ns: int
    has_looked: bool
    ruling: str
    by: str


class MoneyKept(Happening, frozen=True, kw_only=True):
    """Money of this round lies there for the next deal: only these seats can win it (DECK-12)."""

    round: int
    seats: tuple[int, ...]
    by: str


class MoneyAwarded(Happening, frozen=True, kw_only=True):
    """It went to a seat that was dealt in then."""

    round: int
    seat: int
    by: str
