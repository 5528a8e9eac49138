"""Rounds found from sensors alone: no key says when one is over (CSM-9 to CSM-11).

Pure. What sensors see comes as signals in the order in which it became known; what can be concluded comes back as
verdicts. A round begins with its first card. It is over when what was dealt lies in the discard tray, or goes into the
machine: not with the first card that does so, since busted hands are put away during the round. Cards that come out
while cards go in wait until it is known whose they are. What cannot be told apart is doubted, never guessed.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from tableside.games.round_signals import Awaited, Began, Doubted, Over, Sign, Signal, Verdict

NS_PER_S = 1_000_000_000
# Two cards for one player and two for the bank (BJ-2); fewer are no round.
FEWEST_CARDS = 4
# One card may stay on the felt, or have passed a sensor unseen (one in 5,200, semantics §7).
SLACK = 1
# So long without a card in, and the hopper is empty: a machine takes two or more cards a second.
STILL_NS = 4 * NS_PER_S
# Busted hands are at most so large a part of what was dealt while somebody still plays on; and whoever plays on
# wants a card sooner than a next round can be bet and dealt (assumed: seats are paid, gathered and bet anew).
PLAYS_ON_SHARE = 0.6
PLAYS_ON_NS = 20 * NS_PER_S
# From here on no hand is left that could take a card, where no card came out meanwhile for so long.
IS_RETURN_SHARE = 0.75
IS_RETURN_NS = 8 * NS_PER_S
# Within a first deal and a hand's draws a dealer does not pause so long by herself; to pay and to bet anew takes longer
# (assumed).
LONG_PAUSE_NS = 8 * NS_PER_S
# Cards of a first deal follow each other so quickly, and drawn ones seldom do so four times.
QUICK_NS = 1_700_000_000
QUICK_CARDS = 4
# Cards that came out, or part of them went in, and then nothing more: somebody is asked.
ASK_NS = 120 * NS_PER_S
# Seven hands with splits and the bank's take some thirty-five at the utmost (assumed): more are two rounds or three.
MOST_CARDS = 60
PAUSE = "a whole deal after a long pause"
TOO_MANY = "more cards than a round has"
TOO_FEW = "fewer cards than a round has"


class Sensed(msgspec.Struct, frozen=True):
    """What is known of the round. Counts in cards, times monotonic in ns.

    `owed` lay outside before it began and goes in first; `early` went in while the round still went on; `returned` may
    be its end; `waiting` came out while they went in. `pause_cards`: so many followed each other quickly after a long
    pause; None: there was none.
    """

    is_open: bool = False
    dealt: int = 0
    early: int = 0
    returned: int = 0
    owed: int = 0
    waiting: int = 0
    waiting_since_ns: int = 0
    last_out_ns: int = 0
    first_in_ns: int = 0
    most_in_ns: int = 0  # when so much of it had gone in that nobody could play on
    last_in_ns: int = 0
    tray: int | None = None
    tray_base: int = 0  # of earlier rounds: so many of what lies there
    taken: int = 0  # of this round, laid there and taken away again: out of play
    has_tray_moved: bool = False  # in this round: a blind sensor tells the same for ever
    pause_cards: int | None = None
    is_disturbed: bool = False  # since the last card out
    is_away: bool = False
    taken_before: int = 0  # when it went away
    late_out: int = 0
    late_in: int = 0
    is_awaited: bool = False  # told so, once a round
    doubts: tuple[str, ...] = ()

    @property
    def in_play(self) -> int:
        """Cards of this round that were outside before what may be its end began."""
        return self.dealt - self.early

    @property
    def is_mostly_in(self) -> bool:
        return self.returned >= IS_RETURN_SHARE * self.in_play and self.dealt >= FEWEST_CARDS


Step = tuple[Sensed, tuple[Verdict, ...]]


def sense(sensed: Sensed, signal: Signal) -> Step:
    """One signal: what is known then, and what it concludes."""
    sensed, settled = _settle_waiting(sensed, signal)
    sensed, verdicts = _TAKES[signal.sign](sensed, signal)
    return sensed, (*settled, *verdicts)


def look_ns(sensed: Sensed) -> int | None:
    """When a look is due though no sensor tells anything; None: none is."""
    if not sensed.is_open or sensed.is_away:
        return None
    if sensed.waiting:
        return sensed.last_in_ns + STILL_NS
    if sensed.returned and sensed.is_mostly_in:
        return sensed.last_in_ns + IS_RETURN_NS
    return None if sensed.is_awaited else max(sensed.last_out_ns, sensed.last_in_ns) + ASK_NS


# --- cards --------------------------------------------------------------------------------------------------


def _out(sensed: Sensed, signal: Signal) -> Step:
    at_ns, cards = signal.at_ns, signal.cards
    if sensed.is_away:
        return replace(sensed, late_out=sensed.late_out + cards), ()
    if not sensed.is_open:
        return _begin(sensed, at_ns, cards), (Began(at_ns, cards),)
    if sensed.returned:
        since_ns = sensed.waiting_since_ns if sensed.waiting else at_ns
        return replace(sensed, waiting=sensed.waiting + cards, waiting_since_ns=since_ns), ()
    if sensed.dealt >= MOST_CARDS:
        next_one = replace(sensed, waiting=cards, waiting_since_ns=at_ns)
        return _over(next_one, sensed.last_out_ns, TOO_MANY, is_sure=False)
    sensed, doubts = _watch_pause(sensed, at_ns, cards)
    return replace(sensed, dealt=sensed.dealt + cards, last_out_ns=at_ns, is_disturbed=False), doubts


def _begin(sensed: Sensed, at_ns: int, cards: int) -> Sensed:
    """What still lay outside by count alone is forgotten where it is so little as a miscount makes."""
    return Sensed(
        is_open=True,
        dealt=cards,
        owed=sensed.owed if sensed.owed > 2 * SLACK else 0,
        last_out_ns=at_ns,
        tray=sensed.tray,
        tray_base=sensed.tray or 0,
        has_tray_moved=False,
    )


def _watch_pause(sensed: Sensed, at_ns: int, cards: int) -> Step:
    """A guest may think for long. A whole first deal after it looks as if a round had ended unseen."""
    gap_ns = at_ns - sensed.last_out_ns
    if sensed.dealt < FEWEST_CARDS and gap_ns >= LONG_PAUSE_NS and not sensed.is_disturbed:
        return _doubt(sensed, at_ns, TOO_FEW)
    if sensed.pause_cards is not None:
        if gap_ns > QUICK_NS:
            return replace(sensed, pause_cards=None), ()
        if sensed.pause_cards + cards < QUICK_CARDS:
            return replace(sensed, pause_cards=sensed.pause_cards + cards), ()
        return _doubt(replace(sensed, pause_cards=None), at_ns, PAUSE)
    is_long = gap_ns >= LONG_PAUSE_NS and sensed.dealt >= FEWEST_CARDS
    if not is_long or sensed.is_disturbed or _lie_on_felt(sensed):
        return sensed, ()
    return replace(sensed, pause_cards=cards), ()


def _lie_on_felt(sensed: Sensed) -> bool:
    """The tray's sensor has shown in this round that it sees, and the cards are not in it."""
    return sensed.has_tray_moved and sensed.tray is not None and sensed.tray < sensed.tray_base + sensed.dealt // 2


