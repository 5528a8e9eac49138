"""What a TDL device says, as facts: one builder for each notice kind, and for levels and answers (TDL 14.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypedDict, TypeVar

from drivers import events
from drivers.card_events import CardPassed, SpecialCardPassed
from drivers.events import Fact, Outcome, Reason
from drivers.tdl import words
from firmware_bridge.session.tdl import Answered, Noticed, Ready
from firmware_bridge.wire.tdl import keys, read
from firmware_bridge.wire.tdl.cbor import BadBody, Value, encode_map
from firmware_bridge.wire.tdl.codes import HelloFlag, NoticeKind, Operation

Body = Mapping[int, Value]
W = TypeVar("W")


class Position(TypedDict):
    """What every notice has."""

    device: str
    boot: int
    number: int
    device_ms: int


Builder = Callable[[Position, Body], events.Notice]


def _word(table: Mapping[int, W], body: Body, key: int) -> W:
    number = read.uint(body, key)
    if number not in table:
        raise BadBody(f"key {int(key)} is {number}, which has no word here")
    return table[number]


def _booted(at: Position, body: Body) -> events.Notice:
    return events.DeviceBooted(
        **at,
        cause=words.BOOT_CAUSES.get(read.uint(body, keys.BootedKey.CAUSE), "unknown"),
        content=read.opt_uint(body, keys.BootedKey.CONTENT),
        last_meter_in=read.opt_uint(body, keys.BootedKey.CARDS_IN),
        last_meter_out=read.opt_uint(body, keys.BootedKey.CARDS_OUT),
    )


def _cards_out(at: Position, body: Body) -> events.Notice:
    return events.CardsOut(**at, meter=read.uint(body, keys.MeterKey.METER))


def _cards_in(at: Position, body: Body) -> events.Notice:
    return events.CardsIn(**at, meter=read.uint(body, keys.MeterKey.METER))


def _tray(at: Position, body: Body) -> events.Notice:
    cards, fill = read.opt_uint(body, keys.TrayKey.CARDS), read.opt_uint(body, keys.TrayKey.FILL)
    return events.TrayLevel(**at, cards=cards, fill_percent=fill)


def _jam(at: Position, body: Body) -> events.Notice:
    return events.CardJammed(**at, place=words.place_word(read.uint(body, keys.PlaceKey.PLACE)))


def _jam_gone(at: Position, body: Body) -> events.Notice:
    return events.JamGone(**at, place=words.place_word(read.uint(body, keys.PlaceKey.PLACE)))


def _lid_opened(at: Position, body: Body) -> events.Notice:
    return events.LidOpened(**at)


def _lid_closed(at: Position, body: Body) -> events.Notice:
    return events.LidClosed(**at)


def _fault(at: Position, body: Body) -> events.Notice:
    fault, place = read.uint(body, keys.FaultKey.FAULT), read.uint(body, keys.FaultKey.PLACE)
    return events.DeviceFaulted(**at, fault=fault, place=words.place_word(place))


def _fault_gone(at: Position, body: Body) -> events.Notice:
    fault, place = read.uint(body, keys.FaultKey.FAULT), read.uint(body, keys.FaultKey.PLACE)
    return events.DeviceFaultGone(**at, fault=fault, place=words.place_word(place))


def _lamp(at: Position, body: Body) -> events.Notice:
    colour = _word(words.COLOURS, body, keys.LampNoticeKey.COLOUR)
    pattern = _word(words.PATTERNS, body, keys.LampNoticeKey.PATTERN)
    return events.LampChanged(**at, colour=colour, pattern=pattern)


def _buffer_low(at: Position, body: Body) -> events.Notice:
    return events.BufferLow(**at, cards=read.uint(body, keys.CardsKey.CARDS))


def _buffer_normal(at: Position, body: Body) -> events.Notice:
    return events.BufferNormal(**at, cards=read.uint(body, keys.CardsKey.CARDS))


def _packet_end(at: Position, body: Body) -> events.Notice:
    return events.PacketEnded(**at, cards=read.uint(body, keys.CardsKey.CARDS))


def _permit_ended(at: Position, body: Body) -> events.Notice:
    why = read.uint(body, keys.PermitEndedKey.WHY)
    return events.PermitEnded(
        **at,
        what=_word(words.PERMITS, body, keys.PermitEndedKey.WHAT),
        why=words.PERMIT_ENDINGS.get(why, events.PermitEnding.UNKNOWN),
        counted=read.uint(body, keys.PermitEndedKey.COUNTED),
    )


def _suspect(at: Position, body: Body) -> events.Notice:
    why = _word(words.SUSPICIONS, body, keys.SuspectKey.WHY)
    return events.CardSuspected(**at, why=why, place=words.place_word(read.uint(body, keys.SuspectKey.PLACE)))


def _command_ended(at: Position, body: Body) -> events.Notice:
    return events.CommandEnded(
        **at,
        command=read.uint(body, keys.CommandEndedKey.NUMBER),
        outcome=_word(words.OUTCOMES, body, keys.CommandEndedKey.STATUS),
        reason=_reason(read.opt_uint(body, keys.CommandEndedKey.REASON)),
        moved=read.opt_uint(body, keys.CommandEndedKey.CARDS_MOVED) or 0,
    )


def _tamper(at: Position, body: Body) -> events.Notice:
    return events.Tampered(**at, what=_word(words.TAMPERINGS, body, keys.TamperKey.WHAT))


def _lost(at: Position, body: Body) -> events.Notice:
    return events.NoticesLost(**at, how_many=read.opt_uint(body, keys.NoticesLostKey.COUNT))


def _key(at: Position, body: Body) -> events.Notice:
    return events.KeyPressed(**at, key=_word(words.KEYS, body, keys.KeyKey.KEY))


def _chips_in(at: Position, body: Body) -> events.Notice:
    meter, seat = read.uint(body, keys.MeterKey.METER), read.uint(body, keys.MeterKey.SEAT)
    return events.ChipsIn(**at, seat=seat, meter=meter)


def _chip_returned(at: Position, body: Body) -> events.Notice:
    seat, why = read.uint(body, keys.ChipReturnedKey.SEAT), read.uint(body, keys.ChipReturnedKey.WHY)
    return events.ChipReturned(**at, seat=seat, why=words.CHIP_RETURNS.get(why, events.ChipReturn.UNKNOWN))


def _card_read(at: Position, body: Body) -> events.Notice:
    count, card = read.uint(body, keys.CardReadKey.COUNT), words.card_word(read.uint(body, keys.CardReadKey.CARD))
    if card in words.SPECIAL_CARDS:
        return SpecialCardPassed(**at, count=count, kind=words.SPECIAL_CARDS[card])
    return CardPassed(
        **at,
        count=count,
        card=card,
        back=read.opt_uint(body, keys.CardReadKey.BACK),
    )


NOTICES: Mapping[int, Builder] = {
    NoticeKind.BOOTED: _booted,
    NoticeKind.CARDS_OUT: _cards_out,
    NoticeKind.CARDS_IN: _cards_in,
    NoticeKind.TRAY: _tray,
    NoticeKind.JAM: _jam,
    NoticeKind.JAM_GONE: _jam_gone,
    NoticeKind.LID_OPENED: _lid_opened,
    NoticeKind.LID_CLOSED: _lid_closed,
    NoticeKind.FAULT: _fault,
    NoticeKind.FAULT_GONE: _fault_gone,
    NoticeKind.LAMP: _lamp,
    NoticeKind.BUFFER_LOW: _buffer_low,
    NoticeKind.BUFFER_NORMAL: _buffer_normal,
    NoticeKind.PACKET_END: _packet_end,
    NoticeKind.PERMIT_ENDED: _permit_ended,
    NoticeKind.SUSPECT_CARD: _suspect,
    NoticeKind.COMMAND_ENDED: _command_ended,
    NoticeKind.TAMPER: _tamper,
    NoticeKind.NOTICES_LOST: _lost,
    NoticeKind.KEY: _key,
    NoticeKind.CARD_READ: _card_read,
    NoticeKind.CHIPS_IN: _chips_in,
    NoticeKind.CHIP_RETURNED: _chip_returned,
}


def notice_fact(device: str, noticed: Noticed, kinds: frozenset[int]) -> events.Notice:
    """The notice as a fact. A kind outside the driver's `kinds`, or a body without sense, is kept raw."""
    at = Position(device=device, boot=noticed.boot, number=noticed.number, device_ms=noticed.ms)
    if noticed.kind in kinds:
        try:
            return NOTICES[noticed.kind](at, noticed.body)
        except BadBody:
            pass  # known by name, but not what it says: kept raw like an unknown kind
    # What a card was is kept by nobody in the clear, whoever tells it and however badly (semantics §6).
    body = b"" if noticed.kind == NoticeKind.CARD_READ else encode_map(noticed.body)
    return events.NoticeUnknown(**at, kind=noticed.kind, body=body.hex())


