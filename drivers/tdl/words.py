"""Numbers of TDL and the table's words for them, both ways (TDL 14). Tables only; unknown numbers have no word."""

from __future__ import annotations

from collections.abc import Mapping

from drivers import card_events, events
from drivers.events import KeyName, LampColour, LampPattern, Outcome, PermitEnding, PermitKind, Reason, Shown, Verb
from firmware_bridge.wire.tdl import codes

PLACES: Mapping[int, events.Place] = {
    codes.Place.FEED: events.Place.FEED,
    codes.Place.EXIT: events.Place.EXIT,
    codes.Place.CAROUSEL: events.Place.CAROUSEL,
    codes.Place.TRAY: events.Place.TRAY,
    codes.Place.LID: events.Place.LID,
    codes.Place.SLOT: events.Place.SLOT,
}
PERMITS: Mapping[int, PermitKind] = {
    codes.Permit.DEAL: PermitKind.DEAL,
    codes.Permit.FEED: PermitKind.FEED,
    codes.Permit.LID: PermitKind.LID,
    codes.Permit.SLOTS: PermitKind.SLOTS,
}
PERMIT_ENDINGS: Mapping[int, PermitEnding] = {
    codes.PermitEnd.TIME: PermitEnding.TIME,
    codes.PermitEnd.REVOKED: PermitEnding.REVOKED,
    codes.PermitEnd.NUMBER: PermitEnding.NUMBER,
    codes.PermitEnd.FAULT: PermitEnding.FAULT,
    codes.PermitEnd.LID: PermitEnding.LID,
    codes.PermitEnd.NOTICES_FULL: PermitEnding.NOTICES_FULL,
}
OUTCOMES: Mapping[int, Outcome] = {
    codes.Status.OK: Outcome.OK,
    codes.Status.STARTED: Outcome.STARTED,
    codes.Status.DONE: Outcome.DONE,
    codes.Status.REFUSED: Outcome.REFUSED,
    codes.Status.FAILED: Outcome.FAILED,
    codes.Status.INTERRUPTED: Outcome.INTERRUPTED,
    codes.Status.OLD: Outcome.OLD,
    codes.Status.NEVER: Outcome.NEVER,
    codes.Status.BUSY: Outcome.BUSY,
}
REASONS: Mapping[int, Reason] = {
    0: Reason.NONE,
    codes.Reason.EPOCH: Reason.EPOCH,
    codes.Reason.COMMAND_RUNS: Reason.ANOTHER_RUNS,
    codes.Reason.PERMIT: Reason.PERMIT,
    codes.Reason.CONTENT_UNVERIFIED: Reason.CONTENT_UNVERIFIED,
    codes.Reason.FAULT_OR_JAM: Reason.FAULT,
    codes.Reason.LID_OPEN: Reason.LID_OPEN,
    codes.Reason.NO_CARDS: Reason.NO_CARDS,
    codes.Reason.NO_ROOM: Reason.NO_ROOM,
    codes.Reason.NOT_OFFERED: Reason.NOT_OFFERED,
    codes.Reason.ARGUMENT: Reason.ARGUMENT,
    codes.Reason.NOT_ARMED: Reason.NOT_ARMED,
    codes.Reason.NOT_SEALED: Reason.NOT_SEALED,
    codes.Reason.NOTICES_FULL: Reason.NOTICES_FULL,
    codes.Reason.NOT_OPEN: Reason.NOT_OPEN,
}
VERBS: Mapping[Verb, codes.Operation] = {
    Verb.COUNT_ALL: codes.Operation.COUNT_ALL,
    Verb.EJECT_ALL: codes.Operation.EJECT_ALL,
    Verb.DEAL: codes.Operation.DEAL,
    Verb.SHUFFLE: codes.Operation.SHUFFLE,
    Verb.RECOVER: codes.Operation.RECOVER,
    Verb.SELF_TEST: codes.Operation.SELF_TEST,
    Verb.COLLECT: codes.Operation.COLLECT,
    Verb.ADOPT: codes.Operation.ADOPT,
}
KEYS: Mapping[int, KeyName] = {
    codes.Key.HOLD: KeyName.HOLD,
    codes.Key.CALL: KeyName.CALL,
    codes.Key.NO_MORE_BETS: KeyName.NO_MORE_BETS,
    codes.Key.DONE: KeyName.DONE,
    codes.Key.DAMAGED_CARD: KeyName.DAMAGED_CARD,
}
COLOURS: Mapping[int, LampColour] = {
    codes.LampColour.OFF: LampColour.OFF,
    codes.LampColour.RED: LampColour.RED,
    codes.LampColour.AMBER: LampColour.AMBER,
    codes.LampColour.BLUE: LampColour.BLUE,
}
PATTERNS: Mapping[int, LampPattern] = {
    codes.LampPattern.STEADY: LampPattern.STEADY,
    codes.LampPattern.BLINKING: LampPattern.BLINKING,
}
SHOWN: Mapping[int, Shown] = {
    codes.Shown.NOTHING: Shown.NOTHING,
    codes.Shown.AMOUNT: Shown.AMOUNT,
    codes.Shown.PENDING: Shown.PENDING,
    codes.Shown.WON: Shown.WON,
    codes.Shown.ONE_MOMENT: Shown.WAIT,
}
BOOT_CAUSES: Mapping[int, str] = {
    codes.BootCause.UNKNOWN: "unknown",
    codes.BootCause.POWER: "power",
    codes.BootCause.RESET: "reset",
    codes.BootCause.WATCHDOG: "watchdog",
    codes.BootCause.BROWN_OUT: "brown-out",
    codes.BootCause.UPDATE: "update",
}
SUSPICIONS: Mapping[int, str] = {
    codes.SuspectReason.THICK: "thick",
    codes.SuspectReason.BENT: "bent",
    codes.SuspectReason.UNREAD: "unread",
}
CHIP_RETURNS: Mapping[int, events.ChipReturn] = {
    codes.ChipReturn.LATE: events.ChipReturn.LATE,
    codes.ChipReturn.SECOND: events.ChipReturn.SECOND,
    codes.ChipReturn.VALUE: events.ChipReturn.VALUE,
}
TAMPERINGS: Mapping[int, str] = {codes.TamperKind.COVER: "cover", codes.TamperKind.PORT: "port"}
ABILITIES: Mapping[int, events.Ability] = {
    codes.Ability.DEAL: events.Ability.DEAL,
    codes.Ability.FEED: events.Ability.FEED,
    codes.Ability.LID: events.Ability.LID,
    codes.Ability.LAMP: events.Ability.LAMP,
    codes.Ability.COUNT_IN: events.Ability.COUNT_IN,
    codes.Ability.COUNT_OUT: events.Ability.COUNT_OUT,
    codes.Ability.COUNT_ALL: events.Ability.COUNT_ALL,
    codes.Ability.CONTENT_BY_AREA: events.Ability.CONTENT_BY_AREA,
    codes.Ability.SLOTS: events.Ability.SLOTS,
}
HOLDINGS: Mapping[int, events.Holding] = {
    codes.Holding.CANNOT: events.Holding.CANNOT,
    codes.Holding.OBSERVES: events.Holding.OBSERVES,
    codes.Holding.ENFORCES: events.Holding.ENFORCES,
}

