"""What must hold in every run, whatever the scenario: held against the physical truth and the journal itself."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import msgspec

from simulator.faces.tdl_device import TdlDevice
from simulator.watch import Row
from tableside.daemon import Daemon
from tableside.decisions import CommandIntended, LockAdded, LockRemoved
from tableside.inputs import DaemonStarted
from tableside.journal.reader import JournalReader
from tableside.journal.record import RecordKind
from tableside.journal.verify import verify_journal
from tableside.procedures.card_identities import open_cards
from tableside.replay import deviations, turns
from tableside.rows import what_of
from tableside.state import TableState, encode_state, reduce
from tests.scenarios.virtual_house import TABLE, House
from tests.scenarios.watchers import Attendance, Money, Secrets, Stops, Watcher

CARD = re.compile(r"[A2-9TJQK][♣♦♥♠]")
# What the round's end opens may come when the next round has begun.
OF_A_ROUND_THAT_IS_OVER = re.compile(r'"type":"CardsOpened".*"is_face_up":false')
# Badge numbers and PINs of the demo's staff.
SECRET = re.compile(r"26:[0-9A-F]{8}|\"(100001|200001|200002|400001)\"")


def is_on_table(place: str) -> bool:
    """Places of the account that an eye finds on the felt; a batch table's decks lie there too."""
    return place in ("table", "tray", "aside", "hopper") or place.startswith("deck ")