def _in(sensed: Sensed, signal: Signal) -> Step:
    at_ns, cards = signal.at_ns, signal.cards
    if sensed.is_away:
        return replace(sensed, late_in=sensed.late_in + cards), ()
    paid = min(cards, sensed.owed)
    sensed, cards = replace(sensed, owed=sensed.owed - paid), cards - paid
    if not sensed.is_open or not cards:
        return sensed, ()
    first_ns = sensed.first_in_ns if sensed.returned else at_ns
    sensed = replace(sensed, returned=sensed.returned + cards, first_in_ns=first_ns, last_in_ns=at_ns)
    if not sensed.most_in_ns and sensed.returned >= PLAYS_ON_SHARE * sensed.in_play:
        sensed = replace(sensed, most_in_ns=sensed.waiting_since_ns if sensed.waiting else at_ns)
    if sensed.returned >= sensed.in_play - SLACK and sensed.dealt >= FEWEST_CARDS:
        return _over(sensed, sensed.most_in_ns, "cards in")
    if sensed.returned >= sensed.in_play:
        return _over(sensed, sensed.most_in_ns, TOO_FEW, is_sure=False)
    return sensed, ()


def _tray(sensed: Sensed, signal: Signal) -> Step:
    has_moved = sensed.has_tray_moved or (sensed.tray is not None and sensed.tray != signal.cards)
    base, own_before = min(sensed.tray_base, signal.cards), (sensed.tray or 0) - sensed.tray_base
    taken = sensed.taken + max(0, own_before - (signal.cards - base))
    sensed = replace(sensed, tray=signal.cards, tray_base=base, taken=taken, has_tray_moved=has_moved)
    is_whole = signal.cards >= base + sensed.in_play - max(sensed.returned, taken) - SLACK
    if not sensed.is_open:
        return replace(sensed, owed=max(sensed.owed, signal.cards)), ()
    if sensed.is_away or sensed.waiting or sensed.dealt < FEWEST_CARDS or not is_whole:
        return sensed, ()
    over, verdicts = _over(sensed, signal.at_ns, "cards in the tray")
    return replace(over, owed=max(over.owed, signal.cards)), verdicts


# --- conclusions --------------------------------------------------------------------------------------------


