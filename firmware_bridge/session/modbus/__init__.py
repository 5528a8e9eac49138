"""Modbus: one question at a time on a cable that several boards may share (docs/protocols/modbus-retrofit.md)."""

from firmware_bridge.session.modbus.bus import BusSettings as BusSettings
from firmware_bridge.session.modbus.bus import ModbusBus as ModbusBus
from firmware_bridge.session.modbus.line import BoardRefused as BoardRefused
from firmware_bridge.session.modbus.line import Unanswered as Unanswered
from firmware_bridge.session.modbus.profile import LineProfile as LineProfile
