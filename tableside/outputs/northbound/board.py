"""How a table stands, for the retained state topic: neutral enough to be read by every system of the house. Pure."""

from __future__ import annotations

from firmware_bridge.clock import Instant
from tableside.at_work import round_number, session_word
from tableside.control.curtain import A_CARD, FACE
from tableside.journal.export import utc_text
from tableside.locks import Scope, standing
from tableside.outputs.northbound.messages import AlertTold, LockTold, StateTold
from tableside.outputs.texts import Texts
from tableside.procedures import is_round_open
from tableside.state import TableState


def is_simulated(state: TableState) -> bool:
    """Whether any device of the table is simulated, as far as devices say so."""
    return any(levels.is_simulated for levels in state.devices.known.values())


def board(state: TableState, texts: Texts, host: str, row: int, stopped: str, now: Instant) -> StateTold:
    """The message after row `row`."""
    house, is_open = state.house, is_round_open(state)
    return StateTold(
        table=house.table,
        host=host,
        section=house.section.name,
        profile=house.profile,
        is_simulated=is_simulated(state),
        row=row,
        at=utc_text(now.wall_ns),
        kind=house.kind.value,
        session=session_word(state),
        round=round_number(state),
        round_state=str(state.procedures.rounds.state.value),
        is_allowed={scope.value: not standing(state, scope, is_round_open=is_open) for scope in Scope},
        locks=tuple(
            LockTold(lock.scope.value, FACE.sub(A_CARD, lock.reason), lock.rule, lock.is_from_next_round)
            for lock in state.locks.standing.values()
        ),
        alerts=_alerts(state, texts),
        devices={name: known.is_connected for name, known in state.devices.known.items()},
        stopped=stopped,
    )


def _alerts(state: TableState, texts: Texts) -> tuple[AlertTold, ...]:
    """Gravest first, then oldest."""
    in_order = sorted(state.alerts.standing.values(), key=lambda alert: (alert.level or 3, alert.number))
    return tuple(
        AlertTold(
            alert.number,
            alert.text,
            alert.level,
            alert.place,
            alert.progress.value,
            alert.taken_by,
            alert.times,
            texts.in_all(alert.text, alert.fields),
        )
        for alert in in_order
    )
