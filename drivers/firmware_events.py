"""What a machine tells of its own firmware. `drivers/every_fact.py` has all facts.

All of it is *self-reported*: whoever changed the firmware may have changed what it says of itself.
"""

from __future__ import annotations

from drivers.fact import Fact, Lost, Ready


class FirmwarePortReady(Ready, frozen=True, kw_only=True):
    """The port answers by which a machine proves its firmware; it has proved nothing yet."""


class FirmwarePortLost(Lost, frozen=True, kw_only=True):
    """Nobody can ask the machine what it runs."""


class FirmwareTold(Fact, frozen=True, kw_only=True):
    """A whole proof: the digests that the machine reckoned under `key`, and what the list of allowed firmware says.

    `version` is the list's word for it, empty where it is not listed; `differences` say in words what does not fit.
    """

    of: str  # the device whose firmware it is
    maker: str
    model: str
    version: str
    is_listed: bool
    differences: tuple[str, ...]
    key: str  # hex: with it anybody who has the firmware reckons the digests again
    components: tuple[tuple[str, str], ...]


class FirmwareUntold(Fact, frozen=True, kw_only=True):
    """It was asked and did not tell: nobody knows what the machine runs."""

    of: str
    why: str


AnyFirmwareFact = FirmwarePortReady | FirmwarePortLost | FirmwareTold | FirmwareUntold
