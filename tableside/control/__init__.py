"""The control socket: people and other systems ask the tables, one JSON line a message (docs/protocols/control.md)."""
