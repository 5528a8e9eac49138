"""How a table stands, for the people at it: session and round, what is stopped and why, what waits for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tableside.counted import counted
from tableside.jackpot.settings import WHOLE

NS_PER_S = 1_000_000_000
# Said in the first line, whatever they are at: of a table with a shuffler that keeps its cards, of one with a batch
# shuffler, of one with a shoe.
ALWAYS = ("session", "round", "batch", "shoe")


def standing_lines(state: Mapping[str, Any]) -> list[str]:
    """The answer to the read `state` as lines."""
    return [
        *_head(state),
        *_stops(state),
        *(f"  {one['procedure']}: {one['state']}\n    → {one['next_step']}" for one in _waiting(state)),
        *_jackpot(state["procedures"]),
        *_hand_shoe(state),
        *(f"  {line}" for line in state["hands"]),
        *_presence(state),
        *(f"  incident {one['number']} ({one['rule']}): {one['text']}" for one in state["incidents"]["open"].values()),
        *_complaints(state),
        *_advice(state["procedures"]["advised"]["open"]),
        f"  cards: {_cards(state['account'])}",
    ]


def _head(state: Mapping[str, Any]) -> Iterator[str]:
    procedures = state["procedures"]
    marks = "".join(f", {mark}" for mark in ("training", "simulated") if _is_marked(state, mark))
    yield f"table {state['table']}{marks}: {AT[state['kind']](procedures)}"
    if not any(_waiting(state)):
        told = {one["procedure"]: one["next_step"] for one in state["waiting"] if one["procedure"] in ALWAYS}
        is_closed = procedures["rounds"]["state"] == "closed"
        yield f"    → {next(iter(told.values())) if is_closed else told['round']}"
    yield f"  dealer {procedures['people']['dealer'] or 'none'}, supervisor {state['supervisor']}"


def _at_shuffler(procedures: Mapping[str, Any]) -> str:
    game = procedures["rounds"]
    return f"session {procedures['session']['state']}, round {game['number']} {game['state']}"


def _at_batch(procedures: Mapping[str, Any]) -> str:
    batch = procedures["batch"]
    inside = f"{batch['deck']} deck in the machine, {batch['state']}" if batch["deck"] else "machine empty"
    in_play = f"{batch['in_play']} deck in play" if batch["in_play"] else "no deck in play"
    return f"{inside}; {in_play}"


def _at_shoe(procedures: Mapping[str, Any]) -> str:
    shoe = procedures["shoe"]
    game = f"game {shoe['number']}" if shoe["state"] == "game" else f"{shoe['number']} games over"
    return f"{game}, shoe {'locked' if shoe['is_locked'] else 'not locked'}; observed only"


# What a table is at, by its kind.
AT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "shuffler": _at_shuffler,
    "hand-shoe": _at_shuffler,
    "batch": _at_batch,
    "shoe": _at_shoe,
}


def _is_marked(state: Mapping[str, Any], mark: str) -> bool:
    return bool(state["is_simulated"]) if mark == "simulated" else state["profile"] == mark


def _waiting(state: Mapping[str, Any]) -> list[dict[str, str]]:
    return [one for one in state["waiting"] if one["procedure"] not in ALWAYS]


def _stops(state: Mapping[str, Any]) -> Iterator[str]:
    for lock in state["locks"]:
        when = " from the next round" if lock["is_from_next_round"] else ""
        yield f"  stopped: {lock['scope']}{when}: {lock['reason']} ({lock['rule']})"
    if state["alerts"]:
        yield f"  {len(state['alerts'])} alerts stand: `tableside alerts` shows them"


def _hand_shoe(state: Mapping[str, Any]) -> Iterator[str]:
    """Of a shoe by hand: how far it is, and who had the cut; the next occupied seat has it next (SHOE-4)."""
    shoe = state["procedures"]["hand_shoe"]
    if shoe["state"] == "no shoe by hand":
        return
    last = shoe["cut_turn"]["after"]
    turn = f"after seat {last}" if last else "with the lowest occupied seat"
    mode = ", the machine is down" if shoe["is_in_place_of_machine"] else ""
    yield f"  shoe {shoe['number']} by hand{mode}: {shoe['shoe']['out']} cards out; the next cut begins {turn}"
    if shoe["uncounted"]:
        yield f"    {shoe['uncounted']} rounds of it were not counted"


def _presence(state: Mapping[str, Any]) -> Iterator[str]:
    for operation, kept in state["presence"]["kept"].items():
        if kept["is_lapsed"]:
            left = "time has run out, tap again"
        elif kept["until_ns"] is None:
            left = "badge held"
        else:
            left = f"{max(0, (kept['until_ns'] - state['at_ns']) // NS_PER_S)} s left"
        yield f"  present for {operation}: {kept['staff']}, {left}"


def _jackpot(procedures: Mapping[str, Any]) -> Iterator[str]:
    kept, ledger, bets = (procedures[name] for name in ("jackpot", "jackpot_ledger", "jackpot_bets"))
    if kept["settings"] is not None:
        currency = kept["settings"]["currency"]
        if kept["meters"] is not None:
            pots = {"": kept["meters"], **kept["levels"]}
            told = ", ".join(f"{level} {_amount(each['shown'], currency)}".strip() for level, each in pots.items())
            yield f"  jackpot: {told}, its own"
            for level, each in pots.items():
                yield _meters(level, each["started"], each["hidden"], each["overflow"], kept["settings"])
        else:
            yield from _linked(ledger, currency)
        for win in kept["wins"]:
            prize = kept["settings"]["prizes"][win["prize"]]["name"]
            yield f"  jackpot win at seat {win['seat']}: {prize}, to be checked"
    if bets["state"] != "no bets":
        yield f"  jackpot bets at seats: {', '.join(map(str, bets['seats'])) or 'none'}"


def _linked(ledger: Mapping[str, Any], currency: str) -> Iterator[str]:
    standing, waiting = ledger["standing"], len(ledger["outbox"])
    told = "nothing yet"
    if standing is not None:
        told = ", ".join(f"{pot['level']} {_amount(pot['value'], currency)}".strip() for pot in standing["pots"])
        told += f", {counted(standing['pending'], 'hit')} to be checked"
    yield f"  jackpot: the ledger is {ledger['state']}, it said {told}"
    if standing is not None:
        for pot in standing["pots"]:
            over = pot["shown"] // WHOLE - pot["value"]
            yield _meters(pot["level"], pot["started"] // WHOLE, pot["hidden"] // WHOLE, over, standing["settings"])
        yield f"    hits of this table: {ledger['hits']}"
    if ledger["why"] or waiting:
        yield f"    {waiting} entries of this table are still to be told{': ' if ledger['why'] else ''}{ledger['why']}"


def _meters(level: str, started: int, hidden: int, overflow: int, settings: Mapping[str, Any]) -> str:
    """What a display does not show of a level: its starts, its limit, and what waits for the next start."""
    named = [each for each in settings["levels"] if each["name"] == level]
    limit, currency = (named[0] if named else settings)["limit"], settings["currency"]
    most = "no limit" if limit is None else f"limit {_amount(limit, currency)}"
    waits = f"hidden {_amount(hidden, currency)}, overflow {_amount(overflow, currency)}"
    return f"    {level or 'main'}: put in by starts {_amount(started, currency)}, {most}; for the next start: {waits}"


def _amount(amount: int, currency: str) -> str:
    from tableside.outputs.amounts import amount_in

    return amount_in(amount, currency, "en")


def _complaints(state: Mapping[str, Any]) -> Iterator[str]:
    for number, one in state["procedures"]["complaints"]["open"].items():
        late = ", late" if one["is_late"] else ""
        yield f"  complaint {number}: round {one['round']}{late}"


def _advice(open_: Mapping[str, Any]) -> Iterator[str]:
    for one in open_.values():
        place = f" ({one['place']})" if one["place"] else ""
        yield f"  advice {one['number']} ({one['rule']}, {one['decides']} decides): {one['happened']}{place}"
        yield f"    {one['ruling']}"
        yield f"    → {one['next_step']}"


def _cards(account: Mapping[str, Any]) -> str:
    places = ", ".join(f"{place} {cards}" for place, cards in account["balances"].items() if cards)
    return f"{places}; {account['brought']} in all" if places else "none brought to the table"