class Checks:
    """Attached to a house before it plays; `findings` is everything that did not hold."""

    def __init__(self, house: House, *, is_miscounted: bool = False) -> None:
        """`is_miscounted`: cards may pass a sensor uncounted. The account may then be off by those, no card more."""
        self.findings: list[str] = []
        self._is_miscounted = is_miscounted
        self.quiet_points = 0
        self._house = house
        self.money, self.attendance, self.stops, self.secrets = Money(), Attendance(), Stops(), Secrets()
        self._numbered: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._begun: Counter[tuple[str, str]] = Counter()
        house.hears.append(self._row)
        house.room.stage.watch(self._see_notices)
        house.host.hears.append(self._line)
        for name, device in house.room.devices.items():
            if isinstance(device.face, TdlDevice):
                self._watch_motion(name, device.face)

    # --- while it runs --------------------------------------------------------------------------------------

    def _row(self, row: Row) -> None:
        if row.type == "QuietPointReached":
            self.quiet_points += 1
            self._compare_cards(f"row {row.seq}, {row.body['point']}")

    def _compare_cards(self, where: str) -> None:
        """The physical cards against the card account."""
        world = self._house.room.table
        world.assert_conserved()
        daemon = self._house.host.daemon
        if daemon is None:
            return
        account, census = daemon.tables[TABLE].state.account, world.census()
        damaged = sum(cards for place, cards in census.items() if place.startswith("envelope"))
        pairs = {
            "machine": (account.at("machine"), census["machine"]),
            "reserve": (account.at("reserve"), census["reserve"]),
            "damaged": (account.at("damaged"), damaged),
            # the tray's sensor tells when nothing has moved in it for a while, so both together
            "on the table and in the tray": (
                sum(cards for place, cards in account.balances.items() if is_on_table(place)),
                sum(census[place] for place in ("table", "tray", "hopper")),
            ),
        }
        if not any(account.balances.values()):
            return  # before the cards are brought: they lie in the cabinet, and are nobody's account yet
        allowed = uncounted(self._house) if self._is_miscounted else 0
        for place, (believed, true) in pairs.items():
            if abs(believed - true) > allowed:
                self.findings.append(f"{where}: {place} has {true} cards, the account says {believed}")

    def _see_notices(self) -> None:
        for name, device in self._house.room.devices.items():
            if isinstance(device.face, TdlDevice):
                self._numbered[name, device.face.boot_number] = device.face.notices.newest

    def _watch_motion(self, name: str, face: TdlDevice) -> None:
        begin = face.equipment.begin

        def counted(operation: int, argument: int | None) -> None:
            self._begun[name, f"{operation:02X}"] += 1
            begin(operation, argument)

        face.equipment.begin = counted  # type: ignore[method-assign]  # a spy, for this run

    def _line(self, line: bytes) -> None:
        """Whatever leaves the daemon."""
        text = line.decode()
        if SECRET.search(text):
            self.findings.append(f"a badge or PIN left the daemon: {text[:200]}")
        daemon = self._house.host.daemon
        if daemon is not None and daemon.tables[TABLE].curtain.is_down and _names_secret(text, daemon):
            self.findings.append(f"a card of the open round left the daemon: {text[:200]}")

    # --- at the end -----------------------------------------------------------------------------------------

    def log(self, text: str) -> None:
        """What the daemon has said to its engineers: no card at all, no badge, no PIN."""
        self.findings += [
            f"in the log: {line}" for line in text.splitlines() if CARD.search(line) or SECRET.search(line)
        ]

    async def at_end(self) -> list[str]:
        """Stop the daemon and read its journal; everything that did not hold in the whole run."""
        host, daemon = self._house.host, self._house.host.daemon
        assert daemon is not None
        await host.stop()
        state = encode_state(daemon.tables[TABLE].state)
        host.daemon = None
        self.findings += host.findings
        self.findings += [f"on the wire, against tdl.cddl: {finding}" for finding in host.ear.findings]
        journal = host.config.journal_directory / f"{TABLE}.db"
        report = verify_journal(journal)
        self.findings += [f"journal: {finding}" for finding in report.findings]
        with JournalReader(journal) as reader:
            self._check_rows(reader, state)
        return self.findings

    def _check_rows(self, reader: JournalReader, state: bytes) -> None:
        told: Counter[tuple[str, int, int]] = Counter()
        intended: Counter[tuple[str, str]] = Counter()
        for record in reader.rows.records():
            self.secrets.row(record)
            if record.kind is RecordKind.INPUT:
                body = msgspec.json.decode(record.body)
                if "boot" in body and "number" in body and "device_ms" in body and body["number"]:
                    told[body["device"], body["boot"], body["number"]] += 1
            elif record.kind is RecordKind.DECISION:
                what = what_of(record)
                if isinstance(what, CommandIntended):
                    intended[what.device, what.verb.value] += 1
                if isinstance(what, LockAdded) and not (what.reason and what.rule):
                    self.findings.append(f"row {record.seq}: a lock without reason or rule")
                if isinstance(what, LockRemoved) and not what.by:
                    self.findings.append(f"row {record.seq}: the lock {what.reason} was removed by nobody")
        self._check_notices(told)
        self._check_motion(intended)
        watchers = (self.money, self.attendance, self.stops, self.secrets)
        if replayed(reader, *watchers) != state:
            self.findings.append("replay from the first row gives another state")
        for watcher in watchers:
            self.findings += watcher.findings
        for deviation in deviations(reader.rows.records()):
            self.findings.append(f"row {deviation.seq}: replay decides otherwise")

    def _check_notices(self, told: Counter[tuple[str, int, int]]) -> None:
        """Each notice that a device numbered is in the journal exactly once."""
        for (device, boot), newest in self._numbered.items():
            face = self._house.room.devices[device].face
            assert isinstance(face, TdlDevice)
            kept = face.notices.oldest if face.boot_number == boot else newest + 1  # told after the daemon's end
            for number in range(1, newest + 1):
                times = told[device, boot, number]
                if times != (number < kept):
                    self.findings.append(f"{device}: notice {number} of boot {boot} is in the journal {times} times")

    def _check_motion(self, intended: Counter[tuple[str, str]]) -> None:
        """No command moved anything more often than the journal gave it out."""
        codes = {
            "40": "count all",
            "41": "eject all",
            "42": "deal",
            "43": "shuffle",
            "44": "recover",
            "45": "self test",
            "46": "collect",
        }
        for (device, code), times in self._begun.items():
            given = intended[device, codes[code]]
            if times > given:
                self.findings.append(f"{device}: {codes[code]} ran {times} times, the journal gave out {given}")


def _names_secret(text: str, daemon: Daemon) -> bool:
    """A card of the open round of which nobody has said that it lies face up."""
    if OF_A_ROUND_THAT_IS_OVER.search(text):
        return False
    said_open = {card.card for card in open_cards(daemon.tables[TABLE].state)}
    return not {*CARD.findall(text)} <= said_open


def uncounted(here: House) -> int:
    """How many cards have truly passed a sensor of the machine in play without being counted."""
    carousel = here.room.table.machine.carousel
    missed = sum(sensor.missed for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor))
    return missed + carousel.hazards.fired["double feed"]


def replayed(reader: JournalReader, *watchers: Watcher) -> bytes:
    """The state that the inputs of a journal make, from its first row on; the watchers see each turn."""
    state: TableState | None = None
    for seq, given, _ in turns(reader.rows.records()):
        if state is None:
            assert isinstance(given.what, DaemonStarted)
            state = TableState(house=given.what.house)
        state, decided = reduce(state, given)
        for watcher in watchers:
            watcher.turn(seq, given, decided, state)
    assert state is not None
    return encode_state(state)
