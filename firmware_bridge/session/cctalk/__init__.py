"""One ccTalk bus with its coin acceptors: who is asked when, what echoes, what collides (docs/protocols/cctalk.md)."""

from firmware_bridge.session.cctalk.acceptor import Acceptor, AcceptorNotice, AcceptorProfile
from firmware_bridge.session.cctalk.bus import BusSettings, CctalkBus

__all__ = ["Acceptor", "AcceptorNotice", "AcceptorProfile", "BusSettings", "CctalkBus"]
