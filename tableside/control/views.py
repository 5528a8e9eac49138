"""How things stand, as pages and technicians read it: made of the table's state, nothing secret in it. Pure."""

from __future__ import annotations

import msgspec

from drivers.events import FirmwareTold, FirmwareUntold
from firmware_bridge.clock import Instant
from tableside.alerts import Alert, Progress
from tableside.catalogue import alert_text
from tableside.control.curtain import Curtain, shown
from tableside.control.waiting import waiting_view
from tableside.decisions import AlertRaised
from tableside.diagnosis.evidence import Evidence
from tableside.diagnosis.traces import Heard
from tableside.diagnosis.why import Finding
from tableside.journal.export import utc_text
from tableside.journal.record import Record, RecordKind
from tableside.locks import Lock, Scope, standing
from tableside.outputs.texts import Texts, local_time
from tableside.procedures import blackjack_slice, is_round_open
from tableside.rows import what_of
from tableside.state import TableState

# A machine says it of itself: whoever changed the firmware may have changed what it says.
SELF_REPORTED = "self-reported"
# Of the state, what is told by a view of its own.
_TOLD_APART = frozenset({"house", "alerts", "locks", "clock_boot", "last_at_ns", "last_wall_ns"})


def state_view(
    state: TableState, texts: Texts, curtain: Curtain, now: Instant, blind: tuple[int, str] | None = None
) -> dict[str, object]:
    """A table as it stands. Times named `…_ns` are on the monotonic clock, of which `at_ns` is the present.

    `blind`: since when nothing can be recorded, and why. No row can say so meanwhile, hence no state: every scope is
    locked by it all the same.
    """
    house = state.house
    is_open = is_round_open(state)
    rest = {
        name: shown(getattr(state, name), hides_cards=curtain.is_down)
        for name in state.__struct_fields__
        if name not in _TOLD_APART
    }
    return {
        "table": house.table,
        "kind": house.kind.value,
        "section": house.section.name,
        "supervisor": house.section.supervisor or house.section.room_management,
        "profile": house.profile,
        "at_ns": now.at_ns,
        "wall": utc_text(now.wall_ns),
        "is_simulated": any(levels.is_simulated for levels in state.devices.known.values()),
        "is_allowed": {
            scope.value: blind is None and not standing(state, scope, is_round_open=is_open) for scope in Scope
        },
        "locks": [shown(lock, hides_cards=True) for lock in (*_blind_locks(blind), *state.locks.standing.values())],
        "alerts": alerts_view(state, texts, now),
        "waiting": waiting_view(state),
        "hands": list(blackjack_slice.in_words(state)),
        **rest,
    }


def _blind_locks(blind: tuple[int, str] | None) -> tuple[Lock, ...]:
    if blind is None:
        return ()
    since_ns, why = blind
    return tuple(Lock(scope, f"journal: no record can be written: {why}", "CSM-8", since_ns) for scope in Scope)


def alerts_view(state: TableState, texts: Texts, now: Instant) -> list[dict[str, object]]:
    """The standing alerts, gravest first, then oldest."""
    standing_alerts = sorted(state.alerts.standing.values(), key=_urgency)
    return [_alert(alert, state.house.table, texts, now) for alert in standing_alerts]


def _urgency(alert: Alert) -> tuple[int, bool, int]:
    """Gravest first; of equals what nobody has taken, then the oldest."""
    return alert.level or 3, alert.progress is not Progress.NEW, alert.number


def _alert(alert: Alert, table: str, texts: Texts, now: Instant) -> dict[str, object]:
    entry = alert_text(alert.text)
    since_ns = now.wall_ns - (now.at_ns - alert.since_ns)
    return {
        "table": table,
        "alert": alert.number,
        "text": alert.text,
        "rule": entry.rule,
        "class": alert.level,
        "place": alert.place,
        "progress": alert.progress.value,
        "taken_by": alert.taken_by,
        "asked": list(alert.asked),
        "rides": alert.rides,
        "since": utc_text(since_ns),
        "since_local": local_time(since_ns, texts.zone),
        "times": alert.times,
        "lines": texts.in_all(alert.text, alert.fields),
    }


def heard_view(heard: Heard) -> dict[str, object]:
    """A message of a cable: when (monotonic ns), from the host's side *in* or *out*, in words, and its bytes."""
    spoken = heard.spoken
    return {"at_ns": heard.at_ns, "direction": spoken.direction.value, "text": spoken.text, "data": spoken.data.hex()}


def proof_view(proof: FirmwareTold | FirmwareUntold) -> dict[str, object]:
    """What a machine has told of its firmware, or why it has not."""
    is_listed = isinstance(proof, FirmwareTold) and proof.is_listed
    body = {name: value for name, value in msgspec.to_builtins(proof).items() if name != "type"}
    return {"is_told": isinstance(proof, FirmwareTold), **body, "is_listed": is_listed, "trust": SELF_REPORTED}


def finding_view(evidence: Evidence, finding: Finding) -> dict[str, object]:
    """Why a device is away: the step that fails, the cause, what people read first, and the steps before it."""
    return {
        "device": evidence.device,
        "address": evidence.address,
        "step": None if finding.step is None else finding.step.value,
        "cause": finding.named_cause.value,
        "line": finding.line,
        "next_step": finding.next_step,
        "walked": [{"step": step.value, "said": said} for step, said in finding.walked],
    }


def entry_view(record: Record, table: str, curtain: Curtain, texts: Texts | None = None) -> dict[str, object]:
    """A row of the journal; with the table's texts, an alert as people read it (it may be over before anybody asks).

    A body that this version cannot read is said to be so, never left out.
    """
    lines = {}
    body: object
    try:
        if record.kind is RecordKind.CHECKPOINT:
            body = {"bytes": len(record.body)}  # the whole state, told by `diag replay`
        elif record.kind is RecordKind.GENESIS:
            body = msgspec.json.decode(record.body)
        else:
            what = what_of(record)
            body = shown(what, hides_cards=curtain.hides(record.seq))
            if texts is not None and isinstance(what, AlertRaised):
                lines = {"lines": texts.in_all(what.text, what.fields)}
    except msgspec.MsgspecError as error:
        body = {"unreadable": str(error)}
    return {
        "table": table,
        "seq": record.seq,
        "kind": record.kind.value,
        "type": record.type,
        "at": utc_text(record.wall_ns),
        "quality": record.quality,
        "body": body,
        **lines,
    }


def history_view(record: Record, curtain: Curtain) -> dict[str, object]:
    """A row of the journal for a program that goes on reckoning with it: as `entry_view`, its time as UTC ns."""
    view = entry_view(record, "", curtain)
    kept = {name: view[name] for name in ("seq", "kind", "type", "body")}
    return {**kept, "wall_ns": record.wall_ns}
