"""`make run`: a simulated table's days, with every part in a process of its own. Imports nothing of the product.

Starts a broker where one is installed, the simulator (devices on pseudo-terminals and TCP), the daemon, and the people
who play the scenario; kills and starts the daemon where the day says so; then an evening with a jackpot display, with
a retrofit table and a baccarat shoe beside it; at the end asks the journal whether all is well. It stays in `run/`.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from demo.outside import Broker, Store, page_address, write_files
from demo.status import check_status

HERE = Path(__file__).parent
ROOT = HERE.parent
RUN = ROOT / "run"
CHECK_WIRE = HERE / "check_wire.py"
TABLE = "BJ-07"
DAYS = (ROOT / "scenarios" / "day.toml", ROOT / "scenarios" / "short_day_bad_deck.toml")
JACKPOT = ROOT / "scenarios" / "jackpot_shown.toml"
PLAN = RUN / "simulation.toml"
HOST = RUN / "host.toml"
EVENING = RUN / "evening.toml"
CONTROL = RUN / "control.sock"
SIDE = RUN / "simulator.sock"
# A machine that is busy elsewhere starts a Python program late; nothing here takes longer than a second by itself.
PATIENCE_S = 60.0
STOP_S = 15.0
# So long the display page stays after all is over, where somebody sits at a terminal.
LOOK_S = 300.0
# What to look at afterwards: the command's words, with what they show.
LOOK_FURTHER = (
    ("journal report session --number 1", "the long day: figures, then what happened, in order"),
    ("journal report session", "the short day, whose sort is irregular"),
    ("journal report damaged-cards", "what the inspection service gets"),
    ("diag replay", "how the table stands at the end of the journal; with --at ROW at any row"),
)
# The tables of the evening beside TABLE, by kind: name and scenario.
KINDS = {"retrofit": ("BJ-08", "retrofit_evening"), "shoe": ("BA-01", "baccarat_games")}
# The scenario's lines that begin so are for us (simulator/play.py).
FOR_US = "!"
# What is shown of the tables beside ours: alerts with their next step, and what is done in a round.
SHOWN = ("  ▲", "    →", "  ✓", "[round")


class Process:
    """One of the programs; its own words go to a file in run/."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.name = name
        self._arguments = [sys.executable, "-m", *arguments]
        self._child: subprocess.Popen[str] | None = None

    def start(self, until: Path) -> None:
        """Start it and wait for the socket that it opens when it is ready."""
        until.unlink(missing_ok=True)
        with (RUN / f"{self.name}.log").open("a", encoding="utf-8") as log:
            self._child = subprocess.Popen(self._arguments, cwd=ROOT, stdout=log, stderr=log, text=True)
        deadline = time.monotonic() + PATIENCE_S
        while not until.exists():
            if self._child.poll() is not None or time.monotonic() > deadline:
                said = (RUN / f"{self.name}.log").read_text("utf-8").split("\n")
                why = next((line.strip(" |+-") for line in reversed(said) if line.strip(" |+-")), "no word")
                sys.exit(
                    f"the {self.name} did not start: {why}. Is another `make run` going? See {RUN / self.name}.log"
                )
            time.sleep(0.05)

    def kill(self) -> None:
        """As by kill -9."""
        assert self._child is not None
        self._child.kill()
        self._child.wait()

    def stop(self) -> int:
        """As by systemctl stop; returns its exit code."""
        if self._child is None or self._child.poll() is not None:
            return 0 if self._child is None else self._child.returncode
        self._child.send_signal(signal.SIGTERM)
        try:
            return self._child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return 1


def people_of(scenario: Path, plan: Path, table: str) -> list[str]:
    """The command that lets people play a scenario at a table."""
    command = [sys.executable, "-m", "simulator", "scenario", str(scenario), "--plan", str(plan)]
    return [*command, "--control-socket", str(CONTROL), "--table", table]


