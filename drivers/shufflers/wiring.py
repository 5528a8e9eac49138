"""Which wire of an I/O board goes to what of a shuffler: as the table's file says it, and as the driver reads it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

# A board on a rail has 4 to 64 terminals; more are other boards.
Terminal = Annotated[int, Meta(ge=0, le=255)]
Register = Annotated[int, Meta(ge=0, le=65_535)]
Milliseconds = Annotated[int, Meta(ge=0, le=5_000)]


class JamLight(StrEnum):
    """Which light of the machine's own lamp means a jam; machines differ, their manual says it."""

    LIT = "lit"  # any light
    STEADY = "steady"
    BLINKING = "blinking"


class Contact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contact at a terminal. `is_active_low`: current flows while what it tells is *not* so (a closed lid's magnet).

    It counts once it has been the same for `debounce_ms`.
    """

    input: Terminal
    is_active_low: bool = False
    debounce_ms: Milliseconds = 30


class Lamp(Contact, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The machine's warning lamp: a contact, or a pick-up of its light. `jam` says what of it is a jam."""

    jam: JamLight = JamLight.LIT


class Gate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A light gate that cards pass: at a counter of the board's own, or at a terminal that we watch.

    A counter misses nothing between two polls, and goes on while nobody asks. At a terminal a card that is through
    faster than a poll (`pulse_ms` is the shortest that a card takes) is not seen: then that is said.
    """

    counter: Register | None = None
    counter_in: Literal["input registers", "holding registers"] = "input registers"
    is_counter_wide: bool = False  # two registers, the first the higher half: 32 bits
    input: Terminal | None = None
    is_active_low: bool = False
    pulse_ms: Annotated[int, Meta(ge=5, le=1_000)] = 30

    @property
    def counter_bits(self) -> int:
        """Where the counter wraps."""
        return 32 if self.is_counter_wide else 16


class Wiring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[devices.wiring]` of a shuffler that is watched through an I/O board. What is not wired is not known."""

    unit: Annotated[int, Meta(ge=1, le=247)] = 1
    poll_ms: Annotated[int, Meta(ge=5, le=1_000)] = 50
    jam_lamp: Lamp
    lid: Contact
    card_in: Gate
    card_out: Gate
    tray: Contact | None = None
    # The feed has been empty for so long: the packet is taken to be in. A gate cannot see a hopper.
    packet_quiet_ms: Annotated[int, Meta(ge=500, le=30_000)] = 3_000

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Those at terminals, gates aside."""
        return (self.jam_lamp, self.lid, *((self.tray,) if self.tray is not None else ()))

    @property
    def gates(self) -> tuple[Gate, Gate]:
        """The way in, and the way out."""
        return (self.card_in, self.card_out)


def wiring_objection(wiring: Wiring) -> tuple[str, str] | None:
    """What is wrong across keys: which part, and why; None: nothing."""
    for name, gate in (("card_in", wiring.card_in), ("card_out", wiring.card_out)):
        if (gate.counter is None) == (gate.input is None):
            return name, "has counter or input, and not both: say where its cards are counted"
        if gate.input is not None and gate.pulse_ms < 2 * wiring.poll_ms:
            fastest = gate.pulse_ms // 2
            return name, f"a pulse of {gate.pulse_ms} ms needs poll_ms of {fastest} or less, or a counter of the board"
    if wiring.card_in.counter_bits != wiring.card_out.counter_bits:
        return "card_out", "has a counter of another width than card_in"
    if wiring.card_in.input is not None and wiring.card_in.input == wiring.card_out.input:
        return "card_out", "is at the terminal of card_in"
    inputs = [contact.input for contact in wiring.contacts]
    if len(set(inputs)) != len(inputs):
        return "lid", "two contacts at one terminal"
    return None
