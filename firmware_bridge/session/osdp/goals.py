"""What a station shall show or sound next: of two wishes of one kind only the newer is sent (goals, not a queue)."""

from __future__ import annotations

from firmware_bridge.wire.osdp.commands import CommandMessage


class Goals:
    """Commands that wait for their turn, one a kind, in the order in which the kinds were first wished for."""

    def __init__(self) -> None:
        self._waiting: dict[type[CommandMessage], tuple[CommandMessage, float | None]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wish(self, command: CommandMessage, expires_at_s: float | None) -> CommandMessage | None:
        """Put a wish; gives back the older one of its kind that it replaces."""
        replaced = self._waiting.get(type(command))
        self._waiting[type(command)] = (command, expires_at_s)
        return replaced[0] if replaced else None

    def take(self, now_s: float) -> tuple[CommandMessage | None, list[CommandMessage]]:
        """The next command to send, or None; and those that ran out of time before their turn came."""
        stale: list[CommandMessage] = []
        while self._waiting:
            command, expires_at_s = self._waiting.pop(next(iter(self._waiting)))
            if expires_at_s is None or now_s < expires_at_s:
                return command, stale
            stale.append(command)
        return None, stale

    def drop(self) -> list[CommandMessage]:
        """Forget all; gives back what waited."""
        dropped = [command for command, _ in self._waiting.values()]
        self._waiting.clear()
        return dropped