def play(day: Path, daemon: Process) -> int:
    """Let the people play one day; what is for us is done and answered."""
    with subprocess.Popen(
        people_of(day, PLAN, TABLE), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as people:
        assert people.stdin is not None
        assert people.stdout is not None
        try:
            for line in people.stdout:
                if not line.startswith(FOR_US):
                    print(line, end="", flush=True)
                    continue
                daemon.kill() if line.strip() == "!kill-daemon" else daemon.start(CONTROL)
                people.stdin.write("done\n")
                people.stdin.flush()
        except BaseException:
            people.kill()
            raise
    return people.returncode


def ask(*arguments: str) -> int:
    """Run the product's own command line and show what it says."""
    sys.stdout.flush()
    return subprocess.run([sys.executable, "-m", "tableside", *arguments], cwd=ROOT, check=False).returncode


def program() -> str:
    """How the product's command line is typed here: beside the Python that runs us, else as its module."""
    beside, here = Path(sys.executable).with_name("tableside"), Path.cwd()
    if not beside.exists():
        return f"{sys.executable} -m tableside"
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def look_further(journal: Path) -> int:
    """Say what to look at next, having tried that each works; returns whether one does not."""
    wrong = 0
    here = os.path.relpath(journal)
    print(f"The journal stays in {here}. Look further:")
    for words, shows in LOOK_FURTHER:
        command = [sys.executable, "-m", "tableside", *words.split(), str(journal)]
        wrong = wrong or subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode
        print(f"  {program()} {words} {here}\n      {shows}", flush=True)
    return wrong


def say_where_the_page_is() -> None:
    """The daemon's log says which port it had."""
    deadline, log = time.monotonic() + PATIENCE_S, RUN / "daemon.log"
    if "[page]" not in HOST.read_text("utf-8"):
        print("Supervisor's page: left out, starlette and uvicorn are not installed.", flush=True)
        return
    while time.monotonic() < deadline:
        served = re.search(r'"page_served".*?"address":"([^"]+)"', log.read_text("utf-8"))
        if served is not None:
            print(f"Supervisor's page: {served[1]} shows the table meanwhile.", flush=True)
            return
        time.sleep(0.1)


def evening(page: str | None) -> int:
    """The table with its displays, and two more of other kinds, in one daemon that goes on in the same journal."""
    rooms = [Process(f"{kind} simulator", "simulator", "serve", str(RUN / f"{kind}_simulation.toml")) for kind in KINDS]
    daemon = Process("daemon", "tableside", "run", "--config", str(EVENING))
    others: list[Others] = []
    try:
        for kind, room in zip(KINDS, rooms, strict=True):
            room.start(RUN / f"{kind}.sock")
        daemon.start(CONTROL)
        print(
            "Two more tables in the same daemon: BJ-08, a shuffler without data link; BA-01, a baccarat shoe. "
            "What calls people there, and their rounds, stand here with the table's name.",
            flush=True,
        )
        at = f"open {page} in a browser" if page else "its page is left out: starlette and uvicorn are not installed"
        print(f"Jackpot display: simulated at the table; {at}.", flush=True)
        others += [Others(kind) for kind in KINDS]
        wrong = play(JACKPOT, daemon)
        for other in others:
            wrong = other.wait() or wrong
        print()
        wrong = check_status(ROOT, EVENING, CONTROL) or wrong
        if page and sys.stdin.isatty() and sys.stdout.isatty() and not wrong:
            print(f"The page stays at {page} for five minutes, or until you press Enter.", flush=True)
            select.select([sys.stdin], [], [], LOOK_S)
    finally:
        stopped = [one.stop() for one in (*others, daemon, *rooms)]
    return wrong or max(stopped)


class Others:
    """People at one of the other tables; what they do goes to a file in run/, alerts and rounds here too."""

    def __init__(self, kind: str) -> None:
        self._table, scenario = KINDS[kind]
        self._what = f"{self._table}: {scenario}"
        self._log = RUN / f"{kind} people.log"
        command = people_of(ROOT / "scenarios" / f"{scenario}.toml", RUN / f"{kind}_simulation.toml", self._table)
        self._people = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._teller = threading.Thread(target=self._tell, name=self._what, daemon=True)
        self._teller.start()

    def _tell(self) -> None:
        assert self._people.stdout is not None
        with self._log.open("w", encoding="utf-8") as log:
            for line in self._people.stdout:
                log.write(line)
                log.flush()
                if line.startswith(SHOWN):
                    # One write: another table's line shall not stand within it.
                    sys.stdout.write(f"{self._table} {line}")
                    sys.stdout.flush()

    def wait(self) -> int:
        """Until they have played; says how it ended. Returns whether something did not come out as expected."""
        wrong = self._people.wait()
        self._teller.join(STOP_S)
        last = self._log.read_text("utf-8").rstrip().rpartition("\n")[2]
        print(f"{self._what}: {last}" if not wrong else f"{self._what}: NOT as expected, see {self._log}", flush=True)
        return wrong

    def stop(self) -> int:
        """Where the run ends before they have: nobody plays on behind it."""
        if self._people.poll() is None:
            self._people.kill()
            self._people.wait()
        return 0


def main() -> int:
    """The days, the evening, the summary, the verdict."""
    shutil.rmtree(RUN, ignore_errors=True)
    (RUN / "dev").mkdir(parents=True)
    os.environ["PYTHONPATH"] = str(ROOT)
    broker, page = Broker(RUN), page_address()
    write_files(HERE, RUN, broker.port, page)
    simulator = Process("simulator", "simulator", "serve", str(PLAN))
    daemon = Process("daemon", "tableside", "run", "--config", str(HOST))
    store = Store(broker, TABLE)
    wrong = 0
    try:
        simulator.start(SIDE)
        daemon.start(CONTROL)
        say_where_the_page_is()
        for day in DAYS:
            wrong = wrong or play(day, daemon)
            print()
        wrong = wrong or ask("status", "--config", str(HOST))
        wrong = daemon.stop() or wrong
        wrong = wrong or evening(page)
    except KeyboardInterrupt:
        return 130
    finally:
        wrong = daemon.stop() or wrong
        wrong = store.stop() or wrong
        wrong = simulator.stop() or wrong
        broker.stop()
    journal = RUN / f"{TABLE}.db"
    wrong = ask("journal", "verify", str(journal)) or wrong
    wrong = subprocess.run([sys.executable, CHECK_WIRE, RUN / "wire"], cwd=ROOT, check=False).returncode or wrong
    wrong = wrong or look_further(journal)  # what the hints show is there only where all was played
    print("All balanced." if not wrong else "NOT all well: see above, and the logs in run/.", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