def ready_fact(device: str, ready: Ready, *, is_link_simulated: bool) -> events.DeviceReady:
    """The whole handshake as one fact. Raises BadBody where STATE or METERS are without sense."""
    hello, identity = ready.hello, ready.identity
    return events.DeviceReady(
        device=device,
        maker=identity.maker,
        model=hello.model,
        serial=hello.serial,
        firmware=identity.firmware,
        digest=identity.digest.hex(),
        is_simulated=hello.is_simulated or is_link_simulated,
        boot=hello.boot,
        boot_cause=words.BOOT_CAUSES.get(hello.cause, "unknown"),
        epoch=hello.epoch,
        highest_number=hello.highest_command,
        oldest_notice=hello.oldest_notice,
        newest_notice=hello.newest_notice,
        abilities=_abilities(identity.abilities),
        is_content_unverified=bool(hello.flags & HelloFlag.CONTENT_UNVERIFIED),
        running_number=read.uint(ready.state, keys.StateKey.COMMAND),
        lamp=_lamp_level(ready.state),
        tray_fill_percent=read.opt_uint(ready.state, keys.StateKey.TRAY_FILL),
        faults=tuple((fault, words.place_word(place)) for fault, place in ready.standing),
        jams=read.opt_uint(ready.meters or {}, keys.MetersKey.JAMS),
        **_levels(ready.state, ready.meters or {}),
    )


