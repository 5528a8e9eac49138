"""What happens by chance: people who ask what they should not, hands too early and too late, faults, cuts, crashes.

Everything is drawn from one seeded source and from what stands at the table now; each act that is drawn is concrete.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from simulator.faults import CATALOGUE
from simulator.line import LineFault
from simulator.world.table import ASIDE, BANK, SPREAD, TRAY
from tableside.control.acts import ACTS, fields_of
from tableside.state import TableState
from tests.search.crew import Crew, is_idle
from tests.search.house import PINS, House
from tests.search.story import Act
from tests.search.words import BADGES, TWO_PINS, ask, hands, tap

STAFF = ("", *BADGES, "V-601", "nobody")
DEVICES = ("shuffler", "spare", "switches", "badges")
THENS_S = (0.0, 0.0, 0.01, 0.1, 0.4, 1.0, 3.0, 8.0, 25.0)
FELT = ("seat 1", "seat 2", "seat 7", BANK, TRAY, SPREAD, ASIDE)
KEYS = ("hold", "call", "no more bets", "done", "damaged card")
# Fields whose truth is known; a liar says something near it.
TRUE_CARDS = {"load-packet": "@hopper", "correct-packet": "@corrected", "cards-taken-out": "@taken",
              "counted-out": "@counted out"}  # fmt: skip
# What no honest house knows: sensors that lie, cards that go past them, numbers out of the air.
BLINDING = (
    "double feed", "double deal", "card put in by hand", "card taken out by hand", "card lost", "in-counter dusty",
    "out-counter dusty", "in-counter stuck", "out-counter stuck", "tray sensor dusty", "memory lost", "notices lost",
    "suspect card", "memory broken", "card torn out",
)  # fmt: skip
HONEST_FAULTS = tuple(
    name for name in CATALOGUE if name not in BLINDING and not name.startswith("cable:") and name != "power off"
)
ALL_FAULTS = tuple(name for name in CATALOGUE if not name.startswith("cable:") and name != "power off")

Draw = Callable[["Chance", TableState | None], Act]


class Chance:
    """Draws the next act."""

    def __init__(self, house: House, seed: int) -> None:
        self.house = house
        self.rng = random.Random(f"story {seed}")
        self.crew = Crew(house)
        # Each story has its own habits: which kinds of acts come often in it, and which not at all.
        weights = {draw: self.rng.choice((0, 1, 2, 5)) * usual for draw, usual in KINDS.items()}
        self.kinds = list(weights) if any(weights.values()) else list(KINDS)
        self.weights = [weights[kind] or 0.01 for kind in self.kinds]
        self.sense = self.rng.uniform(0.4, 0.9)

    def next(self) -> Act:
        """The next act."""
        state = self.house.state
        if self.rng.random() < self.sense:
            return self._hurried(self._sensible(state))
        (kind,) = self.rng.choices(self.kinds, self.weights)
        return self._hurried(kind(self, state))

    def _sensible(self, state: TableState | None) -> Act:
        act = self.crew.next() if state is not None else None
        if act is not None and act.does != "heal":
            return act
        return play(self, state)

    def _hurried(self, act: Act) -> Act:
        """Sometimes the next thing comes sooner or later than it should."""
        if self.rng.random() < 0.7 and act.then_s:
            return act
        return Act(act.does, act.with_, self.rng.choice(THENS_S))

    def some(self, things: Sequence[Any]) -> Any:
        """One of them."""
        return self.rng.choice(things)

    @property
    def is_honest(self) -> bool:
        return self.house.setting.is_honest


# --- play ------------------------------------------------------------------------------------------------------


def play(chance: Chance, state: TableState | None) -> Act:
    """The dealer deals, now and then more than a hand holds; sometimes closing is announced."""
    if state is not None and is_idle(state) and chance.rng.random() < 0.04:
        return ask("announce-closing", "D-101")
    return hands("draw", chance.some((0.05, 0.3, 0.7)), to=chance.some(("seat 1", "seat 2", "seat 3", BANK)))


def deal(chance: Chance, _state: TableState | None) -> Act:
    """A card more."""
    return hands("draw", 0.2, to=chance.some(FELT[:5]))


def lay(chance: Chance, _state: TableState | None) -> Act:
    """Cards laid elsewhere, into the hopper, or taken from it."""
    place, other, some = chance.some(FELT), chance.some(FELT), chance.some((0, 1, 2, 5))
    return chance.some(
        (
            hands("lay-in-hopper", source=place, cards=some),
            hands("take-from-hopper", to=place),
            hands("move", source=place, to=other, cards=some),
            hands("take-from-mouth", to=SPREAD),
            Act("gather"),
        )
    )


def press(chance: Chance, _state: TableState | None) -> Act:
    """A key of the dealer's panel."""
    return hands("press-key", key=chance.some(KEYS))


