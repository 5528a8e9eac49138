"""The host side of one TDL connection (docs/protocols/tdl.md): handshake, requests, notices."""

from firmware_bridge.session.tdl.hello import Expected, HelloReply, WrongDevice
from firmware_bridge.session.tdl.requests import Request, Urgency
from firmware_bridge.session.tdl.said import Answered, Identity, Noticed, Progressed, Ready, Said
from firmware_bridge.session.tdl.session import Opening, TdlSession

__all__ = [
    "Answered",
    "Expected",
    "HelloReply",
    "Identity",
    "Noticed",
    "Opening",
    "Progressed",
    "Ready",
    "Request",
    "Said",
    "TdlSession",
    "Urgency",
    "WrongDevice",
]
