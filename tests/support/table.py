"""A table in a test: a state, a clock that the test moves, and what each input decided."""

from __future__ import annotations

from typing import TypeVar

from drivers import events
from firmware_bridge.clock import NS_PER_S
from tableside.decisions import Decision, RequestAnswered
from tableside.house import DeckGroup, House, Jurisdiction, Person, Role, Section
from tableside.inputs import AnyInput, BadgeSighted, DaemonStarted, DeadlinePassed, Input
from tableside.state import TableState, reduce

D = TypeVar("D", bound=Decision)
WALL_START_NS = 1_790_000_000 * NS_PER_S

PERSONS = (
    Person("D1", "Dina Dealer", (Role.DEALER,)),
    Person("D2", "Duarte Dealer", (Role.DEALER,)),
    Person("S1", "Sara Supervisor", (Role.FLOOR_SUPERVISOR,)),
    Person("S2", "Simão Supervisor", (Role.FLOOR_SUPERVISOR,)),
    Person("M1", "Maria Manager", (Role.ROOM_MANAGEMENT,)),
    Person("P1", "Paulo Pit", (Role.PIT_MANAGER,)),
    Person("I1", "Ivo Inspector", (Role.TABLE_INSPECTOR,)),
    Person("T1", "Teresa Technician", (Role.TECHNICIAN,)),
)

HOUSE = House(
    table="BJ 3",
    profile="lab",
    section=Section("A", supervisor="S1", neighbour="S2", pit_manager="P1", room_management="M1"),
    decks=(DeckGroup("red", 3), DeckGroup("blue", 3)),
    seats=7,
    persons=PERSONS,
    shuffler="shuffler",
    switch_box="switches",
    readers=("reader",),
    spare_shufflers=("spare",),
    jurisdiction=Jurisdiction("pt"),
    epoch=0xA1B2C3D4,
)

# Of a machine: it has no chip slots.
ENFORCING = dict.fromkeys(
    (ability for ability in events.Ability if ability is not events.Ability.SLOTS), events.Holding.ENFORCES
)


class Table:
    """Feeds inputs and keeps everything that was decided."""

    def __init__(self, house: House = HOUSE) -> None:
        self.state = TableState(house=house)
        self.now_ns = 1_000 * NS_PER_S
        self.wall_offset_ns = 0  # how far somebody has stepped the wall clock
        self.decided: list[Decision] = []
        self.given: list[Input] = []
        self._requests = 0
        self._notices: dict[str, int] = {}
        self.give(DaemonStarted(version="test", clock_boot="boot-1", house=house))
        for reader in house.readers:
            self.reader_ready(reader)

    def give(self, what: AnyInput) -> tuple[Decision, ...]:
        """One input now; returns what this turn decided."""
        wall_ns = WALL_START_NS + self.now_ns + self.wall_offset_ns
        given = Input(self.now_ns, wall_ns, "simulated", what)
        self.given.append(given)
        self.state, decided = reduce(self.state, given)
        self.decided.extend(decided)
        return decided

    def wait(self, seconds: float) -> list[Decision]:
        """Let time pass; timers that run out come as inputs, in order."""
        end = self.now_ns + round(seconds * NS_PER_S)
        decided: list[Decision] = []
        while True:
            due = [(at, name) for name, at in self.state.timers.due.items() if at <= end]
            if not due:
                break
            at, name = min(due)
            self.now_ns = max(self.now_ns, at)
            decided.extend(self.give(DeadlinePassed(name=name)))
        self.now_ns = end
        return decided

    def notice(self, kind: type[events.Notice], device: str = "shuffler", **fields: object) -> tuple[Decision, ...]:
        """A notice of a device with the next number of its present boot."""
        boot = max(1, self.state.devices.known[device].boot) if device in self.state.devices.known else 1
        number = self._notices[device] = self._notices.get(device, 0) + 1
        return self.give(kind(device=device, boot=boot, number=number, **fields))  # type: ignore[arg-type]  # kinds differ in fields

    def ready(self, device: str = "shuffler", **changes: object) -> tuple[Decision, ...]:
        """The device is connected, empty and well, and has told all, save for `changes`."""
        told = self._notices.get(device, 0)
        fields: dict[str, object] = {
            "device": device,
            "maker": "Test",
            "model": "CSM-SIM" if device != "switches" else "BOX-SIM",
            "serial": {"shuffler": "000123", "spare": "000124"}.get(device, "000500"),
            "firmware": "1.0",
            "digest": "00" * 32,
            "is_simulated": True,
            "boot": 1,
            "boot_cause": "power",
            "epoch": HOUSE.epoch,
            "highest_number": 0,
            "oldest_notice": told + 1,
            "newest_notice": told,
            "abilities": ENFORCING,
            "content": 0 if device != "switches" else None,
            "areas": (0, 0, 0) if device != "switches" else None,
            "is_path_clear": True,
            "is_lid_open": False,
            "meter_in": 0,
            "meter_out": 0,
        }
        return self.give(events.DeviceReady(**{**fields, **changes}))  # type: ignore[arg-type]  # fields are checked by name

    def restarted(self, device: str = "shuffler", **changes: object) -> tuple[Decision, ...]:
        """The device is connected again in another boot: its notices begin anew."""
        self._notices[device] = 0
        return self.ready(device, **changes)

    def reader_ready(self, reader: str = "reader", serial: str = "R1") -> tuple[Decision, ...]:
        """The badge reader answers."""
        return self.give(
            events.ReaderReady(device=reader, vendor="Test", model="R", serial=serial, firmware="1", is_secure=True)
        )

    def ask(self, kind: type, by: str = "S1", **fields: object) -> RequestAnswered:
        """A request with a fresh id; returns its answer."""
        self._requests += 1
        decided = self.give(kind(id=f"r{self._requests}", by=by, **fields))
        return next(decision for decision in decided if isinstance(decision, RequestAnswered))

    def tap(
        self, staff: str, reader: str = "reader", kind: events.SightingKind = events.SightingKind.TAP
    ) -> tuple[Decision, ...]:
        """A member of staff taps the badge, or holds it there, or takes it away."""
        return self.give(BadgeSighted(reader=reader, staff=staff, kind=kind))

    def all_of(self, kind: type[D]) -> list[D]:
        """Every decision of one kind so far."""
        return [decision for decision in self.decided if isinstance(decision, kind)]
