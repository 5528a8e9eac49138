"""How host, tables and devices stand, as families of samples: a table, named and in the units that Prometheus asks for.

No name of a person, no card and no amount is in it: who reads a monitoring system is not who may read a table's record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tableside.alerts import Progress
from tableside.at_work import is_at_work
from tableside.card_account import RESERVE, UNEXPLAINED
from tableside.locks import Scope, standing
from tableside.procedures import is_round_open
from tableside.state import TableState

MS_PER_S = 1_000

Labels = tuple[str, ...]
Samples = Iterator[tuple[Labels, float]]


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of at one moment: the daemon's answer to *status*, and every running table's state."""

    status: Mapping[str, Any]
    states: Mapping[str, TableState]


@dataclass(frozen=True, slots=True)
class Family:
    """One family. `labels` name the samples; a counter's name ends with `_total`."""

    name: str
    text: str
    labels: Labels
    of: Callable[[Told], Samples]

    @property
    def is_counter(self) -> bool:
        """Whether it only rises, until the daemon or the device begins anew."""
        return self.name.endswith("_total")


def _host(told: Told) -> Samples:
    yield (told.status["host"], told.status["version"], told.status["profile"]), 1


def _loop(key: str, per_unit: float) -> Callable[[Told], Samples]:
    def of(told: Told) -> Samples:
        yield (), told.status["loop"][key] / per_unit

    return of


def _disks(told: Told) -> Samples:
    for path, level in told.status["space"].items():
        yield (path, level), 1


def _running(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        yield (table,), not health["stopped"]
    for table in told.status["refused_tables"]:
        yield (table,), 0


def _recording(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        yield (table,), not health["locked"]


def _journal(key: str) -> Callable[[Told], Samples]:
    def of(told: Told) -> Samples:
        for table, health in told.status["tables"].items():
            yield (table,), health["journal"][key]

    return of


def _troubles(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        yield (table,), len(health["journal"]["troubles"])


def _restarts(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        for part, times in health["restarts"].items():
            yield (table, part), times


def _sessions(told: Told) -> Samples:
    for table, state in told.states.items():
        yield (table,), is_at_work(state)


def _rounds(told: Told) -> Samples:
    for table, state in told.states.items():
        yield (table,), state.procedures.rounds.number


def _may(told: Told) -> Samples:
    for table, state in told.states.items():
        is_open = is_round_open(state)
        for scope in Scope:
            yield (table, scope.value), not standing(state, scope, is_round_open=is_open)


def _alerts(told: Told) -> Samples:
    """Every class, so that a rule may compare with zero; 0: said at the table only."""
    for table, state in told.states.items():
        counts = {(level, is_taken): 0 for level in range(4) for is_taken in ("no", "yes")}
        for alert in state.alerts.standing.values():
            counts[alert.level, "no" if alert.progress is Progress.NEW else "yes"] += 1
        for (level, is_taken), count in counts.items():
            yield (table, str(level), is_taken), count


def _cards(told: Told) -> Samples:
    """How many, never which. Reserve decks are no part of the play."""
    for table, state in told.states.items():
        for place, cards in state.account.balances.items():
            if place not in (RESERVE, UNEXPLAINED):
                yield (table, place), cards


def _unexplained(told: Told) -> Samples:
    for table, state in told.states.items():
        yield (table,), state.account.at(UNEXPLAINED)


def _devices(told: Told) -> Iterator[tuple[Labels, Mapping[str, Any]]]:
    for table, health in told.status["tables"].items():
        for device, status in health["devices"].items():
            yield (table, device), status


def _connected(told: Told) -> Samples:
    for labels, status in _devices(told):
        yield labels, status["is_connected"]


def _losses(told: Told) -> Samples:
    for labels, status in _devices(told):
        yield labels, status["losses"]


def _silent(told: Told) -> Samples:
    for labels, status in _devices(told):
        if status["silent_ms"] is not None:
            yield labels, status["silent_ms"] / MS_PER_S


def _counted(told: Told) -> Samples:
    for labels, status in _devices(told):
        for kind, count in status["counts"].items():
            yield (*labels, kind), sum(count.values()) if isinstance(count, Mapping) else count


def _outputs(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        for output, status in health["outputs"].items():
            yield (table, output), status["is_connected"]


def _behind(told: Told) -> Samples:
    for table, health in told.status["tables"].items():
        for output, status in health["outputs"].items():
            for consumer, kept in status["consumers"].items():
                yield (table, output, consumer), kept["behind_rows"]


TABLE, DEVICE = ("table",), ("table", "device")
FAMILIES = (
    Family(
        "tableside_info", "Host, version and profile of the daemon; always 1.", ("host", "version", "profile"), _host
    ),
    Family(
        "tableside_loop_lag_seconds", "How late the event loop was when last looked at.", (), _loop("lag_ms", MS_PER_S)
    ),
    Family("tableside_loop_lag_most_seconds", "The latest it ever was.", (), _loop("most_lag_ms", MS_PER_S)),
    Family("tableside_loop_late_total", "Looks at which it was more than 50 ms late.", (), _loop("late_samples", 1)),
    Family(
        "tableside_disk", "Level of a disk with a journal or its reserve; 1 at the level.", ("path", "level"), _disks
    ),
    Family("tableside_table_running", "1 while the table decides.", TABLE, _running),
    Family("tableside_table_recording", "1 while the record can be written; all is locked else.", TABLE, _recording),
    Family(
        "tableside_table_in_session",
        "1 from opening to closing (batch: deck in use; watched shoe: always).",
        TABLE,
        _sessions,
    ),
    Family("tableside_table_round", "Number of the session's last round.", TABLE, _rounds),
    Family("tableside_table_allowed", "1 where no lock of the scope stands.", ("table", "scope"), _may),
    Family(
        "tableside_alerts",
        "Standing alerts by class; class 0 is said at the table only.",
        ("table", "class", "taken"),
        _alerts,
    ),
    Family("tableside_cards", "Cards by place, as the account has them.", ("table", "place"), _cards),
    Family(
        "tableside_cards_unexplained", "Cards that the account cannot place; below zero: too many.", TABLE, _unexplained
    ),
    Family("tableside_journal_rows_total", "Rows of the record.", TABLE, _journal("rows")),
    Family("tableside_journal_bytes", "Size of the record.", TABLE, _journal("journal_bytes")),
    Family("tableside_journal_log_bytes", "Size of its write-ahead log.", TABLE, _journal("log_bytes")),
    Family("tableside_journal_reserve_rows", "Rows that wait on the reserve.", TABLE, _journal("reserve_rows")),
    Family("tableside_journal_reserve_free_bytes", "Room on the reserve.", TABLE, _journal("reserve_free_bytes")),
    Family("tableside_journal_troubles", "Troubles of the record that lost no row.", TABLE, _troubles),
    Family("tableside_restarts_total", "Parts of a table that had to be started anew.", ("table", "part"), _restarts),
    Family("tableside_device_connected", "1 while the device answers.", DEVICE, _connected),
    Family("tableside_device_losses_total", "Times that it was lost.", DEVICE, _losses),
    Family("tableside_device_silent_seconds", "Since its last byte; none: it never sent one.", DEVICE, _silent),
    Family(
        "tableside_device_counted_total",
        "What its link counts, such as bad frames, by name.",
        (*DEVICE, "kind"),
        _counted,
    ),
    Family("tableside_output_connected", "1 while the broker answers.", ("table", "output"), _outputs),
    Family(
        "tableside_output_behind_rows",
        "Rows that a consumer has not acknowledged.",
        ("table", "output", "consumer"),
        _behind,
    ),
)
