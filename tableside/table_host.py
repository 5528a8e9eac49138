"""One running table: journal, replay, hub, drivers, and what is done when one of them breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NoReturn, TypeVar, cast

import msgspec
import structlog

from drivers.device import Display, Lamp, TdlDevice
from drivers.displays.showing import Showing
from drivers.events import DeviceReady, Fact, LampColour, LampPattern, Shown
from drivers.firmware.gat_port import GatPort
from firmware_bridge.session.backoff import OWN_CABLE_S, Backoff
from tableside.at_work import is_at_work
from tableside.badges import Badges, Enrolled, digest_of
from tableside.cabling import Equipment, Run, SharedBus
from tableside.config import HostConfig, TableConfig
from tableside.configuration.house import house_of, staff_by_badge
from tableside.configuration.shape import DeviceRole
from tableside.control.curtain import Curtain
from tableside.control.desk import TableStopped
from tableside.decisions import RequestAnswered
from tableside.diagnosis.device_status import device_status
from tableside.diagnosis.evidence import Evidence, evidence_of, of_last_connection
from tableside.diagnosis.kept_traces import FOLDER as TRACES
from tableside.diagnosis.kept_traces import TraceKeeper
from tableside.diagnosis.traces import Cable
from tableside.equipment import equip
from tableside.ground import Ground
from tableside.house import House
from tableside.hub import Entry, Hub
from tableside.inputs import AnyInput, DaemonStarted, JournalDoubted
from tableside.journal.opening import Place
from tableside.journal.record import RecordKind
from tableside.journal.store import Journal, Opening
from tableside.ledger_keeper import LedgerKeeper
from tableside.neighbours import with_present
from tableside.outputs.log_of_rows import log_rows
from tableside.outputs.northbound.assembly import Outputs
from tableside.outputs.texts import Texts
from tableside.procedures import is_round_open
from tableside.replay import state_of
from tableside.reports.rounds import open_round_since
from tableside.requests import AnyRequest
from tableside.rim import Rim
from tableside.sealing import Seal
from tableside.state import TableState

# How often the lamp of a table whose hub has broken is set again: a device may come back meanwhile.
LAMP_AGAIN_S = 5.0
# A turn that takes longer than this is not coming back: a commit of 5 s already locks the table (semantics §1.1).
STUCK_S = 30.0
# So long the revoked permits and the lamp may take to reach the devices when the daemon stops: three copies of a
# request and their replies (TDL 5) fit in, and it leaves most of the five seconds to the journals.
LAST_ORDERS_S = 1.0
_LAST_LOOK_S = 0.02

# Devices of these roles may have a lamp.
WITH_LAMP = (DeviceRole.SHUFFLER, DeviceRole.SWITCH_BOX, DeviceRole.LAMP)

T = TypeVar("T")
_log = structlog.get_logger("table")


class TableHost:
    """Runs one table. `open` it, `begin`, then `run` it until cancelled, with `stop` before; at the end `close`."""

    def __init__(
        self,
        config: TableConfig,
        host: HostConfig,
        ground: Ground,
        *,
        version: str,
        buses: dict[str, SharedBus],
        listen: Callable[[TableHost, Sequence[Entry]], None],
        enrolled: Enrolled,
    ) -> None:
        """`buses` and `enrolled` are shared with the other tables; `listen` hears every row after its own listeners."""
        self.name = config.name
        self.section = config.section
        self.texts = Texts(config.languages, host.time_zone)
        self.curtain = Curtain()
        self.published = 0
        self.restarts: dict[str, int] = {}
        self.stopped = "not running yet"
        self._config = config
        self._host = host
        self._ground = ground
        self._version = version
        self._buses = buses
        self._listen = listen
        self._enrolled = enrolled
        self._is_broken = False
        self._news = asyncio.Event()
        self._journal: Journal | None = None
        self._hub: Hub | None = None
        self._hub_task: asyncio.Task[None] | None = None
        self._equipment = Equipment()
        self._outputs: Outputs | None = None
        self._traces: TraceKeeper | None = None
        self._ledger: LedgerKeeper | None = None

    # --- what the desk asks -------------------------------------------------------------------------------------

    @property
    def journal(self) -> Journal:
        """The table's record."""
        return _open(self._journal)

    @property
    def state(self) -> TableState:
        """The state after the last durable turn."""
        return self.hub.state

    @property
    def hub(self) -> Hub:
        """The table's hub."""
        return _open(self._hub)

    @property
    def blind(self) -> tuple[int, str] | None:
        """Since when (monotonic ns) nothing can be recorded, so that everything is locked, and why; None as a rule."""
        return None if self._hub is None else self._hub.blind

    def cable(self, device: str) -> Cable | None:
        """The cable of a device, for those who listen in."""
        return self._equipment.cables.get(device)

    def evidence(self, device: str) -> Evidence | None:
        """What is known of a device's cable, for who asks why it is away."""
        configured = next((one for one in self._config.devices if one.name == device), None)
        health = self._equipment.health.get(device)
        if configured is None or health is None:
            return None
        cable = self._equipment.cables.get(device) or self._cable_at(configured.address)
        entries = () if cable is None else cable.ring.entries()
        now_ns = self._ground.clock.monotonic_ns()
        profile = "" if cable is None else cable.profile
        return evidence_of(configured, health(), profile, of_last_connection(entries, now_ns))

    def _device_statuses(self) -> Iterator[tuple[str, dict[str, object]]]:
        known = {} if self._hub is None else self.state.devices.known
        now_ns = self._ground.clock.monotonic_ns()
        for device in self._config.devices:
            health = self._equipment.health.get(device.name)
            if health is not None:
                cable = self._equipment.cables.get(device.name) or self._cable_at(device.address)
                yield device.name, device_status(device, known.get(device.name), health(), cable, now_ns)

    def _cable_at(self, address: str) -> Cable | None:
        """Devices of one bus stand under the one that names it first."""
        sharing = (one.name for one in self._config.devices if one.address == address)
        return next((cable for name in sharing if (cable := self._equipment.cables.get(name)) is not None), None)

    @property
    def device_names(self) -> tuple[str, ...]:
        """The devices of the table, in the file's order."""
        return tuple(device.name for device in self._config.devices)

    def firmware_port(self, device: str) -> GatPort | None:
        """A port by which a machine proves its firmware."""
        return self._equipment.firmware_ports.get(device)

    @property
    def firmware_ports(self) -> tuple[str, ...]:
        """The ports that the table has."""
        return tuple(self._equipment.firmware_ports)

    @property
    def cables(self) -> tuple[str, ...]:
        """The devices at whose cables one can listen."""
        return tuple(self._equipment.cables)

    @property
    def is_well(self) -> bool:
        """The hub makes progress, or has broken and said so: then starting the process anew is a person's decision."""
        return self.hub.working_s < STUCK_S

    def knows(self, staff: str) -> bool:
        """Whether the configuration names this person at this table."""
        return self.state.house.person(staff) is not None

    async def ask(self, request: AnyRequest) -> RequestAnswered:
        """A request's one answer. Raises `TableStopped` where the hub breaks before it has one."""
        hub_task = _open(self._hub_task)
        asking = asyncio.ensure_future(self.hub.ask(request))
        try:
            await asyncio.wait({asking, hub_task}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            raise TableStopped(self.stopped or "the daemon stops")
        finally:
            asking.cancel()

    async def until_news(self, after: int) -> None:
        """Wait until a row above `after` is published."""
        while self.published <= after:
            await self._news.wait()

    def health(self) -> dict[str, object]:
        """How journal, devices and tasks are, for the technician."""
        condition = self.journal.condition()
        return {
            "stopped": self.stopped,
            "locked": "" if self.blind is None else f"no record can be written: {self.blind[1]}",
            "codes_ignored": dict(self._hub.rim.codes_ignored) if self._hub is not None else {},
            "row": self.published,
            "journal": {
                "rows": condition.last_seq,
                "journal_bytes": condition.journal_bytes,
                "log_bytes": condition.log_bytes,
                "reserve_rows": condition.reserve_rows,
                "reserve_free_bytes": condition.reserve_free_bytes,
                "troubles": list(condition.troubles),
            },
            "devices": dict(self._device_statuses()),
            "outputs": {name: health() for name, health in _open(self._outputs).health.items()},
            "ledger": None if self._ledger is None else self._ledger.health(),
            "restarts": dict(self.restarts),
        }

    # --- life ---------------------------------------------------------------------------------------------------

    async def open(self) -> TableState:
        """Open the journal and replay it; returns how things stood. Raises `JournalRefused`."""
        place = Place(
            self.name,
            self._host.journal_directory / f"{self.name}.db",
            self._host.reserve_directory / f"{self.name}.reserve",
        )
        self._journal = await self._ground.open_journal(place)
        state = state_of(self._journal, self._house())
        self._enrolled.learn(state.procedures.enrolment.badges)
        return state

    async def begin(self, state: TableState, present: Mapping[str, str]) -> None:
        """Build hub and drivers on the replayed state. `present`: who has each section now."""
        journal, house = self.journal, with_present(self._house(), self._neighbour(), present)
        self._equipment = equip(self._config, self._ground, self.report, journal.genesis.epoch, self._buses)
        traces = TraceKeeper(
            self._host.journal_directory / TRACES / self.name,
            self._equipment.cables,
            self._ground.clock,
            self._ground.write,
        )
        self._traces = traces
        self._hub = Hub(
            journal,
            state,
            self._ground.clock,
            self._equipment.devices,
            [self._publish, log_rows, partial(self._listen, self), traces.listen],
            rim=Rim(
                Badges(staff_by_badge(self._config), self._ground.digest_key, self._enrolled),
                Seal(self._ground.seal_key, self.name),
            ),
            version=self._version,
        )
        self.published = journal.tail.seq
        self.curtain = Curtain(
            open_round_since(journal.records(0, {RecordKind.DECISION})) if is_round_open(state) else None
        )
        await self._hub.report(DaemonStarted(version=self._version, clock_boot=self._ground.clock.boot, house=house))
        self._outputs = Outputs(self, self.tell, self._host, self._ground)
        if self._config.ledger is not None:
            place = self._config.ledger
            self._ledger = LedgerKeeper(self, place, self._ground.new_ledger, self.tell, self._ground.jitter())
        doubts = _doubts(journal.opening)
        if doubts:
            await self._hub.report(JournalDoubted(findings=doubts))

    async def run(self) -> None:
        """Run until cancelled. A hub that breaks stops this table and nothing else."""
        structlog.contextvars.bind_contextvars(table=self.name)
        async with asyncio.TaskGroup() as tasks:
            self._hub_task = tasks.create_task(self._run_hub(), name=f"hub of {self.name}")
            self.stopped = ""
            tasks.create_task(self._mind_hub(self._hub_task), name=f"lamp of {self.name}")
            for name, run in (
                *self._equipment.running.items(),
                *_open(self._outputs).running.items(),
                ("traces", _open(self._traces).run),
                *(() if self._ledger is None else (("ledger", self._ledger.run),)),
            ):
                tasks.create_task(self._keep(name, run), name=f"{name} of {self.name}")

    async def stop(self) -> None:
        """End the hub: it revokes every permit; return when the devices have been told, or soon after."""
        self.stopped = "the daemon stops"
        if self._hub_task is not None:
            self._hub_task.cancel()
            await asyncio.wait({self._hub_task})
            if is_at_work(self.state):
                self._show_failure()  # nobody watches the table until the next start: it must not look well
        loop = asyncio.get_running_loop()
        end_s = loop.time() + LAST_ORDERS_S
        while self._equipment.has_orders and loop.time() < end_s:  # noqa: ASYNC110 - sessions announce no idleness
            await asyncio.sleep(_LAST_LOOK_S)

    async def close(self) -> None:
        """Leave the journal as one file."""
        if self._traces is not None:
            await self._traces.finish()
        if self._journal is not None:
            await self._journal.close()

    async def report(self, fact: Fact) -> None:
        """What the drivers call: the hub's queue. Where the hub has broken nothing is acknowledged: devices keep it."""
        if not self._is_broken:
            await self.hub.report(fact)
        elif isinstance(fact, DeviceReady):
            self._let_lamp_in(fact)

    async def tell(self, what: AnyInput) -> None:
        """A fact of the daemon itself; dropped where the table's hub has broken, as nothing decides there."""
        if not self._is_broken:
            await self.hub.report(what)

    def _publish(self, entries: Sequence[Entry]) -> None:
        self._enrolled.hear(entry.what for entry in entries)
        for entry in entries:
            self.curtain.follow(entry.seq, entry.what)
        self.published = entries[-1].seq
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _house(self) -> House:
        """As the files say, with the digest of each badge that they name: a lost one is withdrawn by it."""
        house, key = house_of(self._host, self._config, self.journal.genesis.epoch), self._ground.digest_key
        numbers = {staff: digest_of(key, number) for number, staff in staff_by_badge(self._config).items()}
        persons = (msgspec.structs.replace(one, badge=numbers.get(one.staff, "")) for one in house.persons)
        return msgspec.structs.replace(house, persons=tuple(persons))

    def _neighbour(self) -> str | None:
        return next(section.neighbour for section in self._host.sections if section.name == self.section)

    # --- when something breaks ----------------------------------------------------------------------------------

    async def _run_hub(self) -> None:
        try:
            await self.hub.run()
        except Exception as error:  # a fault of ours, whichever: the machine must not go on under nobody's eye
            self._is_broken = True
            self.stopped = f"{type(error).__name__}: {error}"
            _log.critical("hub_crashed", exc_info=error)

    async def _mind_hub(self, hub: asyncio.Task[None]) -> None:
        """A broken hub has revoked its permits on its way out; the lamp says that the product has failed."""
        await asyncio.wait({hub})
        while self._is_broken:
            self._show_failure()
            await asyncio.sleep(LAMP_AGAIN_S)

    def _show_failure(self) -> None:
        """Red and blinking on every lamp of the table; guests read *one moment* on every display."""
        for device in self._config.devices:
            driver = self._equipment.devices[device.name]
            if device.role is DeviceRole.DISPLAY:
                goal = self.state.displays.goal
                if goal is not None:
                    cast(Display, driver).show(Showing(goal.version, Shown.WAIT))
            elif device.role in WITH_LAMP:
                cast(Lamp, driver).set_lamp(LampColour.RED, LampPattern.BLINKING)

    def _let_lamp_in(self, ready: DeviceReady) -> None:
        """A device takes its lamp's goal only once it knows what our journal holds: that stays true (TDL 4.1)."""
        known = self.state.devices.known.get(ready.device)
        held = known.notice if known is not None and known.boot == ready.boot else 0
        cast(TdlDevice, self._equipment.devices[ready.device]).resume_notices(ready.boot, held)

    async def _keep(self, name: str, run: Run) -> NoReturn:
        """A driver's task that breaks is made anew, later each time; whose device it is knows it as away (BR-026)."""
        if name in self._equipment.devices:  # a bus has several, and names the station itself
            structlog.contextvars.bind_contextvars(device=name)
        backoff = Backoff(OWN_CABLE_S, self._ground.jitter())
        while True:
            try:
                await run()
            except Exception as error:
                self.restarts[name] = self.restarts.get(name, 0) + 1
                _log.error("task_crashed", task=name, device=name, restarts=self.restarts[name], exc_info=error)
                await asyncio.gather(*(tell() for tell in self._equipment.behind.get(name, ())))
            await asyncio.sleep(backoff.next_s())


def _open(part: T | None) -> T:
    if part is None:
        raise RuntimeError("the table is not open yet")
    return part


def _doubts(opening: Opening) -> tuple[str, ...]:
    """What was wrong with the journal when it was opened, in words."""
    found = tuple(f"row {finding.seq}: {finding.text}" for finding in opening.findings)
    return found if opening.set_aside is None else (*found, f"a strange reserve was set aside as {opening.set_aside}")