def tap_any(chance: Chance, _state: TableState | None) -> Act:
    """Somebody's badge, or one that nobody knows; tapped, held, taken away."""
    badge = chance.some((*BADGES.values(), "26:0BADBAD0", "32:12345678"))
    return hands(chance.some(("tap", "tap", "tap", "hold-badge", "take-badge-away")), badge=badge)


def lid(chance: Chance, _state: TableState | None) -> Act:
    """The lid, signed in for or not."""
    return chance.some(
        (
            hands("lift-lid"),
            hands("shut-lid"),
            ask("open-lid", "S-201"),
            tap("S-201"),
            Act("world", {"does": "provoke", "fault": "lid forced"}),
        )
    )


# --- words -----------------------------------------------------------------------------------------------------


def say_any(chance: Chance, state: TableState | None) -> Act:
    """Any request by anybody."""
    act = chance.some(tuple(ACTS))
    given: dict[str, Any] = {"act": act, "staff": chance.some(STAFF), "fields": fields_for(chance, act, state)}
    if chance.rng.random() < 0.15:
        given["pins"] = chance.some((TWO_PINS, PINS, {"S-201": "000000"}))
    if chance.rng.random() < 0.15:
        given["is_double"] = True
    elif chance.rng.random() < 0.1:
        given["is_left"] = True
    return Act("ask", given)


def say_again(chance: Chance, _state: TableState | None) -> Act:
    """An earlier request once more, the same id."""
    return Act("repeat", {"place": chance.rng.randrange(200)})


def fields_for(chance: Chance, act: str, state: TableState | None) -> dict[str, Any]:
    """Something for each field: mostly what could be meant."""
    fields = {field.name: value_for(chance, act, field.name, state) for field in fields_of(ACTS[act])}
    if act == "hand-count" and fields["place"] != "moon" and (chance.is_honest or chance.rng.random() < 0.5):
        fields["cards"] = f"@{fields['place']}"
    return fields


def value_for(chance: Chance, act: str, name: str, state: TableState | None) -> Any:
    """A value for one field of an act."""
    if name == "cards":
        return cards_for(chance, act)
    if name == "moved":
        return 0 if chance.is_honest else chance.some((0, 1, 3))
    return chance.some(VALUES.get(name, UNSURE))


def cards_for(chance: Chance, act: str) -> Any:
    """The truth, or a number out of the air where the house is not honest."""
    if chance.is_honest or chance.rng.random() < 0.5:
        return TRUE_CARDS.get(act, "@machine")
    return chance.some((0, 1, 2, 10, 52, 104))


UNSURE = (True, False)
PLACES = ("machine", "table", "tray", "hopper", "aside", "moon")
VALUES: dict[str, Sequence[Any]] = {
    "why": ("", "a guest asked", "spilt water"),
    "dealer": ("D-101", "D-102", "S-201", "nobody"),
    "packets": (0, 1, 2, 3, 4),
    "incident": ("@incident", 1, 2, 99),
    "ruling": ("goes on", "finished elsewhere", "void", "perhaps"),
    "round": (0, 1, 2, 99),
    "numbers": ((), (1,), (2, 99)),
    "reader": ("", "eye", "badges"),
    "staff": ("D-102", "nobody"),  # whose badge is enrolled or withdrawn: nobody of those who must put things right
    "text": ("", "miscounted"),
    "complaint": ("@complaint", 1, 2),
    "decision": ("the deal stands", ""),
    "now": ("table",),
    "work": ("guide straightened",),
    "technician": ("T-501", "S-201"),
    "device": (*DEVICES, "toaster"),
    "fault": (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14),
    "finding": ("nothing", ""),
    "damaged": ("7♣ red", "K♠ blue"),
    "replacement": ("7♣ red", "K♠ blue", "2♥ red"),
    "envelope": ("E-1", ""),
    "found_in": ("table", "tray"),
    "reference": ("report 1", ""),
    "place": PLACES,
    "command": (1, 2, 3, 4, 5),
    "groups": ("@sort",),
    "out": ([],),
    "authorised_by": ("A. Inspector", ""),
    "counts": ([],),
    "occupied": ([],),
    "seat": (0, 1, 9),
    "inspector": ("", "nobody"),
    "defect": ("duplicate", "joker", "missing card", "perhaps"),
    "where": ("in a hand", "in the stub", "in a count"),
    "card": ("7♣ red",),
    "count": (0, 1, 2),
    "acted": (0, 2),
    "spare": ("spare", "shuffler", "toaster"),
    "alert": ("@alert", 1, 2, 3, 50),
    "serial": ("000123", ""),
    "standing": ("in service", "out", "workshop", "ready"),
    "parts": ((), ("roller 12-B",)),
    "note": ("", "worn"),
    "number": (1, 2, 99),
    "order": ("W-17", ""),
    "hours": (1, 12, 99),
    "part": (0, 1, 99),
    "role": ("floor supervisor", "room management", "technician"),
    "is_origin_unknown": (False, True),
}


