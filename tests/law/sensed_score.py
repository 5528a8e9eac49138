"""Rounds that the detector found, held against those that there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tableside.games.round_signals import Began, Doubted, Over, Sign, Signal, Verdict
from tableside.games.rounds_sensed import Sensed, look_ns, sense
from tests.law.sensed_play import NS, Round, Told

# The last hand may lie in the tray a moment before the bank's own is lifted.
AT_ONCE_NS = 2 * NS


@dataclass
class Found:
    """A round as the detector found it: the true rounds of its cards, when it was over, whether somebody is asked."""

    cards: list[int] = field(default_factory=list)
    over_ns: int = 0
    known_ns: int = 0
    is_sure: bool = True
    why: str = ""
    began_ns: int = 0  # 0 where its first cards waited for those of the round before
    has_waited: bool = False


@dataclass
class Score:
    right: int = 0
    unsure: int = 0
    wrong: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)


def find(told: Sequence[Told], *, leaves_out: Callable[[Signal], bool] = lambda _signal: False) -> list[Found]:
    """What the detector makes of these signals."""
    sensed, found, cards, finder = Sensed(), list[Found](), list[int](), Found()
    for each in told:
        signal = each.signal
        if leaves_out(signal):
            continue
        while (due_ns := look_ns(sensed)) is not None and due_ns <= signal.at_ns:
            sensed, verdicts = sense(sensed, Signal(Sign.LOOK, due_ns))
            finder = _take(verdicts, due_ns, found, cards, finder)
        cards += each.rounds
        sensed, verdicts = sense(sensed, signal)
        finder = _take(verdicts, signal.at_ns, found, cards, finder)
    return found


def _take(verdicts: tuple[Verdict, ...], at_ns: int, found: list[Found], cards: list[int], finder: Found) -> Found:
    for verdict in verdicts:
        match verdict:
            case Began(began_ns, _):
                assert not finder.cards
                finder.began_ns = began_ns
            case Doubted(_, why):
                finder.is_sure, finder.why = False, why
            case Over(over_ns, count, next_cards, why, is_sure):
                assert len(cards) == count + next_cards, (len(cards), verdict)
                finder.cards, cards[:] = cards[:count], cards[count:]
                finder.over_ns, finder.known_ns = over_ns, at_ns
                finder.is_sure &= is_sure
                finder.why = finder.why or why
                found.append(finder)
                finder = Found(has_waited=next_cards > 0)
    return finder


def score(rounds: Sequence[Round], told: Sequence[Told], found: Sequence[Found]) -> Score:
    """A true round is right where one sure found round has all of its cards that any sensor saw, and no other."""
    result = Score()
    seen = Counter(number for each in told for number in each.rounds)
    settled: set[int] = set()
    for each in found:
        numbers = Counter(each.cards)
        number = each.cards[0]
        if not each.is_sure:
            result.unsure += len(set(each.cards) - settled - {0})
            result.doubts[each.why] += 1
            settled |= set(each.cards)
        elif number == 0 or number in settled:
            result.invented.append(f"{each}")
        else:
            true = rounds[number - 1]
            next_ns = rounds[number].began_ns if number < len(rounds) else each.over_ns + 1
            is_whole = numbers == {number: seen[number]}
            if is_whole and _is_begin_right(rounds, each) and true.settled_ns - AT_ONCE_NS <= each.over_ns <= next_ns:
                result.right += 1
            else:
                result.wrong.append(f"{true} next {next_ns}: {each}, {numbers}")
            settled |= set(each.cards)
    return result


def _is_begin_right(rounds: Sequence[Round], found: Found) -> bool:
    """It began with its first counted card, to the nanosecond; behind a cable that was out, when that was told."""
    number = found.cards[0]
    first_ns = rounds[number - 1].first_ns
    if not found.began_ns:
        return found.has_waited
    if any("cable out" in each.faults for each in rounds[max(number - 2, 0) : number]):
        return found.began_ns >= first_ns
    return found.began_ns == first_ns
