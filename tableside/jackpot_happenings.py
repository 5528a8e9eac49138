"""What happens to jackpot bets before the first card, and to a hit that is shown. Rows of the journal."""

from __future__ import annotations

from drivers.events import Shown
from tableside.happenings import Happening


class BetsClosed(Happening, frozen=True, kw_only=True):
    """Somebody said *no more bets*, or a card came out: no jackpot chip counts from here on (JP-11)."""


class ChipBet(Happening, frozen=True, kw_only=True):
    """So many chips went in at a seat, each worth `value` in the smallest unit of its currency (JP-10)."""

    device: str
    seat: int
    chips: int
    value: int


class ChipsCollected(Happening, frozen=True, kw_only=True):
    """The slots were emptied into their box: so many chips, and so many that had been told (JP-3, JP-11)."""

    device: str
    chips: int
    told: int


class JackpotLocked(Happening, frozen=True, kw_only=True):
    """The bets of the next round stand: who takes part, by seat. Dealing may begin (JP-11)."""

    seats: tuple[int, ...]
    value: int
    currency: str


class ChipRefused(Happening, frozen=True, kw_only=True):
    """A chip at a seat is no bet, why and by which rule. `is_given_back`: else it lies in a slot or box still."""

    seat: int
    why: str
    rule: str
    is_given_back: bool
    by: str


class ChipsSettled(Happening, frozen=True, kw_only=True):
    """Somebody looked into the slots and said which seats have a bet."""

    seats: tuple[int, ...]
    finding: str
    by: str


class JackpotCalled(Happening, frozen=True, kw_only=True):
    """The displays shall say *pending* or *won* from here on, and did not before."""

    what: Shown
    by: str


class JackpotOver(Happening, frozen=True, kw_only=True):
    """They shall say something else than this word from here on."""

    what: Shown
    by: str


class JackpotStarted(Happening, frozen=True, kw_only=True):
    """A jackpot stands at its start, the first or after a top win (JP-7, JP-13), under approved settings (JP-2)."""

    shown: int
    currency: str
    approved_by: str
    approved_on: str


class JackpotRaised(Happening, frozen=True, kw_only=True):
    """The bets of these seats were counted: what it shows now, and all that was ever contributed (JP-3, JP-4)."""

    seats: tuple[int, ...]
    shown: int
    contributed: int


class JackpotSettingsGiven(Happening, frozen=True, kw_only=True):
    """Other settings were approved and given to the table: they count from the next jackpot on (JP-2)."""

    approved_by: str
    approved_on: str


class JackpotSent(Happening, frozen=True, kw_only=True):
    """The bets of these seats are on their way to the ledger, under an id that it counts once (JP-2)."""

    entry: str
    seats: tuple[int, ...]


class JackpotCounted(Happening, frozen=True, kw_only=True):
    """The ledger has counted that entry: what all tables show now."""

    entry: str
    shown: int


class JackpotOrdered(Happening, frozen=True, kw_only=True):
    """The ledger's word on a hit: the how manieth it is, the value locked for it, what is due to whom (JP-13)."""

    hit: str
    order: int
    value: int
    seats: tuple[int, ...]
    amounts: tuple[int, ...]


class LedgerWanted(Happening, frozen=True, kw_only=True):
    """The table's own jackpot was won, and its file names a ledger: the next one is the linked one."""


class LedgerWent(Happening, frozen=True, kw_only=True):
    """The ledger does not answer: no jackpot bets until it does."""

    why: str


class LedgerCame(Happening, frozen=True, kw_only=True):
    """It answers again: what it shows, and how many entries of this table it has still to be told."""

    shown: int
    outbox: int


class LedgerChanged(Happening, frozen=True, kw_only=True):
    """What guests may be shown of the linked jackpot is something else now."""


class JackpotClaimed(Happening, frozen=True, kw_only=True):
    """A seat has a winning combination; the value is locked as it was at the hit (JP-5, JP-12)."""

    seat: int
    cards: tuple[str, ...]
    prize: str
    value: int
    by: str


class JackpotPaid(Happening, frozen=True, kw_only=True):
    """The prizes were paid, in this order; what is left before a new start (JP-13)."""

    seats: tuple[int, ...]
    amounts: tuple[int, ...]
    left: int
    by: str


class JackpotDenied(Happening, frozen=True, kw_only=True):
    """What a seat claimed is no win, and why."""

    seat: int
    finding: str
    by: str