# --- what breaks -----------------------------------------------------------------------------------------------


def fault(chance: Chance, _state: TableState | None) -> Act:
    """One of the fault catalogue."""
    return Act("world", {"does": "provoke", "fault": chance.some(HONEST_FAULTS if chance.is_honest else ALL_FAULTS)})


def mend(chance: Chance, _state: TableState | None) -> Act:
    """A cause goes."""
    names = [name for name in ALL_FAULTS if CATALOGUE[name].mend is not None]
    return Act("world", {"does": "mend-fault", "fault": chance.some(names)})


def spoil(chance: Chance, _state: TableState | None) -> Act:
    """A card that will jam."""
    defect = chance.some(("askew", "creased")) if chance.is_honest else chance.some(("sticky", "bent", "warped"))
    return Act("world", {"does": "spoil-next-card", "spot": chance.some(("feed", "exit")), "defect": defect})


def cable(chance: Chance, _state: TableState | None) -> Act:
    """Out, and in again by somebody."""
    return Act(
        "world", {"does": chance.some(("pull-cable", "plug-cable", "plug-cable")), "device": chance.some(DEVICES)}
    )


def bad_chunk(chance: Chance, _state: TableState | None) -> Act:
    """The next bytes of a cable come to harm."""
    return Act(
        "line",
        {
            "device": chance.some(DEVICES),
            "fault": str(chance.some(tuple(LineFault))),
            "direction": chance.some(("in", "out")),
        },
    )


def power(chance: Chance, _state: TableState | None) -> Act:
    """A device restarts, or is off for a while."""
    device = chance.some(DEVICES[:3] if chance.is_honest else DEVICES)
    if chance.rng.random() < 0.5:
        return Act("world", {"does": "reset", "device": device, "cause": chance.some(("watchdog", "brown-out"))})
    return Act("world", {"does": chance.some(("switch-off", "switch-on", "switch-on")), "device": device})


def crash(chance: Chance, _state: TableState | None) -> Act:
    """The daemon dies between any two of its steps."""
    turns = chance.some((0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89))
    return Act("crash", {"turns": turns, "down_s": chance.some((0.0, 0.5, 4.0, 30.0))})


def restart(chance: Chance, _state: TableState | None) -> Act:
    """A clean stop and start."""
    return Act("restart", {"down_s": chance.some((0.0, 2.0))})


def disk(chance: Chance, _state: TableState | None) -> Act:
    """A disk that is slow, full, broken, or well again."""
    how = chance.some(
        (
            {},
            {},
            {"before_s": 0.05, "after_s": 0.05},
            {"before_s": 0.4},
            {"after_s": 6.0},
            {"journal_fails": True},
            {"journal_fails": True, "reserve_fails": True},
        )
    )
    return Act("disk", how)


def clock(chance: Chance, _state: TableState | None) -> Act:
    """A time server has its way."""
    return Act("clock", {"step_s": chance.some((-3600.0, -2.0, 2.0, 90.0, 86_400.0))})


KINDS: dict[Draw, float] = {
    deal: 2, lay: 3, press: 2, tap_any: 2, lid: 2, say_any: 6, say_again: 1, fault: 2, mend: 2, spoil: 1, cable: 2,
    bad_chunk: 2, power: 1, crash: 1, restart: 0.3, disk: 1, clock: 0.3,
}  # fmt: skip

__all__ = ["Chance"]
