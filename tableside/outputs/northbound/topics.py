"""The topics of one table at the broker. Pure.

`<prefix>/<table>/…`, so that one rule at the broker lets a table write its own topics and no other's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics by what they carry. `prefix` has no slash at its ends."""

    prefix: str
    table: str

    @property
    def base(self) -> str:
        """What all of them begin with."""
        return f"{self.prefix}/{self.table}"

    @property
    def link(self) -> str:
        """Retained: whether the table is on-line; the will."""
        return f"{self.base}/link"

    @property
    def state(self) -> str:
        """Retained: how the table stands."""
        return f"{self.base}/state"

    @property
    def check(self) -> str:
        """What the table sends itself to prove that it is heard."""
        return f"{self.base}/check"

    @property
    def acks(self) -> str:
        """What consumers acknowledge, as a filter."""
        return f"{self.base}/acks/+"

    @property
    def commands(self) -> str:
        """What clients ask, as a filter."""
        return f"{self.base}/commands/+"

    def output(self, output: str, consumer: str) -> str:
        """What one consumer gets: events, bookmarks or pages."""
        return f"{self.base}/{output}/{consumer}"

    def ack(self, consumer: str) -> str:
        """Where this consumer acknowledges."""
        return f"{self.base}/acks/{consumer}"

    def command(self, client: str) -> str:
        """Where this client asks."""
        return f"{self.base}/commands/{client}"

    def reply(self, client: str) -> str:
        """Where this client is answered; it may name a topic below this one."""
        return f"{self.base}/replies/{client}"

    def may_reply(self, topic: str, client: str) -> bool:
        """Whether a reply topic is this client's own: nobody makes the table write elsewhere."""
        own = self.reply(client)
        is_plain = "+" not in topic and "#" not in topic and "\0" not in topic
        return is_plain and (topic == own or topic.startswith(f"{own}/"))
