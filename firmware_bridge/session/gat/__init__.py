"""One connection to a device that proves its firmware by GAT 3.50."""

from firmware_bridge.session.gat.calculation import NotTold, Progress, calculate
from firmware_bridge.session.gat.session import GatSession

__all__ = ["GatSession", "NotTold", "Progress", "calculate"]
