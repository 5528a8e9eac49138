"""What the page is told: a tile a table, and one table whole, of the view that every reader of a table gets. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tableside.alerts import Progress
from tableside.catalogue import LANGUAGES
from tableside.house import Role, TableKind
from tableside.outputs.amounts import amount_in
from tableside.phrases import phrase
from tableside.procedures.jackpot_slice import LedgerState
from tableside.state import TableState

# A tile's place in the pit: what needs a hand comes first. Class 1 before 2, nobody coming before somebody coming.
CALM = (9, 0, "")
NS_PER_S = 1_000_000_000


def tile(view: Mapping[str, Any], rounds_this_hour: int, cards_age_s: int | None) -> dict[str, object]:
    """A table in the pit, of its view (`control.views.state_view`)."""
    procedures = view["procedures"]
    rounds = procedures["rounds"]
    worst = view["alerts"][0] if view["alerts"] else None
    return {
        "table": view["table"],
        "section": view["section"],
        "supervisor": view["supervisor"],
        "dealer": procedures["people"]["dealer"],
        "kind": view["kind"],
        "session": procedures["session"]["state"],
        "round": procedures["shoe"]["number"] if view["kind"] == TableKind.SHOE else rounds["number"],
        "round_state": rounds["state"],
        "rounds_this_hour": rounds_this_hour,
        "held_over": rounds["held_over"],
        "cards_age_s": cards_age_s,
        "jackpot": jackpot(procedures),
        "stopped": sorted({lock["scope"] for lock in view["locks"] if not lock["is_from_next_round"]}),
        "away": away(view),
        "alerts": len(view["alerts"]),
        "worst": worst,
        "is_simulated": view["is_simulated"],
        "profile": view["profile"],
    }


def order(one: Mapping[str, Any]) -> tuple[int, int, str]:
    """Where a tile stands: by class and whether anybody has it, then by the age of the alert."""
    worst = one["worst"]
    if worst is None:
        return CALM
    level = worst["class"] or 3
    return (level, int(worst["progress"] != Progress.NEW), worst["since"])


def whole(
    view: Mapping[str, Any], rows: Sequence[Mapping[str, object]], health: Mapping[str, Any]
) -> dict[str, object]:
    """One table whole: what it is doing, what blocks it, who must come, where the cards are, how its devices are."""
    return {
        "table": view["table"],
        "alerts": view["alerts"],
        "waiting": [{**one, "said": _said("procedure", one["procedure"])} for one in view["waiting"]],
        "locks": [{**lock, "said": _said("reason", lock["reason"])} for lock in view["locks"]],
        "away": away(view),
        "present": [
            {"operation": operation, "staff": kept["staff"], "seconds": _left(kept, view["at_ns"])}
            for operation, kept in view["presence"]["kept"].items()
        ],
        "account": {"balances": view["account"]["balances"], "brought": view["account"]["brought"]},
        "hands": view["hands"],
        "advice": list(view["procedures"]["advised"]["open"].values()),
        "incidents": list(view["incidents"]["open"].values()),
        "devices": [_device(name, levels, health) for name, levels in sorted(view["devices"]["known"].items())],
        "rows": list(rows),
    }


def _said(kind: str, english: str) -> dict[str, str]:
    """A text of ours by language: one that has a name or a number in it is no word that the page could look up."""
    return {language: phrase(kind, english, language) for language in LANGUAGES}


def entries(state: TableState) -> dict[str, object]:
    """What forms let one choose from: seats, back colours, and people by role."""
    house = state.house
    by_role = {
        role.value: [{"staff": one.staff, "name": one.name} for one in house.persons if role in one.roles]
        for role in (Role.DEALER, Role.TECHNICIAN)
    }
    return {"seats": house.seats, "backs": [group.back for group in house.decks], "people": by_role}


def away(view: Mapping[str, Any]) -> list[str]:
    """Devices that were there and do not answer: what hangs on them stands still without any lock."""
    known = view["devices"]["known"]
    return sorted(name for name, levels in known.items() if levels["model"] and not levels["is_connected"])


def jackpot(procedures: Mapping[str, Any]) -> dict[str, object] | None:
    """What the table's jackpot shows, and how it stands; None where it keeps none.

    `shown` is None, and `ledger` says why, while the ledger of a linked one does not answer; `waiting`: entries for it.
    """
    kept = procedures["jackpot"]
    if kept["settings"] is None:
        return None
    ledger = procedures["jackpot_ledger"]
    word = "pending" if kept["wins"] else "running"
    currency = kept["settings"]["currency"]
    shown = {"currency": currency, "state": word}
    if kept["meters"] is not None:
        amount = kept["meters"]["shown"]
        return {"shown": amount, "said": _amounts(amount, currency), "ledger": "", "waiting": 0, **shown}
    amount = ledger["standing"]["pots"][0]["value"] if ledger["standing"] else None
    is_here = ledger["state"] == LedgerState.HERE
    why = "" if is_here else ledger["why"]
    said = _amounts(amount, currency) if is_here and amount is not None else {}
    return {
        "shown": amount if is_here else None,
        "said": said,
        "ledger": why,
        "waiting": len(ledger["outbox"]),
        **shown,
    }


def _amounts(amount: int, currency: str) -> dict[str, str]:
    return {language: amount_in(amount, currency, language) for language in LANGUAGES}


def _left(kept: Mapping[str, Any], at_ns: int) -> int | None:
    """Seconds until presence runs out; None while the badge is held, 0 where it has lapsed."""
    if kept["is_lapsed"]:
        return 0
    return None if kept["until_ns"] is None else max(0, (kept["until_ns"] - at_ns) // NS_PER_S)


def _device(name: str, levels: Mapping[str, Any], health: Mapping[str, Any]) -> dict[str, object]:
    return {
        "name": name,
        "model": levels["model"],
        "serial": levels["serial"],
        "is_connected": levels["is_connected"],
        "is_simulated": levels["is_simulated"],
        "link": health.get(name, {}).get("link", ""),
        "firmware": levels["firmware"],
        "trust": health.get(name, {}).get("trust", ""),
        "faults": [fault for fault, _place in levels["faults"]],
    }
