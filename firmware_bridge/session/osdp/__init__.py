"""The control panel of an OSDP bus: one link, many stations (docs/protocols/osdp.md). Pure but for its bus."""

from firmware_bridge.session.osdp.bus import BusSettings, OsdpBus
from firmware_bridge.session.osdp.counts import BusCounts, StationCounts
from firmware_bridge.session.osdp.listening import Listener
from firmware_bridge.session.osdp.notices import (
    CardShown,
    ChannelLost,
    CommandDone,
    CommandDropped,
    CommandRefused,
    EchoChanged,
    KeyInstalled,
    KeysKeyed,
    Loss,
    StationLost,
    StationNotice,
    StationReady,
    StatusTold,
)
from firmware_bridge.session.osdp.panel import ControlPanel, Send, Wait
from firmware_bridge.session.osdp.profile import LineProfile, StationProfile

__all__ = [
    "BusCounts",
    "BusSettings",
    "CardShown",
    "ChannelLost",
    "CommandDone",
    "CommandDropped",
    "CommandRefused",
    "ControlPanel",
    "EchoChanged",
    "KeyInstalled",
    "KeysKeyed",
    "LineProfile",
    "Listener",
    "Loss",
    "OsdpBus",
    "Send",
    "StationCounts",
    "StationLost",
    "StationNotice",
    "StationProfile",
    "StationReady",
    "StatusTold",
    "Wait",
]
