"""A table on mixed cables, every part a process: shufflers on USB, jackpot display on MQTT, badges on serial (OSDP).

The machines are reached by pyusb over USB/IP, the display through a real mosquitto that is killed and started again,
the reader on a pseudo-terminal, the switch box over TCP. `make test-day` plays the whole first day so, in real time
with people and mechanics twenty times as quick; `test_mixed_cables.py` plays a short table. Guests' eyes follow an
amount that grows all the while.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from demo.check_wire import listen
from drivers.displays.money import amount_text
from firmware_bridge.links.recording import Recording
from simulator.play import Where, play
from simulator.side_client import ask
from simulator.speaking import Conversation, UnixChannel
from tableside.exit_codes import ExitCode
from tests.scenarios.checks import CARD, SECRET
from tests.support.mosquitto import PROGRAM, Mosquitto, free_port, running_mosquitto
from tests.support.process_table import NOTICES, PACE, Daemon, check_replay, table_of_processes
from tests.support.processes import DEADLINE_S as PATIENCE_S
from tests.support.processes import ROOT

SCENARIOS = ROOT / "scenarios"
WHOLE_DAY = (SCENARIOS / "jackpot.toml", SCENARIOS / "day.toml", SCENARIOS / "jackpot.toml")
TABLE, WALL, CURRENCY = "BJ-07", "wall", "EUR"
# A broker is come back to within half a minute, spread (BR-046); then the display has to be told.
BROKER_PATIENCE_S = 30.0 + PATIENCE_S
# People who look up from their cards: an amount stands for so long before it grows.
STANDS_S = 1.0

ROW = """[[devices]]
name = "wall"
role = "display"
driver = "tdl-display"
address = "{address}"
serial_number = "000888"
model = "SIGN-SIM"
display_characters = 13

"""
SIMULATED = """[[devices]]
name = "wall"
kind = "display"
serial_number = "000888"
address = "{address}"

"""
# The end of the last device of the demo's table, behind which more may stand.
LAST = "is_simulated = true # OSDP has no way to say so\n"
READER = '[[devices]]\nname = "badges"\nkind'
Tell = Callable[[str], None]


def edits(broker: Mosquitto) -> dict[str, str]:
    """What stands in the demo's files instead: two machines on USB, a display on MQTT. Badges are on serial there."""
    address = f"mqtt://{broker.host}:{broker.port}/BJ-07/{WALL}"
    machines = {"shuffler": "000123", "spare": "000124"}
    return {
        **{
            f"serial://../run/dev/{name}?baud=115200": f"usb://1209:0001/{serial}?usbip=127.0.0.1:{free_port()}"
            for name, serial in machines.items()
        },
        LAST: f"{LAST}\n{ROW.format(address=address)}",
        READER: SIMULATED.format(address=address) + READER,
    }


class Broker:
    """The broker as a scenario kills and starts it."""

    def __init__(self, mosquitto: Mosquitto) -> None:
        self._mosquitto = mosquitto

    async def kill(self) -> None:
        """See `HostProcess`."""
        await asyncio.to_thread(self._mosquitto.stop)

    async def start(self) -> None:
        """See `HostProcess`."""
        await asyncio.to_thread(self._mosquitto.start)


@dataclass
class Amounts:
    """An amount that grows beside the play, each one read at the table; once in the day the broker is killed."""

    folder: Path
    broker: Broker
    outage_at_round: int
    shown: int = 0
    outages: int = 0

    async def run(self, is_over: asyncio.Event) -> None:
        """Until the play is over. Raises AssertionError where an amount does not come to stand there."""

        async def connect() -> UnixChannel:
            return await UnixChannel.connect(self.folder / "run" / "control.sock")

        line = Conversation(connect, retry_s=0.2)
        talking = asyncio.create_task(line.run(), name="amounts")
        try:
            while not is_over.is_set():
                await self._show(line)
                if not self.outages and await self._round(line) >= self.outage_at_round:
                    await self._lose_the_broker(line)
                await asyncio.sleep(STANDS_S)
        finally:
            talking.cancel()
            await asyncio.wait({talking})

    async def _show(self, line: Conversation, *, patience_s: float = PATIENCE_S) -> None:
        await self._ask_for_more(line)
        await self._until_seen(patience_s)

    async def _ask_for_more(self, line: Conversation) -> None:
        self.shown += 1
        fields = {"what": "amount", "amount": self._amount, "currency": CURRENCY}
        said = await line.ask({"id": f"amount-{self.shown}", "act": "show-jackpot", "staff": "S-201", "fields": fields})
        assert said["answer"] == "accepted", said

    @property
    def _amount(self) -> int:
        return 100_000 + 137 * self.shown

    async def _until_seen(self, patience_s: float) -> None:
        wanted, seen = amount_text(self._amount, CURRENCY), ""
        try:
            async with asyncio.timeout(patience_s):
                while seen != wanted:
                    await asyncio.sleep(0.1)
                    seen = await asyncio.to_thread(self._read)
        except TimeoutError:
            raise AssertionError(f"{wanted} expected on the display, {seen} stands there") from None

    def _read(self) -> str:
        world: Any = ask(self.folder / "run" / "simulator.sock", {"act": "look"})
        return str(world["displays"][WALL])

    async def _round(self, line: Conversation) -> int:
        said = await line.ask({"id": f"round-{self.shown}", "act": "state", "table": TABLE})
        return int(said["what"]["procedures"]["rounds"]["number"])

    async def _lose_the_broker(self, line: Conversation) -> None:
        """In the middle of play: what was asked for meanwhile stands there afterwards."""
        await self.broker.kill()
        await self._ask_for_more(line)
        await self.broker.start()
        await self._until_seen(BROKER_PATIENCE_S)
        self.outages += 1