def levels_fact(device: str, boot: int, state: Body, meters: Body) -> events.LevelsRead:
    """STATE and METERS as one fact. Raises BadBody."""
    return events.LevelsRead(device=device, boot=boot, **_levels(state, meters))


def showed_fact(device: str, state: Body) -> events.DisplayShowed | None:
    """What a display says that it shows; None: the device is no display, or has been told nothing. Raises BadBody."""
    version = read.opt_uint(state, keys.StateKey.VERSION_SHOWN)
    if version is None:
        return None
    what = _word(words.SHOWN, state, keys.StateKey.SHOWN)
    return events.DisplayShowed(device=device, version=version, what=what)


def command_fact(device: str, answered: Answered) -> events.CommandAnswered:
    """The reply to a moving command or to OUTCOME. Raises BadBody."""
    request, reply = answered.request, answered.reply
    return events.CommandAnswered(
        device=device,
        command=read.uint(request.body, keys.MovingKey.NUMBER),  # the same key in OUTCOME and ADOPT
        outcome=words.OUTCOMES[reply.status],
        reason=_reason(reply.reason),
        moved=read.opt_uint(reply.body, keys.OutcomeReplyKey.CARDS_MOVED),
        is_found=request.operation is Operation.OUTCOME,
    )


def permit_fact(device: str, answered: Answered) -> Fact | None:
    """What is to be said of the reply to PERMIT: nothing where it was accepted."""
    if words.OUTCOMES[answered.reply.status] is Outcome.OK:
        return None
    what = words.PERMITS[read.uint(answered.request.body, keys.PermitKey.WHAT)]
    return events.PermitAnswered(device=device, what=what, reason=_reason(answered.reply.reason))


def _reason(number: int | None) -> Reason:
    return words.REASONS.get(number or 0, Reason.UNKNOWN)


def _abilities(levels: tuple[int, ...]) -> dict[events.Ability, events.Holding]:
    """By position; a device that says less cannot do the rest."""
    said = dict(enumerate(levels))
    cannot = events.Holding.CANNOT
    return {word: words.HOLDINGS.get(said.get(at, 0), cannot) for at, word in words.ABILITIES.items()}


def _lamp_level(state: Body) -> tuple[events.LampColour, events.LampPattern] | None:
    packed = read.opt_uint(state, keys.StateKey.LAMP)
    return None if packed is None else words.lamp_words(packed)


class Levels(TypedDict):
    """What a quiet point compares."""

    content: int | None
    areas: tuple[int, ...] | None
    is_path_clear: bool | None
    is_lid_open: bool | None
    permits: tuple[events.PermitKind, ...]
    tray_cards: int | None
    meter_in: int | None
    meter_out: int | None
    chips_in: tuple[int, ...] | None
    chips_lying: tuple[int, ...] | None


def _levels(state: Body, meters: Body) -> Levels:
    return {
        "content": read.opt_uint(state, keys.StateKey.CONTENT),
        "areas": read.opt_array(state, keys.StateKey.CONTENT_BY_AREA),
        "is_path_clear": read.opt_flag(state, keys.StateKey.PATH_CLEAR),
        "is_lid_open": read.opt_flag(state, keys.StateKey.LID_OPEN),
        "permits": words.permit_words(read.uint(state, keys.StateKey.PERMITS)),
        "tray_cards": read.opt_uint(state, keys.StateKey.TRAY_CARDS),
        "meter_in": read.opt_uint(meters, keys.MetersKey.CARDS_IN),
        "meter_out": read.opt_uint(meters, keys.MetersKey.CARDS_OUT),
        "chips_in": read.opt_array(meters, keys.MetersKey.CHIPS_IN),
        "chips_lying": read.opt_array(state, keys.StateKey.CHIPS_LYING),
    }
