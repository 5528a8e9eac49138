"""Cards leave a shoe by hand: burnt, dealt, counted, out of turn; the warning card, the last round (SHOE-5 to 7)."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.card_events import SpecialCard, SpecialCardPassed
from drivers.events import DeviceBooted
from tableside import alerts, card_account, incidents, locks, unexpected
from tableside.by_hand import is_by_hand
from tableside.card_account import SHOE, TABLE, TRAY, Evidence
from tableside.counted import counted
from tableside.games import shoe as the
from tableside.happenings import CardsPassed, RoundEnded, RoundStarted
from tableside.locks import Scope
from tableside.procedures.advice_slice import advise
from tableside.procedures.hand_shoe_slice import of, put
from tableside.shoe_happenings import ShoeCardsLeft, ShoeOver, ShoeReady, WarningCardSeen
from tableside.shoe_requests import BurnCard, CountDealt, ShowWarningCard
from tableside.tables import Turn

RULE = "SHOE-7"
SHOE_OVER = "shoe is over"  # the lock
LAST_ROUND = "SHOE-LAST-ROUND"
STRAY = "SHOE-CARD-STRAY"
STRAY_INCIDENT = "card out of an idle shoe"


# --- cards leave it -----------------------------------------------------------------------------------------


def burn(turn: Turn, _what: BurnCard) -> None:
    _burnt(turn, Evidence.PERSON, "")


def _burnt(turn: Turn, evidence: Evidence, seen_by: str) -> None:
    """SHOE-6: to the tray. With it the shoe before is history."""
    put(turn, shoe=the.burn(of(turn).shoe))
    card_account.move(turn, SHOE, TRAY, 1, evidence, "burnt")
    end_last_round(turn, "next shoe is ready")
    turn.happened(ShoeReady(shoe=of(turn).number, by=turn.by, seen_by=seen_by))


def is_burn(turn: Turn, what: CardsPassed) -> bool:
    return is_by_hand(turn.state) and _counted(turn, what) > 0


def seen_burnt(turn: Turn, what: CardsPassed) -> None:
    """A reader sees the burnt card go by; what comes with it belongs to no round."""
    cards = _take_counted(turn, what)
    _burnt(turn, Evidence.METER, what.device)
    _post_stray(turn, what.device, cards - 1)


def _counted(turn: Turn, what: CardsPassed) -> int:
    """Playing cards of these: a special card is told before the meter that counts it (TDL 11)."""
    return max(0, what.cards - of(turn).special_ahead)


def _take_counted(turn: Turn, what: CardsPassed) -> int:
    cards = _counted(turn, what)
    put(turn, special_ahead=of(turn).special_ahead - (what.cards - cards))
    return cards


def seen_out(turn: Turn, what: CardsPassed) -> None:
    cards = _take_counted(turn, what)
    if cards:
        _dealt(turn, cards, Evidence.METER, what.device)


def said_out(turn: Turn, what: CountDealt) -> None:
    _dealt(turn, what.cards, Evidence.PERSON, "")


def _dealt(turn: Turn, cards: int, evidence: Evidence, seen_by: str) -> None:
    shoe = of(turn).shoe
    for _ in range(cards):
        shoe = the.card_out(shoe)
    put(turn, shoe=shoe)
    card_account.move(turn, SHOE, TABLE, cards, evidence, "dealt from the shoe")
    turn.happened(ShoeCardsLeft(cards=cards, seen_by=seen_by))


def said_after(turn: Turn, what: CountDealt) -> None:
    """The round is over: its cards lie in the tray already."""
    shoe = of(turn).shoe
    for _ in range(what.cards):
        shoe = the.card_out(shoe)
    is_first_word = of(turn).shoe.out == of(turn).out_before
    put(turn, shoe=shoe, uncounted=of(turn).uncounted - is_first_word)
    card_account.move(turn, SHOE, TRAY, what.cards, Evidence.PERSON, "dealt from the shoe")
    _settle_place(turn)


def stray(turn: Turn, what: CardsPassed) -> None:
    _post_stray(turn, what.device, _take_counted(turn, what))


def _post_stray(turn: Turn, device: str, cards: int) -> None:
    """A card left the shoe and no round may be dealt: it lies on the table, and somebody says what it was."""
    if cards <= 0:
        return
    card_account.move(turn, SHOE, TABLE, cards, Evidence.METER, "out of an idle shoe")
    text = f"{device}: {counted(cards, 'card')} out while the shoe is: {of(turn).state}"
    standing = incidents.of_kind(turn, STRAY_INCIDENT)
    if standing:
        incidents.note(turn, standing[-1].number, text)
    else:
        number = incidents.open_incident(turn, STRAY_INCIDENT, RULE, text)
        locks.add(turn, Scope.DEAL, unexpected.lock_reason(number), RULE)
    alerts.raise_alert(turn, STRAY, device, n=str(cards))


# --- rounds, the last one -----------------------------------------------------------------------------------


def round_begun(turn: Turn, _what: RoundStarted) -> None:
    shoe = replace(of(turn).shoe, is_in_round=True)
    put(turn, shoe=shoe, out_before=shoe.out)
    if shoe.warning_at is not None:
        _lock_next(turn)


def is_last(turn: Turn, _what: RoundEnded) -> bool:
    return of(turn).shoe.warning_at is not None


def round_over(turn: Turn, _what: RoundEnded) -> None:
    """Its cards go to the tray."""
    hand_shoe = of(turn)
    is_silent = hand_shoe.shoe.out == hand_shoe.out_before
    put(turn, shoe=the.end_round(hand_shoe.shoe), uncounted=hand_shoe.uncounted + is_silent)
    card_account.move(turn, TABLE, TRAY, turn.state.account.at(TABLE), Evidence.PERSON, "round over: to the tray")


def last_over(turn: Turn, what: RoundEnded) -> None:
    round_over(turn, what)
    _settle_place(turn)
    hand_shoe = of(turn)
    turn.happened(ShoeOver(shoe=hand_shoe.number, cards=hand_shoe.shoe.out, is_counted=not hand_shoe.uncounted))


def warning(turn: Turn, _what: ShowWarningCard) -> None:
    _warned(turn, "")


def _warned(turn: Turn, seen_by: str) -> None:
    """SHOE-7: this round, or the one that begins now, is the last; SHOE-5: where it came out is compared.

    Where people say how many cards a round had they say it behind it: then the comparison waits for the round's end.
    """
    hand_shoe = of(turn)
    shoe, _ = the.warning_out(hand_shoe.shoe)
    is_known = not hand_shoe.uncounted and (bool(seen_by) or not shoe.is_in_round)
    put(turn, shoe=shoe, is_place_open=not is_known)
    rounds = turn.state.procedures.rounds
    last = rounds.number if shoe.is_in_round else rounds.number + 1
    place = the.warning_place(shoe.cards, shoe.players)
    after = shoe.out if is_known else None
    turn.happened(
        WarningCardSeen(shoe=hand_shoe.number, round=last, after=after, place=place, by=turn.by, seen_by=seen_by)
    )
    if is_known:
        _compare_place(turn, shoe.out, shoe.out)
    alerts.raise_alert(turn, LAST_ROUND, r=str(last))
    if shoe.is_in_round:
        _lock_next(turn)


def _settle_place(turn: Turn) -> None:
    """The round of the warning card is counted now: it came somewhere in it."""
    hand_shoe = of(turn)
    if hand_shoe.is_place_open and not hand_shoe.uncounted:
        put(turn, is_place_open=False)
        _compare_place(turn, hand_shoe.out_before, hand_shoe.shoe.out)


def _compare_place(turn: Turn, fewest: int, most: int) -> None:
    told = the.misplaced(of(turn).shoe, fewest, most)
    if told is not None:
        advise(turn, told, f"shoe {of(turn).number}")


def is_warning(turn: Turn, what: SpecialCardPassed) -> bool:
    return what.kind is SpecialCard.CUT_CARD and is_by_hand(turn.state)


def seen_warning(turn: Turn, what: SpecialCardPassed) -> None:
    """SHOE-1: a known object, no card: the meter that counts it comes behind. The first one is the warning card."""
    put(turn, special_ahead=of(turn).special_ahead + 1)
    if is_first_warning(turn, what):
        _warned(turn, what.device)


def passed_special(turn: Turn, _what: SpecialCardPassed) -> None:
    put(turn, special_ahead=of(turn).special_ahead + 1)


def is_reader(turn: Turn, what: DeviceBooted) -> bool:
    return is_by_hand(turn.state) and what.device in turn.state.house.card_readers


def blind(turn: Turn, _what: DeviceBooted) -> None:
    """What it saw in the boot before may not all be told: nobody knows how many cards are out (SHOE-5)."""
    put(turn, uncounted=max(1, of(turn).uncounted), special_ahead=0)


def is_first_warning(turn: Turn, _what: object) -> bool:
    return of(turn).shoe.warning_at is None


def _lock_next(turn: Turn) -> None:
    locks.add(turn, Scope.DEAL, SHOE_OVER, RULE, is_from_next_round=True)


def end_last_round(turn: Turn, why: str) -> None:
    locks.remove_all(turn, SHOE_OVER, turn.by or why)
    alerts.clear_alert(turn, LAST_ROUND, by=turn.by, why=why)
