"""The dealer of a baccarat table: loads the shoe, burns, deals game after game as the shoe's lamp says."""

from __future__ import annotations

from typing import ClassVar

from .people import Person
from .world.table import CABINET

# People's times, in seconds; baccarat has some 60 to 70 games an hour.
CARD_S = (1.0, 2.5)
SQUEEZE_S = (4.0, 12.0)
SETTLE_S = (8.0, 20.0)
SHUFFLE_S = (60.0, 120.0)
# Two cards each, and at most one more each; a shoe that wants more is wrong.
MOST_DRAWS = 6


class BaccaratDealer(Person):
    """Knows what lies open and what the shoe's lamp shows, no more."""

    skills: ClassVar[dict[str, str]] = Person.skills | {
        "load the shoe": "load_shoe",
        "deal games": "deal_games",
        "deal a game": "deal_game",
        "draw a card": "draw",
    }

    async def load_shoe(self, source: str = CABINET, burn: int = 1, cut_from_end: int = 50) -> None:
        """Shuffle, cut, load and burn."""
        await self.dawdle(*SHUFFLE_S)
        await self.do("load-shoe", source=source, cut_from_end=cut_from_end)
        await self.dawdle(*CARD_S)
        await self.do("burn", cards=burn)

    async def deal_games(self, games: int) -> None:
        """So many games, one after the other."""
        for _ in range(games):
            await self.deal_game()

    async def deal_game(self) -> None:
        """Cards until the lamp says that it is complete, then the result."""
        for _ in range(MOST_DRAWS):
            await self.dawdle(*CARD_S)
            if (await self.do("draw-from-shoe"))["is_complete"]:
                break
        await self.dawdle(*SQUEEZE_S)
        await self.do("at-shoe", act="end game")
        await self.dawdle(*SETTLE_S)

    async def draw(self) -> None:
        """One card."""
        await self.dawdle(*CARD_S)
        await self.do("draw-from-shoe")
