"""`tableside diag selftest`, `exercise`, `count`, `test-deal`: a technician lets something move, and sees to its end.

Only through the daemon: a moving command has a number that is durable before a byte leaves (design rule 1), and only
the daemon that holds the table's journal has such numbers. Asked once; whatever interrupts this program, what was begun
goes on under the daemon's eye, and its end is a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from tableside.cli.asked import Asked, Counts, Row, armed, asking
from tableside.cli.failing import Failed
from tableside.cli.progress import Advance
from tableside.exit_codes import ExitCode

UNKNOWN = "nobody knows what it did: the table is locked; count, or settle it (`tableside device settle`)"


@click.command("selftest")
@click.argument("device")
@armed
@asking
def selftest(
    device: str, is_there: bool, staff: str, table: str, socket: str | None, config: str, as_json: bool
) -> int:
    """Let DEVICE test itself: motors, sensors, lamp. Out of session, or one that stands by. Ends with 1 on a fault."""
    return _tested(device, 0, is_there, Asked(staff, table, socket, config, as_json))


@click.command("exercise")
@click.argument("device")
@click.argument("part", type=click.IntRange(1, 255))
@armed
@asking
def exercise(
    device: str, part: int, is_there: bool, staff: str, table: str, socket: str | None, config: str, as_json: bool
) -> int:
    """Move one actuator of DEVICE, PART being the maker's number of it. Interlocked as a self-test is."""
    return _tested(device, part, is_there, Asked(staff, table, socket, config, as_json))


@click.command("count")
@asking
def count(staff: str, table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Let the machine in use stop and count all it holds. Ends with 1 where that is not what the account has."""
    asked = Asked(staff, table, socket, config, as_json)
    row = asked.see_to_its_end("count-all", {}, _count_end, "counting")
    body = row["body"]
    asked.print(
        _of(body, "device", "counted", "expected"),
        f"{body['device']} holds {body['counted']} cards, {body['expected']} by the account",
    )
    return ExitCode.DONE if body["counted"] == body["expected"] else ExitCode.FOUND


@click.command("test-deal")
@click.argument("device")
@click.argument("cards", type=click.IntRange(1, 52))
@armed
@asking
def test_deal(
    device: str, cards: int, is_there: bool, staff: str, table: str, socket: str | None, config: str, as_json: bool
) -> int:
    """Let CARDS test cards go into the machine DEVICE and out, counted both ways. Interlocked as a self-test is.

    Lay them into the hopper when it is proved empty. Ends with 1 where anything stopped it or the numbers differ.
    """
    asked = Asked(staff, table, socket, config, as_json)
    fields = {"device": device, "cards": cards, "is_there": is_there}
    row = asked.see_to_its_end("run-deal-test", fields, _deal_end(device), "test cards", _moved_cards(cards))
    body = row["body"]
    left = "" if body["left"] is None else f", {body['left']} left in it"
    text = f"{device}: {body['why']}; {body['cards_in']} in, {body['cards_out']} out{left}"
    asked.print(_of(body, "device", "cards_in", "cards_out", "left", "why"), text)
    return ExitCode.DONE if body["why"] == "done" else ExitCode.FOUND


def _tested(device: str, part: int, is_there: bool, asked: Asked) -> int:
    from tableside.diagnosis.fault_words import fault_words

    faults: list[str] = []

    def end(row: Row) -> bool:
        body = row["body"]
        if row["type"] == "DeviceFaulted" and body["device"] == device:
            faults.append(f"{fault_words(body['fault'])} at the {body['place']}")
        return _ended(row, "SelfTestEnded", device)

    fields = {"device": device, "part": part, "is_there": is_there}
    row = asked.see_to_its_end("run-self-test", fields, end, "testing")
    body = row["body"]
    reason = "" if body["reason"] == "none" else f" ({body['reason']})"
    lines = "".join(f"\n  {fault}" for fault in faults)
    found = {**_of(body, "device", "part", "outcome", "reason"), "faults": faults}
    asked.print(found, f"{device}: {body['outcome']}{reason}{lines}")
    return ExitCode.DONE if body["outcome"] == "done" and not faults else ExitCode.FOUND


def _moved_cards(cards: int) -> Counts:
    """In, then out: twice as many passages as cards."""
    passed = 0

    def counts(row: Row, advance: Advance) -> None:
        nonlocal passed
        if row["type"] == "ProvingCardsMoved":
            passed += row["body"]["cards"]
            advance(passed, 2 * cards)

    return counts


def _ended(row: Row, kind: str, device: str) -> bool:
    """The row that ends it; an unknown outcome of the same device ends it too, and badly."""
    if row["type"] == "CommandLost" and row["body"]["device"] == device:
        raise Failed(ExitCode.OUTCOME_UNKNOWN, UNKNOWN)
    return bool(row["type"] == kind and row["body"]["device"] == device)


def _deal_end(device: str) -> Callable[[Row], bool]:
    return lambda row: _ended(row, "DealTestEnded", device)


def _count_end(row: Row) -> bool:
    if row["type"] == "CommandLost" and row["body"]["step"] == "count":
        raise Failed(ExitCode.OUTCOME_UNKNOWN, UNKNOWN)
    return bool(row["type"] == "CountEnded")


def _of(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: body[name] for name in names}
