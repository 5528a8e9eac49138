"""Every fact that the journal keeps as it stands: all but `BadgeSeen` and `CodeKeyed`. One line a kind of device."""

from __future__ import annotations

from drivers import events
from drivers.card_events import AnyCardFact
from drivers.display_events import AnyDisplayFact
from drivers.firmware_events import AnyFirmwareFact
from drivers.lamp_events import AnyLampFact
from drivers.slot_events import AnySlotFact

AnyFact = (
    events.DeviceReady
    | events.DeviceLost
    | events.DeviceRejected
    | events.DeviceBooted
    | events.NoticesLost
    | events.NoticeUnknown
    | events.LevelsRead
    | events.CardsOut
    | events.CardsIn
    | events.TrayLevel
    | events.BufferLow
    | events.BufferNormal
    | events.PacketEnded
    | events.CardSuspected
    | events.CardJammed
    | events.JamGone
    | events.LidOpened
    | events.LidClosed
    | events.DeviceFaulted
    | events.DeviceFaultGone
    | events.LampChanged
    | events.Tampered
    | events.KeyPressed
    | events.PermitEnded
    | events.CommandEnded
    | events.CommandAnswered
    | events.CommandProgressed
    | events.PermitAnswered
    | events.ReaderReady
    | events.ReaderLost
    | events.ReaderTroubled
    | AnyDisplayFact
    | AnyLampFact
    | AnyCardFact
    | AnySlotFact
    | AnyFirmwareFact
)