async def play_all(daemon: Daemon, broker: Broker, scenarios: Sequence[Path], outage_at_round: int, tell: Tell) -> None:
    """Play one after the other; beside all but those of the display itself its amount grows."""
    where = Where(daemon.folder / "run" / "control.sock", daemon.folder / "run" / "simulator.sock", TABLE, PACE)
    amounts = Amounts(daemon.folder, broker, outage_at_round)
    for scenario in scenarios:
        is_over = asyncio.Event()
        is_beside = scenario.stem != "jackpot"
        growing = asyncio.create_task(amounts.run(is_over)) if is_beside else None
        try:
            outcome = await play(scenario, where, tell, daemon, broker)
            is_over.set()
            if growing is not None:
                await growing
        finally:
            if growing is not None:
                growing.cancel()
        assert daemon.running is not None
        assert outcome.is_right, "\n".join([*map(str, outcome.mismatches), daemon.running.log[-5_000:]])
        tell(f"{scenario.stem}: {outcome.steps} steps came out as expected")
    assert amounts.outages == 1
    tell(f"{amounts.shown} amounts were read at the table, across {amounts.outages} loss of the broker in play")


def compare(daemon: Daemon, tell: Tell) -> None:
    """Ends the daemon; then nothing was lost, nothing was done twice, and the account is the simulator's own cards."""
    running = daemon.running
    assert running is not None
    world: Any = ask(daemon.folder / "run" / "simulator.sock", {"act": "look", "everything": True})
    state = running.told("state", table=TABLE)
    daemon.stood.append(state)
    assert running.end() == ExitCode.DONE, running.log
    balances, census = state["account"]["balances"], world["census"]
    is_put_away = "storeroom" in census  # after closing: no place of the table any more
    for place in ("machine",) if is_put_away else ("machine", "reserve"):
        assert balances.get(place, 0) == census.get(place, 0), f"{place}: {balances} believed, {census} true"
    assert sum(balances.values()) == sum(census.values())
    told = {(body["device"], body["boot"], body["number"]) for body in notices(daemon)}
    assert len(told) == len(notices(daemon)), "a notice is in the journal twice"
    for name, device in world["devices"].items():
        if "newest notice" in device:
            compare_device(
                daemon, name, device, {number for at, boot, number in told if (at, boot) == (name, device["boot"])}
            )
    closed = {body["number"] for body in daemon.bodies("IncidentClosed")}
    for found in daemon.bodies("DifferenceFound"):  # the scenarios say where none may be; whatever is found, ends
        tell(f"a difference was found, and settled: {found}")
        assert found["incident"] in closed, found
    assert [body for body in daemon.bodies("IncidentOpened") if body["kind"] == "unexpected"] == []
    lines = [line for line in daemon.log.splitlines() if CARD.search(line) or SECRET.search(line)]
    assert lines == [], "a card, a badge or a PIN in the engineers' log"
    check_replay(daemon)


def notices(daemon: Daemon) -> list[dict[str, Any]]:
    """All numbered notices of the journal."""
    return [body for kind in NOTICES for body in daemon.bodies(kind) if body["number"]]


def compare_device(daemon: Daemon, name: str, device: Mapping[str, Any], heard: set[int]) -> None:
    """One TDL device against the rows that speak of it; `heard` are the numbers of its present boot."""
    assert heard == set(range(1, device["newest notice"] - device["notices waiting"] + 1)), name
    if device["boot"] == 1:  # one that was reset drops what was on its way to the session before
        assert device["frames dropped"] == 0, name
    ended = ("CommandFinished", "CommandSettled", "CommandNotDone", "CommandRefused")
    given = [body["number"] for body in daemon.bodies("CommandIntended") if body["device"] == name]
    over = {body["number"] for kind in ended for body in daemon.bodies(kind) if body["device"] == name}
    assert given == sorted(set(given)), name
    assert set(given) == over, name
    assert max(given, default=0) == device["highest command"], name


def hear(folder: Path, tell: Tell) -> None:
    """What went over the cables is as the specification says, and each went over the cable that was meant."""
    ear = listen(folder / "run" / "wire")
    assert ear.findings == [], ear.findings[:5]
    kinds: dict[str, bool] = {}
    for path in (folder / "run" / "wire").glob("*.jsonl"):
        with path.open(encoding="utf-8") as lines:
            head = Recording(lines).head
            kinds[head.device] = head.is_message_based
    assert kinds == {"shuffler": False, "spare": False, "switches": False, "badges": False, WALL: True}
    kinds_heard = f"{ear.messages} TDL messages of {len(ear.valid)} kinds"
    tell(f"{kinds_heard} on the cables, every one as docs/protocols/tdl.cddl says")


async def run(
    folder: Path,
    broker: Mosquitto,
    scenarios: Sequence[Path],
    outage_at_round: int,
    tell: Tell,
    more_edits: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Everything, at a broker that runs. Raises AssertionError where something does not hold."""
    with table_of_processes(folder, {**edits(broker), **more_edits}) as daemon:
        await play_all(daemon, Broker(broker), scenarios, outage_at_round, tell)
        await asyncio.to_thread(compare, daemon, tell)
    hear(folder, tell)


def main() -> int:
    """The whole day; 0 also where there is no mosquitto, which is said."""
    if PROGRAM is None:
        print("SKIPPED: mosquitto is not installed (Debian: apt-get install mosquitto), so no display on MQTT here")
        return 0
    with tempfile.TemporaryDirectory() as name, running_mosquitto(Path(name)) as broker:
        asyncio.run(run(Path(name), broker, WHOLE_DAY, 46, lambda text: print(text, flush=True)))
    print("All balanced.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