# Cards that are none of a deck (TDL 14.2 *Cards*); all others are 16 × suit + rank, suits in the order ♣ ♦ ♥ ♠.
CARDS: Mapping[int, str] = {0: card_events.UNREAD, 1: card_events.JOKER, 2: card_events.CUT_CARD}
# Of these the kind is told in the clear: they are no secret of the game.
SPECIAL_CARDS: Mapping[str, card_events.SpecialCard] = {
    card_events.JOKER: card_events.SpecialCard.JOKER,
    card_events.CUT_CARD: card_events.SpecialCard.CUT_CARD,
}
_SUIT_FACTOR = 16

PERMIT_NUMBERS: Mapping[PermitKind, int] = {word: number for number, word in PERMITS.items()}
COLOUR_NUMBERS: Mapping[LampColour, int] = {word: number for number, word in COLOURS.items()}
SHOWN_NUMBERS: Mapping[Shown, int] = {word: number for number, word in SHOWN.items()}
PATTERN_NUMBERS: Mapping[LampPattern, int] = {word: number for number, word in PATTERNS.items()}

_LAMP_COLOUR_FACTOR = 16  # STATE packs a lamp as 16 × colour + pattern


def lamp_words(packed: int) -> tuple[LampColour, LampPattern] | None:
    """The lamp of STATE in words; None where the device names a colour or pattern that we do not know."""
    colour, pattern = divmod(packed, _LAMP_COLOUR_FACTOR)
    if colour not in COLOURS or pattern not in PATTERNS:
        return None
    return COLOURS[colour], PATTERNS[pattern]


def permit_words(bits: int) -> tuple[PermitKind, ...]:
    """The permits that stand, from the bits of STATE."""
    return tuple(word for number, word in PERMITS.items() if bits & (1 << (number - 1)))


def card_word(number: int) -> str:
    """A card's identity; a number that is none is a card that was not read."""
    suit, rank = divmod(number, _SUIT_FACTOR)
    if number in CARDS or not 1 <= suit <= len(card_events.SUITS):
        return CARDS.get(number, card_events.UNREAD)
    try:
        return card_events.face(rank, card_events.SUITS[suit - 1])
    except ValueError:
        return card_events.UNREAD


def place_word(number: int) -> events.Place:
    """A place in words; a number that we do not know is *unknown*."""
    return PLACES.get(number, events.Place.UNKNOWN)
