"""A recorded conversation told again: its messages in words, and the facts that today's driver makes of the notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from drivers.events import Fact
from drivers.tdl.facts import notice_fact
from firmware_bridge.links.recording import Direction, Recording
from firmware_bridge.session.tdl import Noticed
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import BadBody
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import NoticeKey
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder
from tableside.diagnosis.speech import TDL, Spoken, speech_of
from tableside.diagnosis.traces import Heard

ALL_KINDS = frozenset(int(kind) for kind in NoticeKind)


def messages(recording: Recording) -> Iterator[Heard]:
    """Every message of a recording. Raises `ValueError` for a profile that nothing here understands."""
    speech = speech_of(recording.head.profile, is_message_based=recording.head.is_message_based)
    for entry in recording:
        if entry.direction is Direction.END:
            yield Heard(entry.at_ns, Spoken(entry.direction, entry.data.decode("utf-8", "replace")))
            continue
        for spoken in speech.feed(entry.direction, entry.data):
            yield Heard(entry.at_ns, spoken)


@dataclass(slots=True)
class Retold:
    """Facts of a recording, in order, each with its time; and what was counted."""

    facts: list[tuple[int, Fact]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def retell(recording: Recording) -> Retold:
    """What today's driver makes of a TDL device's notices; each once. Raises `ValueError` for another profile."""
    if recording.head.profile != TDL:
        raise ValueError(f"only {TDL} is told again as facts, this is {recording.head.profile}")
    retold = Retold()
    decoder = MessageDecoder() if recording.head.is_message_based else StreamDecoder()
    seen: set[tuple[int, int]] = set()
    for entry in recording:
        if entry.direction is not Direction.IN:
            retold.counts[f"chunks {entry.direction}"] += 1
            continue
        retold.counts["chunks in"] += 1
        for piece in decoder.feed(entry.data):
            if isinstance(piece, Garbage):
                retold.counts[f"garbage {piece.reason}"] += piece.size
                continue
            retold.counts[piece.type.name] += 1
            noticed = _noticed(piece)
            if noticed is not None and (noticed.boot, noticed.number) not in seen:
                seen.add((noticed.boot, noticed.number))
                retold.facts.append((entry.at_ns, notice_fact(recording.head.device, noticed, ALL_KINDS)))
    return retold


def _noticed(frame: Frame) -> Noticed | None:
    if frame.type is not MessageType.NOTICE:
        return None
    try:
        return Noticed(
            frame.code,
            read.uint(frame.body, NoticeKey.BOOT),
            read.uint(frame.body, NoticeKey.NUMBER),
            read.uint(frame.body, NoticeKey.MS),
            frame.body,
        )
    except BadBody:
        return None
