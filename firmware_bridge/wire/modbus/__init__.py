"""Modbus: messages, and their frames on a serial bus (RTU) and on TCP. Pure (docs/protocols/modbus-retrofit.md)."""
