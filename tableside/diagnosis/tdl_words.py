"""TDL messages in words: which body key has which name, and which numbers have names of their own. Tables, pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag

from firmware_bridge.wire.tdl import codes, keys
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, is_moving
from firmware_bridge.wire.tdl.frame import Frame

Names = tuple[type[IntEnum], ...]

REQUESTS: Mapping[int, Names] = {
    Operation.OUTCOME: (keys.OutcomeKey,),
    Operation.PERMIT: (keys.PermitKey,),
    Operation.LAMP: (keys.LampKey,),
    Operation.SHOW: (keys.ShowKey,),
    Operation.CLEAR_FAULT: (keys.ClearFaultKey,),
    Operation.ARM: (keys.ArmKey,),
    Operation.ADOPT: (keys.AdoptKey,),
}
REPLIES: Mapping[int, Names] = {
    Operation.IDENTITY: (keys.IdentityKey,),
    Operation.OUTCOME: (keys.OutcomeReplyKey,),
    Operation.STATE: (keys.StateKey,),
    Operation.PERMIT: (keys.PermitReplyKey,),
    Operation.FAULTS: (keys.FaultsKey,),
    Operation.METERS: (keys.MetersKey,),
}
NOTICES: Mapping[int, Names] = {
    NoticeKind.BOOTED: (keys.BootedKey,),
    NoticeKind.CARDS_OUT: (keys.MeterKey,),
    NoticeKind.CARDS_IN: (keys.MeterKey,),
    NoticeKind.CHIPS_IN: (keys.MeterKey,),
    NoticeKind.TRAY: (keys.TrayKey,),
    NoticeKind.JAM: (keys.PlaceKey,),
    NoticeKind.JAM_GONE: (keys.PlaceKey,),
    NoticeKind.FAULT: (keys.FaultKey,),
    NoticeKind.FAULT_GONE: (keys.FaultKey,),
    NoticeKind.LAMP: (keys.LampNoticeKey,),
    NoticeKind.BUFFER_LOW: (keys.CardsKey,),
    NoticeKind.BUFFER_NORMAL: (keys.CardsKey,),
    NoticeKind.PACKET_END: (keys.CardsKey,),
    NoticeKind.PERMIT_ENDED: (keys.PermitEndedKey,),
    NoticeKind.SUSPECT_CARD: (keys.SuspectKey,),
    NoticeKind.COMMAND_ENDED: (keys.CommandEndedKey,),
    NoticeKind.TAMPER: (keys.TamperKey,),
    NoticeKind.NOTICES_LOST: (keys.NoticesLostKey,),
    NoticeKind.KEY: (keys.KeyKey,),
    NoticeKind.CARD_READ: (keys.CardReadKey,),
    NoticeKind.CHIP_RETURNED: (keys.ChipReturnedKey,),
}


def _named(key: IntEnum) -> str:
    """A key with its message: as numbers the keys of different messages are the same."""
    return f"{type(key).__name__}.{key.name}"


# Key → the names of its values.
VALUES: Mapping[str, type[IntEnum] | type[IntFlag]] = {
    _named(keys.HelloReplyKey.CAUSE): codes.BootCause,
    _named(keys.HelloReplyKey.FLAGS): codes.HelloFlag,
    _named(keys.StateKey.FLAGS): codes.HelloFlag,
    _named(keys.ReplyKey.STATUS): codes.Status,
    _named(keys.ReplyKey.REASON): codes.Reason,
    _named(keys.PermitKey.WHAT): codes.Permit,
    _named(keys.LampKey.COLOUR): codes.LampColour,
    _named(keys.LampKey.PATTERN): codes.LampPattern,
    _named(keys.ClearFaultKey.FAULT): codes.FaultCode,
    _named(keys.ClearFaultKey.PLACE): codes.Place,
    _named(keys.BootedKey.CAUSE): codes.BootCause,
    _named(keys.PlaceKey.PLACE): codes.Place,
    _named(keys.FaultKey.FAULT): codes.FaultCode,
    _named(keys.FaultKey.PLACE): codes.Place,
    _named(keys.LampNoticeKey.COLOUR): codes.LampColour,
    _named(keys.LampNoticeKey.PATTERN): codes.LampPattern,
    _named(keys.PermitEndedKey.WHAT): codes.Permit,
    _named(keys.PermitEndedKey.WHY): codes.PermitEnd,
    _named(keys.SuspectKey.WHY): codes.SuspectReason,
    _named(keys.SuspectKey.PLACE): codes.Place,
    _named(keys.CommandEndedKey.STATUS): codes.Status,
    _named(keys.CommandEndedKey.REASON): codes.Reason,
}
A_CARDS_KEY = _named(keys.CardReadKey.CARD)
EPOCHS = frozenset(
    {
        _named(keys.HelloKey.EPOCH),
        _named(keys.HelloReplyKey.EPOCH),
        _named(keys.OutcomeKey.EPOCH),
        _named(keys.MovingKey.EPOCH),
        _named(keys.AdoptKey.NEW_EPOCH),
    }
)


def in_words(frame: Frame) -> str:
    """One message as a technician reads it; what has no name stays a number."""
    head = f"{frame.type.name} {_code(frame)}".rstrip()
    if frame.seq:
        head += f" seq {frame.seq}"
    names = {int(key): key for group in _names(frame) for key in group}
    body = " ".join(_field(number, names.get(number), value) for number, value in frame.body.items())
    return f"{head}: {body}" if body else head


def _code(frame: Frame) -> str:
    if frame.type in (MessageType.REQUEST, MessageType.REPLY, MessageType.PROGRESS):
        return _name(codes.Operation, frame.code)
    return _name(codes.NoticeKind, frame.code) if frame.type is MessageType.NOTICE else ""


def _names(frame: Frame) -> Names:
    match frame.type:
        case MessageType.HELLO:
            return (keys.HelloKey,)
        case MessageType.HELLO_REPLY:
            return (keys.HelloReplyKey,)
        case MessageType.NOTICE_ACK:
            return (keys.NoticeAckKey,)
        case MessageType.PROGRESS:
            return (keys.ProgressKey,)
        case MessageType.NOTICE:
            return (keys.NoticeKey, *NOTICES.get(frame.code, ()))
        case MessageType.REPLY:
            return (keys.ReplyKey, *REPLIES.get(frame.code, ()))
        case MessageType.REQUEST if is_moving(frame.code) and frame.code not in REQUESTS:
            return (keys.MovingKey,)
        case _:
            return REQUESTS.get(frame.code, ())


def _field(number: int, key: IntEnum | None, value: Value) -> str:
    return f"{key.name.lower() if key is not None else number}={_value(key, value)}"


def _value(key: IntEnum | None, value: Value) -> str:
    if isinstance(value, bytes):
        return value.hex() or "-"
    if isinstance(value, tuple | list):
        return "[" + ",".join(map(str, value)) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and key is not None:
        if _named(key) == A_CARDS_KEY:
            return "a card"  # which one, the cable says and nobody else (semantics §6)
        if _named(key) in EPOCHS:
            return f"{value:08X}"
        if _named(key) in VALUES:
            return _name(VALUES[_named(key)], value)
    return str(value)


def _name(names: type[IntEnum] | type[IntFlag], number: int) -> str:
    if issubclass(names, IntFlag):
        return "+".join(flag.name or "" for flag in names if number & flag) or "none"
    try:
        return str(names(number).name)
    except ValueError:
        return f"{number:#04x}"