def _over(sensed: Sensed, at_ns: int, why: str, *, is_sure: bool = True) -> Step:
    """The round is over. Cards that waited begin the next one; what has not gone in is owed."""
    left = max(0, sensed.owed + sensed.in_play - sensed.returned)
    verdict = Over(at_ns, sensed.dealt, sensed.waiting, why, is_sure)
    after = Sensed(owed=left, tray=sensed.tray, has_tray_moved=sensed.has_tray_moved)
    if not sensed.waiting:
        return after, (verdict,)
    return replace(_begin(after, sensed.waiting_since_ns, sensed.waiting), owed=left), (verdict,)


def _goes_on(sensed: Sensed) -> Sensed:
    """What went in was out of play, what came out is of the same round."""
    return replace(
        sensed,
        dealt=sensed.dealt + sensed.waiting,
        early=sensed.early + sensed.returned,
        taken=max(0, sensed.taken - sensed.returned),
        returned=0,
        most_in_ns=0,
        waiting=0,
        last_out_ns=max(sensed.last_out_ns, sensed.last_in_ns, sensed.waiting_since_ns),
        is_disturbed=False,
    )


def _doubt(sensed: Sensed, at_ns: int, why: str) -> Step:
    """Once a round for each reason."""
    if why in sensed.doubts:
        return sensed, ()
    return replace(sensed, doubts=(*sensed.doubts, why)), (Doubted(at_ns, why),)


def _settle_waiting(sensed: Sensed, signal: Signal) -> Step:
    """No card has gone in for a while: the hopper is empty, and what went in says whose the others are."""
    if not sensed.waiting or sensed.is_away or signal.at_ns < sensed.last_in_ns + STILL_NS:
        return sensed, ()
    share = sensed.returned / max(1, sensed.in_play)
    since_in_ns = sensed.waiting_since_ns - sensed.first_in_ns
    if share >= IS_RETURN_SHARE and since_in_ns >= IS_RETURN_NS:
        return _over(sensed, sensed.most_in_ns, "most cards in")
    since_out_ns = sensed.waiting_since_ns - sensed.last_out_ns
    if share < PLAYS_ON_SHARE and since_out_ns < PLAYS_ON_NS:
        return _goes_on(sensed), ()
    sensed, verdicts = _doubt(sensed, signal.at_ns, "cards came out while some had gone in")
    return _goes_on(sensed), verdicts


def _look(sensed: Sensed, signal: Signal) -> Step:
    due_ns = look_ns(sensed)
    if due_ns is None or signal.at_ns < due_ns:
        return sensed, ()
    if sensed.returned and sensed.is_mostly_in:
        return _over(sensed, sensed.most_in_ns, "most cards in")
    return replace(sensed, is_awaited=True), (Awaited(signal.at_ns),)


# --- what is no card ----------------------------------------------------------------------------------------


def _disturbed(sensed: Sensed, _signal: Signal) -> Step:
    return replace(sensed, is_disturbed=True), ()


def _away(sensed: Sensed, _signal: Signal) -> Step:
    if sensed.is_away:
        return sensed, ()
    return replace(sensed, is_away=True, taken_before=sensed.taken, late_out=0, late_in=0), ()


def _all_told(sensed: Sensed, signal: Signal) -> Step:
    """What came meanwhile has numbers and no times: cards both ways may hold a border anywhere between."""
    if not sensed.is_away:
        return sensed, ()
    out, came_in = sensed.late_out, sensed.late_in
    went_both_ways = bool(out and (came_in or sensed.taken > sensed.taken_before))
    late = [Signal(Sign.CARDS_OUT, signal.at_ns, out), Signal(Sign.CARDS_IN, signal.at_ns, came_in)]
    late = [each for each in late if each.cards]
    if sensed.tray is not None and sensed.is_open:
        late.append(Signal(Sign.TRAY, signal.at_ns, sensed.tray))
    sensed = replace(sensed, is_away=False, late_out=0, late_in=0, is_disturbed=True)
    verdicts: list[Verdict] = []
    for each in late:
        sensed, more = _TAKES[each.sign](sensed, each)
        verdicts += more
    if went_both_ways and sensed.is_open:
        sensed, more = _doubt(sensed, signal.at_ns, "cards went both ways unheard")
        verdicts += more
    if went_both_ways:
        verdicts = [each._replace(is_sure=False) if isinstance(each, Over) else each for each in verdicts]
    return sensed, tuple(verdicts)


def _told_over(sensed: Sensed, signal: Signal) -> Step:
    return _over(sensed, signal.at_ns, "told") if sensed.is_open else (sensed, ())


def _told_goes_on(sensed: Sensed, _signal: Signal) -> Step:
    return _goes_on(sensed) if sensed.is_open else sensed, ()


_TAKES = {
    Sign.CARDS_OUT: _out,
    Sign.CARDS_IN: _in,
    Sign.TRAY: _tray,
    Sign.DISTURBED: _disturbed,
    Sign.AWAY: _away,
    Sign.ALL_TOLD: _all_told,
    Sign.LOOK: _look,
    Sign.TOLD_OVER: _told_over,
    Sign.TOLD_GOES_ON: _told_goes_on,
}
