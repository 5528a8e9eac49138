"""What waits to be sent, and what never is: a pure table of orders."""

from __future__ import annotations

import asyncio

import pytest

from drivers.events import LampColour, LampPattern, PermitKind, Verb
from drivers.tdl import orders
from firmware_bridge.session.tdl.requests import COMMAND_WAIT_S, Outbox, Request
from firmware_bridge.wire.tdl.codes import Operation

FEED, DEAL = PermitKind.FEED, PermitKind.DEAL


def outbox(*requests: Request) -> Outbox:
    box = Outbox(lambda: None)
    for request in requests:
        box.put(request, 0.0)
    return box


def drained(box: Outbox, now_s: float = 0.0) -> list[Request]:
    taken = []
    while (request := box.take(now_s)) is not None:
        taken.append(request)
    return taken


def test_what_stops_goes_first_and_the_rest_in_order() -> None:
    count, grant = orders.command(Verb.COUNT_ALL, 1, 5, None)[0], orders.grant(DEAL, 1_000, None, 0.0)
    read, revoke = orders.state(), orders.revoke(FEED)
    lamp = orders.lamp(LampColour.RED, LampPattern.BLINKING)
    assert drained(outbox(read, grant, count, revoke, lamp)) == [revoke, lamp, grant, count, read]


def test_only_the_present_goal_is_sent() -> None:
    """BR-051: of renewals that waited, the last one counts; of lamps likewise."""
    first, last = orders.grant(FEED, 2_000, 10, 0.0), orders.grant(FEED, 2_000, 20, 0.5)
    red, off = orders.lamp(LampColour.RED, LampPattern.BLINKING), orders.lamp(LampColour.OFF, LampPattern.STEADY)
    other = orders.grant(DEAL, 60_000, None, 0.0)
    assert drained(outbox(first, red, other, last, off)) == [off, last, other]


def test_a_permit_ordered_before_a_revoke_is_never_sent_after_it() -> None:
    old, revoke, new = orders.grant(FEED, 2_000, 10, 0.0), orders.revoke(FEED), orders.grant(FEED, 2_000, 20, 0.0)
    assert drained(outbox(old, revoke, new)) == [revoke, new]
    assert drained(outbox(old, revoke)) == [revoke]


def test_a_packet_keeps_its_revoke() -> None:
    """Each packet begins with a revoke, for only that makes the device count anew: it is no double of the grant."""
    assert [request.body for request in drained(outbox(orders.revoke(FEED), orders.grant(FEED, 2_000, 104, 0.0)))] == [
        {0: 2, 1: 0},
        {0: 2, 1: 2_000, 2: 104},
    ]


def test_a_permit_that_was_busy_does_not_come_back_after_its_revoke() -> None:
    permit = orders.grant(FEED, 2_000, 10, 0.0)
    box = outbox(orders.revoke(FEED))
    box.put_back(permit)
    assert [request.body[1] for request in drained(box)] == [0]


def test_a_permit_grants_only_what_is_left_of_it() -> None:
    """Presence ends at a moment, not so many seconds after the order came through (CSM-5)."""
    permit = orders.grant(FEED, 2_000, None, now_s=100.0)
    assert permit.body_at(100.0)[1] == 2_000
    assert permit.body_at(101.25)[1] == 750
    box = outbox(permit)
    assert box.take(102.0) is None
    assert box.expired == 1


def test_a_command_that_waited_too_long_is_fenced_instead_of_sent() -> None:
    """BR-051: what is not news any more moves nothing; its OUTCOME is asked, and that makes it *never*."""
    box = outbox(*orders.command(Verb.COUNT_ALL, 7, 17, None))
    request = box.take(COMMAND_WAIT_S + 0.1)
    assert request is not None
    assert (request.operation, request.body) == (Operation.OUTCOME, {0: 7, 1: 17})


def test_a_command_in_time_is_sent() -> None:
    box = outbox(*orders.command(Verb.COUNT_ALL, 7, 17, None))
    request = box.take(COMMAND_WAIT_S)
    assert request is not None
    assert request.operation is Operation.COUNT_ALL


def test_adopt_is_armed_first_and_has_no_outcome_to_ask_for() -> None:
    arm, adopt = orders.command(Verb.ADOPT, 7, 40, None)
    assert (arm.operation, arm.body) == (Operation.ARM, {0: 0x80})
    assert (adopt.operation, adopt.body) == (Operation.ADOPT, {0: 7, 1: 40})
    assert drained(outbox(arm, adopt), COMMAND_WAIT_S + 1) == [arm, adopt]


@pytest.mark.virtual_time
async def test_what_waits_is_told_that_the_session_is_over() -> None:
    request = orders.state()
    request.reply = asyncio.get_running_loop().create_future()
    box = outbox(request)
    box.close(ConnectionError("over"))
    with pytest.raises(ConnectionError, match="over"):
        await request.reply
    assert len(box) == 0


@pytest.mark.virtual_time
async def test_a_read_whose_caller_has_gone_is_not_sent_but_a_command_is() -> None:
    """BR-017: a cancel cannot erase what was journalled as intended."""
    loop = asyncio.get_running_loop()
    read, command = orders.state(), orders.command(Verb.COUNT_ALL, 7, 17, None)[0]
    read.reply, command.reply = loop.create_future(), loop.create_future()
    read.reply.cancel()
    command.reply.cancel()
    assert drained(outbox(read, command)) == [command]
