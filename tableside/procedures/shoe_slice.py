"""What stands of a baccarat shoe, and which card comes next by the book; the table of transitions is in `shoe`."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers.card_events import Target
from tableside.tables import Turn

# The order of punto banco: two cards each in turn, then the player's third and the banker's, either or none.
ORDER: tuple[tuple[Target, int], ...] = (
    (Target.PLAYER, 1),
    (Target.BANKER, 1),
    (Target.PLAYER, 2),
    (Target.BANKER, 2),
    (Target.PLAYER, 3),
    (Target.BANKER, 3),
)
FIRST = ORDER[0]
# Before these nothing need have come: a hand that stands draws no third card.
MAY_BE_SKIPPED = frozenset({(Target.PLAYER, 3)})
BURNT = frozenset({Target.BURN, Target.BURN_TELLING, Target.BURN_COUNT})
FEWEST_CARDS = 4  # of a game that ended by itself


class GameState(StrEnum):
    """What the shoe says of a game."""

    NONE = "no game"
    GAME = "game"


class ShoeSlice(msgspec.Struct, frozen=True):
    """`drawn` are the cards of this game in the order told; `is_forgotten`: the shoe was switched off in mid-game.

    `is_ending`: the cut card came. `errors` are the codes that stand. `came_ns`: since when its line stands.
    """

    state: GameState = GameState.NONE
    number: int = 0
    drawn: tuple[tuple[Target, int], ...] = ()
    burnt: int = 0
    is_locked: bool = False
    is_ending: bool = False
    is_forgotten: bool = False
    errors: tuple[int, ...] = ()
    came_ns: int = 0
    result: str = ""  # of the last game, in words


def of(turn: Turn) -> ShoeSlice:
    return turn.state.procedures.shoe


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, shoe=replace(procedures.shoe, **changes)))


def objection(drawn: tuple[tuple[Target, int], ...], card: tuple[Target, int]) -> str:
    """Why this is not the card that the book expects after those; empty: it is."""
    name = f"{card[0]} {card[1]}"
    if card not in ORDER:
        return f"{name} is no card of a game"
    if card in drawn:
        return f"{name} was told twice"
    place = ORDER.index(card)
    latest = max((ORDER.index(known) for known in drawn), default=-1)
    if place < latest:
        return f"{name} came late"
    missing = [ORDER[at] for at in range(latest + 1, place) if ORDER[at] not in MAY_BE_SKIPPED]
    if missing:
        return f"{name} came where {missing[0][0]} {missing[0][1]} was due"
    return ""
