"""A batch shuffler's promises through driver, session and a bad cable: packets to the card, the stub, nothing twice."""

from __future__ import annotations

import asyncio

import pytest

from drivers import events
from drivers.events import Outcome, PermitEnding, PermitKind, Reason, Verb
from simulator.line import SOUND
from simulator.world import hands
from simulator.world.table import SPREAD
from tests.contract.test_driver_on_simulator import EPOCH, NOISE, Rig
from tests.support.tdl_host import until

pytestmark = pytest.mark.virtual_time
DECK = 52


def batch(seed: int = 1, *, is_noisy: bool = False) -> Rig:
    return Rig(seed, NOISE if is_noisy else SOUND, is_batch=True)


def moved(rig: Rig) -> tuple[Outcome, Reason, int]:
    """How the last command that moved something ended."""
    end = rig.hub.of(events.CommandEnded)[-1]
    assert isinstance(end, events.CommandEnded)
    return end.outcome, end.reason, end.moved or 0


async def packet(rig: Rig, cards: int) -> Outcome:
    """A permit for as many cards, begun anew, and DEAL."""
    rig.hub.driver.revoke(PermitKind.DEAL)
    rig.hub.driver.permit(PermitKind.DEAL, 60_000, cards)
    return await rig.command(Verb.DEAL, cards)


async def mixed(rig: Rig) -> None:
    """The deck is in, mixed and counted."""
    await until(lambda: bool(rig.hub.of(events.DeviceReady)))
    await until(lambda: rig.face.outcomes.epoch == EPOCH)
    await rig.load()
    while await rig.command(Verb.SHUFFLE, DECK) is not Outcome.DONE:
        pass  # a cable that broke took the command along, or the machine was still taking in
    await rig.settle()


async def test_a_packet_ends_with_its_number_and_its_permit_with_it() -> None:
    """TDL 7.4: a goal that is reached with the card that also ends the permit is done."""
    rig = batch()
    async with rig.running():
        await mixed(rig)
        assert await packet(rig, 5) is Outcome.DONE
        await rig.settle()
        assert moved(rig) == (Outcome.DONE, Reason.NONE, 5)
        assert (rig.hub.cards_out, len(rig.machine.carousel.mouth)) == (5, 5)
        ended = rig.hub.of(events.PermitEnded)[-1]
        assert isinstance(ended, events.PermitEnded)
        assert (ended.what, ended.why, ended.counted) == (PermitKind.DEAL, PermitEnding.NUMBER, 5)


async def test_without_a_permit_no_packet_comes() -> None:
    rig = batch()
    async with rig.running():
        await mixed(rig)
        assert await rig.command(Verb.DEAL, 5) is Outcome.REFUSED
        assert rig.hub.cards_out == 0


async def test_a_revoke_in_a_packet_stops_it_and_the_rest_is_a_new_command() -> None:
    rig = batch()
    async with rig.running():
        await mixed(rig)
        rig.hub.driver.permit(PermitKind.DEAL, 60_000, 40)
        dealing = asyncio.create_task(rig.command(Verb.DEAL, 40))
        await until(lambda: rig.hub.cards_out >= 3)
        rig.hub.driver.revoke(PermitKind.DEAL)
        await dealing
        await rig.settle()
        outcome, reason, given = moved(rig)
        assert (outcome, reason, given) == (Outcome.FAILED, Reason.PERMIT, rig.hub.cards_out)
        assert 3 <= given < 40
        assert await packet(rig, 40 - given) is Outcome.DONE
        await rig.settle()
        assert rig.hub.cards_out == 40


async def test_the_stub_is_mixed_with_and_without_what_came_back() -> None:
    rig = batch()
    async with rig.running():
        await mixed(rig)
        assert await packet(rig, 15) is Outcome.DONE
        assert await rig.command(Verb.SHUFFLE, DECK - 15) is Outcome.DONE
        rig.stage.act(lambda: rig.machine.carousel.mouth.move_all(rig.felt[SPREAD]))
        rig.stage.act(lambda: hands.put_packet(rig.machine, rig.felt[SPREAD]))
        await rig.take_in()
        await rig.settle()
        assert await rig.command(Verb.SHUFFLE, DECK) is Outcome.DONE
        assert rig.machine.cards_inside == DECK


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_packets_on_a_bad_cable_come_to_the_card_and_none_twice(seed: int) -> None:
    """BR-007, BR-012: a lost reply is asked after, never repeated; what a cut left undone is a new command."""
    rig = batch(seed, is_noisy=True)
    async with rig.running():
        await mixed(rig)
        for _ in range(12):
            out, wanted = rig.hub.cards_out, 4
            while wanted:
                await packet(rig, wanted)
                await rig.settle()
                wanted = 4 - (rig.hub.cards_out - out)
                assert wanted >= 0, "a card too many"
        assert rig.hub.cards_out == 48
        assert rig.machine.cards_inside == DECK - 48
    assert len(rig.begun) == len(set(rig.begun)), "a command moved twice"
