"""What must hold all along a story, whatever happens in it.

Each finding is a sentence; its first words are its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from drivers.events import PermitKind
from firmware_bridge.clock import NS_PER_S
from simulator.faces.tdl_device import TdlDevice
from simulator.room import SimulatedDevice
from simulator.world.happenings import Spot
from tableside.decisions import CommandIntended, LockAdded, LockRemoved, RequestAnswered
from tableside.journal.reader import JournalReader
from tableside.journal.record import Record, RecordKind
from tableside.journal.verify import verify_journal
from tableside.procedures.lid import LidState
from tableside.replay import deviations, state_of
from tableside.rows import what_of
from tableside.state import TableState, encode_state
from tests.scenarios.checks import CARD
from tests.scenarios.virtual_house import TABLE
from tests.search.house import House

# A revoke goes out at once; lost on the line it is sent three times, and then the session is over (TDL 5).
REVOKE_TRAVELS_S = 1.5
# What hands have done, sensors have seen by then (the tray's waits until cards lie still).
SENSORS_TELL_S = 2.0
KINDS = {1: PermitKind.DEAL, 2: PermitKind.FEED, 3: PermitKind.LID}
# Badge numbers of the demo's staff, and PINs as values: a number of milliseconds may have the same digits.
SECRET = re.compile(r"26:[0-9A-F]{8}|\"[1-4]0000[1-9]\"")
# Answers of a table that writes no record now: asked again later, another one may be given.
UNRECORDED = re.compile(r"records can not be saved|the daemon stops|not running yet|wrong PIN|PIN")


class Checkers:
    """Attached to a house. `findings`: everything that did not hold, in order."""

    def __init__(self, house: House) -> None:
        self.findings: list[str] = []
        self.seen: Counter[str] = Counter()
        self._house = house
        self._granted: dict[tuple[str, PermitKind], tuple[float, float]] = {}
        self._sound_since: dict[str, float] = {}
        self._moved: Counter[tuple[str, int, int]] = Counter()
        self._numbered: dict[tuple[str, int], int] = {}
        house.room.stage.watch(self._watch)
        house.host.hears.append(self._hear)
        for name, face in self._faces():
            self._watch_motion(name, face)

    def find(self, kind: str, text: str) -> None:
        """Something did not hold."""
        self.findings.append(f"{kind}: {text}")

    def _faces(self) -> Iterator[tuple[str, TdlDevice]]:
        for name, device in self._house.room.devices.items():
            if isinstance(device.face, TdlDevice):
                yield name, device.face

    # --- at each moment of the room ---------------------------------------------------------------------------

    def _watch(self) -> None:
        now = self._house.room.stage.now_ns / NS_PER_S
        state = self._house.state
        for name, face in self._faces():
            if face.is_on:
                self._numbered[name, face.boot_number] = face.notices.newest
            self._watch_permits(name, face, state, now)

    def _watch_permits(self, name: str, face: TdlDevice, state: TableState | None, now: float) -> None:
        is_linked = state is not None and name in state.devices.known and state.devices.known[name].is_connected
        if not is_linked or not self._house.room.devices[name].cable.is_in:
            self._sound_since[name] = now + REVOKE_TRAVELS_S
        for what, lease in face.permits.leases.items():
            kind = KINDS[what]
            wish = state.permits.granted.get(f"{name}:{kind}") if state is not None else None
            if wish is not None:
                self._granted[name, kind] = now, wish.duration_ms / 1000
                continue
            if not lease.stands:
                continue
            granted_s, length_s = self._granted.get((name, kind), (0.0, 0.0))
            if now - granted_s > length_s + REVOKE_TRAVELS_S:
                self.find("permit outlives its grant", f"{name} {kind} at {now:.3f} s, granted until {granted_s:.3f} s")
            elif min(now - granted_s, now - self._sound_since.get(name, 0.0)) > REVOKE_TRAVELS_S:
                self.find("permit stands ungranted", f"{name} {kind} at {now:.3f} s, granted until {granted_s:.3f} s")

    def _watch_motion(self, name: str, face: TdlDevice) -> None:
        start = face.start_running

        def started(number: int, operation: int) -> None:
            key = name, face.outcomes.epoch, number
            self._moved[key] += 1
            if self._moved[key] > 1:
                self.find("command ran twice", f"{name}: {number}")
            start(number, operation)

        face.start_running = started  # type: ignore[method-assign]  # a spy, for this run

    def _hear(self, line: bytes) -> None:
        """Whatever leaves the daemon."""
        text = line.decode()
        if SECRET.search(text):
            self.find("secret told", text[:200])
        daemon = self._house.host.daemon
        is_down = daemon is not None and TABLE in daemon.tables and daemon.tables[TABLE].curtain.is_down
        is_echo = '"answer":"mistaken"' in text  # what somebody wrote wrongly, back to himself
        if is_down and not is_echo and CARD.search(text):
            self.find("card of the open round told", text[:200])

    # --- after each act ---------------------------------------------------------------------------------------

    def after_act(self, rested_s: float) -> None:
        """Arithmetic, tasks, and where all is at rest, now for so long, the physical cards."""
        self._house.room.table.assert_conserved()
        daemon, state = self._house.host.daemon, self._house.state
        if daemon is None:
            return
        if state is None:
            self.find("table refused", str(daemon.refused))
            return
        table = daemon.tables[TABLE]
        if table.stopped not in ("", "not running yet"):
            self.find("table stopped", table.stopped)
        if table.restarts:
            self.find("task broke", str(table.restarts))
        if sum(state.account.balances.values()) != state.account.brought:
            self.find("account out of balance", str(state.account))
        if rested_s >= SENSORS_TELL_S and self._house.setting.is_honest and self._is_at_rest(state):
            self._compare_cards(state)

    def _is_at_rest(self, state: TableState) -> bool:
        """Nothing moves, nothing is on its way, and nobody has a hand in the machine."""
        machine = self._house.room.table.machine
        procedures = state.procedures
        return (
            all(self._has_told_all(state, device) for device in self._house.room.devices.values())
            and machine.is_powered
            and machine.is_path_clear
            and not machine.is_busy
            and not machine.standing.jams
            and not any(machine.carousel.stuck(spot) for spot in Spot)
            and procedures.lid.state is LidState.SHUT
            and not procedures.jams.standing
            and procedures.session.state.value not in ("closed", "sorted")
            and procedures.differences.state.value == "agreed"
            and procedures.counts.state.value == "idle"
            and not procedures.swap.is_under_way
            and not state.account.at("unexplained")  # somebody counted one place alone: the others are to be counted
            and not self._house.taken
            and not self._house.left
        )

    def _has_told_all(self, state: TableState, device: SimulatedDevice) -> bool:
        if not isinstance(device.face, TdlDevice):
            return True
        known = state.devices.known.get(device.name)
        return device.face.is_on and not len(device.face.notices) and known is not None and known.is_connected

    def _compare_cards(self, state: TableState) -> None:
        self.seen["cards compared"] += 1
        account, census = state.account, self._house.room.table.census()
        pairs = {
            "machine": (account.at("machine"), census["machine"]),
            "tray": (account.at("tray"), census["tray"]),
            "on the table": (
                account.at("table") + account.at("aside") + account.at("hopper"),
                census["table"] + census["hopper"],
            ),
        }
        for place, (believed, true) in pairs.items():
            if believed != true:
                self.find("cards differ", f"{place} has {true} cards, the account says {believed}")

    # --- at a crash, and at the end -----------------------------------------------------------------------------

    def replayed(self) -> None:
        """The journal as it stands gives the state that the daemon has."""
        daemon = self._house.host.daemon
        if daemon is None or TABLE not in daemon.tables:
            return
        table = daemon.tables[TABLE]
        if table.journal.tail.seq != table.published:
            return  # in mid-commit
        if encode_state(state_of(table.journal, table.state.house)) != encode_state(table.state):
            self.find("replay differs", f"at row {table.published}")

    def read_journal(self) -> None:
        """The whole journal, once the daemon has stopped."""
        path = self._house.host.config.journal_directory / f"{TABLE}.db"
        for finding in verify_journal(path).findings:
            self.find("journal", str(finding))
        with JournalReader(path) as reader:
            rows = list(reader.rows.records())
        self._check_rows(rows)
        for deviation in deviations(rows):
            self.find("replay decides otherwise", f"row {deviation.seq}")

    def _check_rows(self, rows: list[Record]) -> None:
        told: Counter[tuple[str, int, int]] = Counter()
        intended: set[tuple[str, int]] = set()
        answers: dict[str, RequestAnswered] = {}
        standing: set[str] = set()
        for record in rows:
            if record.kind is RecordKind.INPUT:
                body = msgspec.json.decode(record.body)
                if "boot" in body and "number" in body and "device_ms" in body and body["number"]:
                    told[body["device"], body["boot"], body["number"]] += 1
            elif record.kind is RecordKind.DECISION:
                what = what_of(record)
                if isinstance(what, CommandIntended):
                    intended.add((what.device, what.number))
                elif isinstance(what, RequestAnswered):
                    if what.request in answers:
                        self.find("request answered twice", f"row {record.seq}: {what.request}")
                    answers[what.request] = what
                elif isinstance(what, LockAdded | LockRemoved):
                    self._check_lock(record.seq, what, standing)
        self._check_notices(told)
        self._check_answers(answers)
        for name, _epoch, number in self._moved:
            if (name, number) not in intended:
                self.find("motion without record", f"{name}: command {number}")

    def _check_lock(self, seq: int, what: LockAdded | LockRemoved, standing: set[str]) -> None:
        key = f"{what.scope}:{what.reason}"
        if isinstance(what, LockAdded):
            if not (what.reason and what.rule):
                self.find("lock without reason", f"row {seq}")
            standing.add(key)
            return
        if key not in standing:
            self.find("lock removed that did not stand", f"row {seq}: {key}")
        if not what.by:
            self.find("lock removed by nobody", f"row {seq}: {key}")
        standing.discard(key)

    def _check_notices(self, told: Counter[tuple[str, int, int]]) -> None:
        """Each notice that a device numbered is in the journal at most once, and unless it was lost, once."""
        faces = dict(self._faces())
        if "memory lost" in self._house.causes:
            return  # boots are counted anew: two may have one number
        for (device, boot, number), times in told.items():
            if times > 1:
                self.find("notice taken twice", f"{device}: {number} of boot {boot}, {times} times")
            if number > self._numbered.get((device, boot), 0):
                self.find("notice out of the air", f"{device}: {number} of boot {boot}")
        for (device, boot), newest in self._numbered.items():
            face = faces[device]
            if face.boot_number != boot:
                continue  # with the power went what was not told
            for number in range(1, min(newest + 1, face.notices.oldest)):
                if not told[device, boot, number]:
                    self.find("notice lost", f"{device}: {number} of boot {boot}")

    def _check_answers(self, answers: dict[str, RequestAnswered]) -> None:
        """One answer to each id, and the same one whenever it was asked."""
        for name, heard in self._house.answers.items():
            recorded = answers.get(name)
            for said in heard:
                if said["answer"] not in ("accepted", "refused") or UNRECORDED.search(said.get("text", "")):
                    continue
                if recorded is None:
                    if said.get("table") and said["answer"] == "accepted":
                        self.find("answer without record", f"{name}: {said}")
                elif not _is_same(said, recorded):
                    self.find("answer changed", f"{name}: {said}, recorded {recorded}")


def _is_same(said: Any, recorded: RequestAnswered) -> bool:
    words = "accepted" if recorded.is_accepted else "refused"
    return bool(
        said["answer"] == words and said.get("text", "") == recorded.text and said.get("rule", "") == recorded.rule
    )


__all__ = ["Checkers"]
