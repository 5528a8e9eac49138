"""A table in a test: a state, a clock that the test moves, and what each input decided."""

from __future__ import annotations

from typing import TypeVar

from drivers import events
from firmware_bridge.clock import NS_PER_S
from tableside.decisions import Decision, RequestAnswered
from tableside.house import DeckGroup, House, Jurisdiction, Person, Role, Section
from tableside.inputs import AnyInput, DaemonStarted, DeadlinePassed, Input
from tableside.state import TableState, reduce

D = TypeVar("D", bound=Decision)
WALL_START_NS = 1_790_000_000 * NS_PER_S

PERSONS = (
    Person("D1", "Dina Dealer", "26:0000D1", (Role.DEALER,)),
    Person("D2", "Duarte Dealer", "26:0000D2", (Role.DEALER,)),
    Person("S1", "Sara Supervisor", "26:0000A1", (Role.FLOOR_SUPERVISOR,)),
    Person("S2", "Simão Supervisor", "26:0000A2", (Role.FLOOR_SUPERVISOR,)),
    Person("M1", "Maria Manager", "26:0000B1", (Role.ROOM_MANAGEMENT,)),
    Person("P1", "Paulo Pit", "26:0000B2", (Role.PIT_MANAGER,)),
    Person("T1", "Teresa Technician", "26:0000C1", (Role.TECHNICIAN,)),
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

ENFORCING = dict.fromkeys(events.Ability, events.Holding.ENFORCES)


class Table:
    """Feeds inputs and keeps everything that was decided."""

    def __init__(self, house: House = HOUSE) -> None:
        self.state = TableState(house=house)
        self.now_ns = 1_000 * NS_PER_S
        self.decided: list[Decision] = []
        self.given: list[Input] = []
        self._requests = 0
        self._notices: dict[str, int] = {}
        self.give(DaemonStarted(version="test", clock_boot="boot-1", house=house))

    def give(self, what: AnyInput) -> tuple[Decision, ...]:
        """One input now; returns what this turn decided."""
        given = Input(self.now_ns, WALL_START_NS + self.now_ns, "simulated", what)
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
        """The device is connected, empty and well, save for `changes`."""
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
            "oldest_notice": 1,
            "newest_notice": 0,
            "abilities": ENFORCING,
            "content": 0 if device != "switches" else None,
            "areas": (0, 0, 0) if device != "switches" else None,
            "is_path_clear": True,
            "is_lid_open": False,
            "meter_in": 0,
            "meter_out": 0,
        }
        return self.give(events.DeviceReady(**{**fields, **changes}))  # type: ignore[arg-type]  # fields are checked by name

    def ask(self, kind: type, by: str = "S1", **fields: object) -> RequestAnswered:
        """A request with a fresh id; returns its answer."""
        self._requests += 1
        decided = self.give(kind(id=f"r{self._requests}", by=by, **fields))
        return next(decision for decision in decided if isinstance(decision, RequestAnswered))

    def tap(self, staff: str, reader: str = "reader") -> tuple[Decision, ...]:
        """A member of staff taps the badge."""
        person = self.state.house.person(staff)
        assert person is not None
        return self.give(events.BadgeSeen(device=reader, badge=person.badge, kind=events.SightingKind.TAP))

    def all_of(self, kind: type[D]) -> list[D]:
        """Every decision of one kind so far."""
        return [decision for decision in self.decided if isinstance(decision, kind)]
