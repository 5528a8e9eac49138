"""What a control panel tells those above it. `address` is the station's on its bus."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmware_bridge.wire.osdp.commands import CommandMessage
from firmware_bridge.wire.osdp.replies import Capabilities, FormattedCard, Identity, RawCard


class Loss(StrEnum):
    """Why a station is off-line."""

    SILENT = "silent"
    NO_FRAME = "no_frame"  # bytes come, but none of them a frame
    BUSY = "busy"
    LINK = "link"  # the cable of the whole bus
    WRONG_DEVICE = "wrong_device"
    WRONG_KEY = "wrong_key"
    NOT_SECURABLE = "not_securable"  # it knows no secure channel, and a plain one is refused
    NEEDS_KEY = "needs_key"  # it speaks only through a secure channel, and none is configured
    CHANNEL_BROKEN = "channel_broken"  # made, and broken again and again
    OUT_OF_STEP = "out_of_step"  # it refuses every sequence number
    NONSENSE = "nonsense"  # answers that the protocol forbids


@dataclass(frozen=True, slots=True)
class StationReady:
    """Set-up is complete; goals (lamp, text) have to be stated again. Told after each set-up."""

    address: int
    identity: Identity
    capabilities: Capabilities
    is_secure: bool


@dataclass(frozen=True, slots=True)
class StationLost:
    """Off-line; told once for each reason. `text` says what to do next; nothing of use was heard for `silent_s`."""

    address: int
    loss: Loss
    text: str
    silent_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CardShown:
    address: int
    card: RawCard | FormattedCard


@dataclass(frozen=True, slots=True)
class KeysKeyed:
    address: int
    keys: bytes  # ASCII digits, 7F for *, 0D for #


@dataclass(frozen=True, slots=True)
class StatusTold:
    address: int
    is_tampered: bool
    is_power_failing: bool


@dataclass(frozen=True, slots=True)
class CommandDone:
    address: int
    command: CommandMessage


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """The station answered NAK: it will not be asked again."""

    address: int
    command: CommandMessage
    why: str


@dataclass(frozen=True, slots=True)
class CommandDropped:
    """Not sent, or not known to have been carried out: off-line, out of date, or replaced by a newer goal."""

    address: int
    command: CommandMessage
    why: str


@dataclass(frozen=True, slots=True)
class ChannelLost:
    """The secure channel broke and is made again; `text` says how it broke."""

    address: int
    text: str


@dataclass(frozen=True, slots=True)
class KeyInstalled:
    """Install mode: the station took its own key."""

    address: int


StationNotice = (
    StationReady
    | StationLost
    | CardShown
    | KeysKeyed
    | StatusTold
    | CommandDone
    | CommandRefused
    | CommandDropped
    | ChannelLost
    | KeyInstalled
)


@dataclass(frozen=True, slots=True)
class EchoChanged:
    """The cable plays our own bytes back, or no longer does; both are fine (BR-005)."""

    is_on: bool
