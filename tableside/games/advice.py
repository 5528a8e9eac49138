"""What the rules say about something that happened: told to people, who decide; never done for them."""

from __future__ import annotations

import msgspec

from tableside.house import Role


class Advice(msgspec.Struct, frozen=True):
    """`rule` is its id, `happened` one line of fact, `ruling` what the rules say, `next_step` what hands do now.

    `decides`: whose decision it is. The decision that is taken is a request of its own; it may go against the ruling.
    """

    rule: str
    happened: str
    ruling: str
    next_step: str
    decides: Role = Role.DEALER


class Against(Exception):
    """What was told is against the rules as they stand; carries the advice. The round is as it was."""

    def __init__(self, advice: Advice) -> None:
        super().__init__(f"{advice.rule}: {advice.happened}; {advice.ruling}; {advice.next_step}")
        self.advice = advice
