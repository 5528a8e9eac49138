"""What every TDL shuffler promises, seen through our driver.

The tests are ours and the device is not: nothing here looks into it but hands and eyes could, and everything else
goes over its cable (docs/protocols/tdl.md 16, the statements D- and H-).
"""

from __future__ import annotations

import asyncio

import pytest

from drivers import events
from drivers.events import Notice, Outcome, PermitEnding, PermitKind, Place, Reason, Verb
from firmware_bridge.session.endings import Ending, SessionOver
from tests.support.tdl_rigs import Hands, Rig
from tests.support.tdl_table import MECHANICS_S, OTHER_EPOCH, STEP_S, Table, at_work, other_host


class TdlShufflerCableContract:
    """The promises that a cable carries or breaks. A class of tests for a kind of rig has them and a fixture `rig`."""

    @pytest.fixture
    def hands(self, rig: Rig) -> Hands:
        if rig.hands is None:
            pytest.skip("nobody's hands at the rig")
        return rig.hands

    async def test_it_says_who_it_is_and_begins_with_booted(self, rig: Rig) -> None:
        """4.2, 6.1, D-19."""
        async with at_work(rig) as table:
            ready = table.ready
            assert (ready.serial, ready.model) == (rig.serial, rig.model)
            assert ready.boot >= 1
            assert len(ready.digest) == 64
            assert ready.abilities[events.Ability.DEAL] is events.Holding.ENFORCES
            assert ready.abilities[events.Ability.FEED] is events.Holding.ENFORCES
            assert ready.abilities[events.Ability.SLOTS] is events.Holding.CANNOT
            if ready.oldest_notice > 1:
                return  # a rig that was asked before keeps no more what was acknowledged
            await table.until(lambda: table.held(table.ready.boot) >= 1)
            first = table.of(Notice)[0]
            assert isinstance(first, events.DeviceBooted)
            assert first.number == 1

    async def test_a_packet_goes_in_under_its_permit_to_the_card(self, rig: Rig, hands: Hands) -> None:
        """9, D-24, D-29."""
        async with at_work(rig) as table:
            await table.count_all()
            await table.load(hands, 20)
            await table.until(lambda: table.of(events.PacketEnded))
            assert table.of(events.PacketEnded)[-1].cards == 20
            ended = table.of(events.PermitEnded)[-1]
            assert (ended.what, ended.why, ended.counted) == (PermitKind.FEED, PermitEnding.NUMBER, 20)
            assert table.of(events.CardsIn)[-1].meter == 20
            assert await hands.inside() == 20
            levels = await table.levels()
            assert (levels.content, levels.meter_in, levels.meter_out) == (20, 20, 0)

    async def test_cards_are_dealt_under_a_permit_and_not_after_its_revoke(self, rig: Rig, hands: Hands) -> None:
        """9, D-29, and D-8: a revoke stands."""
        async with at_work(rig) as table:
            await table.count_all()
            await table.load(hands, 20)
            assert await hands.draw() == 0
            table.driver.permit(PermitKind.DEAL, 60_000, None)
            await table.draw(hands, 5)
            await table.until(lambda: table.of(events.CardsOut) and table.of(events.CardsOut)[-1].meter == 5)
            table.driver.revoke(PermitKind.DEAL)
            await table.until(lambda: table.of(events.PermitEnded)[-1].what is PermitKind.DEAL)
            ended = table.of(events.PermitEnded)[-1]
            assert (ended.why, ended.counted) == (PermitEnding.REVOKED, 5)
            assert await hands.draw() == 0
            levels = await table.levels()
            assert (levels.content, levels.meter_out, levels.permits) == (15, 5, ())

    async def test_a_jam_stops_lights_and_is_told_without_us(self, rig: Rig, hands: Hands) -> None:
        """10.1, D-26, CSM-2."""
        async with at_work(rig) as table:
            await table.count_all()
            await table.load(hands, 20)
            table.driver.permit(PermitKind.DEAL, 60_000, None)
            await table.draw(hands, 1)
            await hands.crease_at_exit()

            async def until_jammed() -> None:
                while not table.of(events.CardJammed):
                    await hands.draw()
                    await asyncio.sleep(STEP_S)

            await asyncio.wait_for(until_jammed(), MECHANICS_S)
            await table.until(lambda: table.of(events.LampChanged))
            await table.until(lambda: table.of(events.PermitEnded)[-1].what is PermitKind.DEAL)
            assert table.of(events.CardJammed)[0].place is Place.EXIT
            lamp = table.of(events.LampChanged)[-1]
            assert (lamp.colour, lamp.pattern) == (events.LampColour.RED, events.LampPattern.BLINKING)
            assert table.of(events.PermitEnded)[-1].why is PermitEnding.FAULT
            table.driver.permit(PermitKind.DEAL, 60_000, None)
            await table.until(lambda: table.of(events.PermitAnswered))
            assert table.of(events.PermitAnswered)[-1].reason is Reason.FAULT
            table.driver.permit(PermitKind.LID, 30_000, None)
            await table.until(lambda: PermitKind.LID not in table.ready.permits)
            assert (await table.levels()).permits == (PermitKind.LID,)
            assert await hands.free_exit() >= 1
            await table.until(lambda: table.of(events.JamGone))
            lid_and_jam = (events.LidOpened, events.LidClosed, events.JamGone)
            told = [type(fact) for fact in table.of(Notice) if isinstance(fact, lid_and_jam)]
            assert told == list(lid_and_jam)

    async def test_a_reset_in_the_middle_of_a_count_is_interrupted_and_runs_not_again(
        self, rig: Rig, hands: Hands
    ) -> None:
        """7.5, D-15, BR-015."""
        async with at_work(rig) as table:
            await table.count_all()
            await table.load(hands, 20)
            answered = await table.command(Verb.COUNT_ALL)
            assert answered.outcome is Outcome.STARTED
            boot = table.ready.boot
            await hands.reset()
            await table.until(lambda: table.ready.boot == boot + 1)
            await table.until(lambda: len(table.of(events.DeviceBooted)) == 2)
            found = await table.outcome(answered.command)
            assert (found.outcome, found.is_found) == (Outcome.INTERRUPTED, True)
            assert table.ready.running_number == 0
            assert table.ready.is_content_unverified
            assert await table.count_all() == await hands.inside() == 20

    async def test_no_notice_is_lost_or_doubled_over_a_cut_cable(self, rig: Rig, hands: Hands) -> None:
        """8, D-20: the cable is out, cards are drawn meanwhile, and every number comes once and in order."""
        async with at_work(rig) as table:
            await table.count_all()
            await table.load(hands, 20)
            table.driver.permit(PermitKind.DEAL, 60_000, None)
            await table.draw(hands, 2)
            for drawn in (4, 6, 8):
                ready = len(table.of(events.DeviceReady))
                await rig.cut()
                await table.draw(hands, 2)
                await table.until(lambda ready=ready: len(table.of(events.DeviceReady)) > ready)
                await table.until(lambda drawn=drawn: table.of(events.CardsOut)[-1].meter == drawn)
            boot = table.ready.boot
            numbers = [fact.number for fact in table.of(Notice) if fact.boot == boot]
            assert numbers == list(range(1, len(numbers) + 1))
            assert table.ready.permits == (PermitKind.DEAL,)  # a new session ends no permit (D-5)

    async def test_asking_about_a_command_that_never_came_makes_sure_that_it_never_runs(self, rig: Rig) -> None:
        """7.6, D-14: the fence."""
        async with at_work(rig) as table:
            number = table.next_number()
            assert (await table.outcome(number)).outcome is Outcome.NEVER
            late = await table.command(Verb.COUNT_ALL, number)
            assert (late.outcome, late.is_found) == (Outcome.NEVER, False)
            assert (await table.outcome(number)).outcome is Outcome.NEVER
            assert table.of(events.CommandEnded) == []

    async def test_another_host_waits_until_the_first_has_left(self, rig: Rig) -> None:
        """4.3, D-4: for five seconds after its last word, or until its connection ends where that is seen (2.1)."""
        async with at_work(rig) as table:
            await table.levels()
        other = other_host(rig)
        at_device = asyncio.create_task(other.run_on(await rig.connect()))
        taken = asyncio.create_task(other.is_taken.wait())
        async with asyncio.timeout(MECHANICS_S):
            await asyncio.wait([at_device, taken], return_when=asyncio.FIRST_COMPLETED)
        assert other.is_taken.is_set() is rig.sees_cable
        await rig.cut()
        taken.cancel()
        with pytest.raises(SessionOver) as caught:
            await at_device
        assert caught.value.ending is (Ending.LINK_LOST if rig.sees_cable else Ending.OTHER_HOST)

    async def test_a_wrong_serial_number_is_closed_with_nothing_sent_but_hello(self, rig: Rig) -> None:
        """4.2, H-2."""
        wrong = other_host(rig, serial="no such one")
        with pytest.raises(SessionOver) as caught:
            await wrong.run_on(await rig.connect())
        assert caught.value.ending is Ending.WRONG_DEVICE
        assert wrong.counts.frames_sent == wrong.counts.frames_received == 1
        await rig.cut()


class TdlShufflerContract(TdlShufflerCableContract):
    """All promises."""

    async def test_an_empty_machine_is_proved_by_count(self, rig: Rig, hands: Hands) -> None:
        """7.4, D-27: after a boot nothing is dealt before COUNT_ALL has ended done."""
        async with at_work(rig) as table:
            assert table.ready.is_content_unverified
            table.driver.permit(PermitKind.DEAL, 60_000, None)
            await table.until(lambda: table.of(events.PermitAnswered))
            assert table.of(events.PermitAnswered)[0].reason is Reason.CONTENT_UNVERIFIED
            assert await table.count_all() == await hands.inside() == 0
            levels = await table.levels()
            assert (levels.content, levels.is_path_clear) == (0, True)

    async def test_without_a_permit_nothing_goes_in_and_one_that_runs_out_stops_it(
        self, rig: Rig, hands: Hands
    ) -> None:
        """9.3, D-23: if we die, the machine stops by itself."""
        async with at_work(rig) as table:
            await table.count_all()
            await hands.lay(60)
            await asyncio.sleep(1)
            assert await hands.inside() == 0
            table.driver.revoke(PermitKind.FEED)
            table.driver.permit(PermitKind.FEED, 50, None)
            await table.until(lambda: table.of(events.PermitEnded))
            ended = table.of(events.PermitEnded)[-1]
            assert (ended.what, ended.why) == (PermitKind.FEED, PermitEnding.TIME)
            inside = await hands.inside()
            assert inside == ended.counted < 60
            await asyncio.sleep(1)
            assert await hands.inside() == inside

    async def test_the_same_number_twice_runs_once(self, rig: Rig) -> None:
        """7.2, D-11, D-12."""
        async with at_work(rig) as table:
            await _fill(rig, table)
            number = table.next_number()
            first, again = await table.commands((Verb.COUNT_ALL, number), (Verb.COUNT_ALL, number))
            assert (first.outcome, again.outcome) == (Outcome.STARTED, Outcome.STARTED)
            await table.ended(first.command)
            assert (await table.command(Verb.COUNT_ALL, first.command)).outcome is Outcome.DONE
            await asyncio.sleep(1)
            assert len(table.of(events.CommandEnded)) == 1

    async def test_a_second_command_is_refused_while_one_runs(self, rig: Rig) -> None:
        """7.3, D-18."""
        async with at_work(rig) as table:
            await _fill(rig, table)
            orders = [(Verb.COUNT_ALL, table.next_number()), (Verb.COUNT_ALL, table.next_number())]
            first, second = await table.commands(*orders)
            assert (second.outcome, second.reason) == (Outcome.REFUSED, Reason.ANOTHER_RUNS)
            await table.ended(first.command)
            assert (await table.outcome(second.command)).outcome is Outcome.REFUSED

    async def test_a_command_of_another_epoch_is_refused_and_stores_nothing(self, rig: Rig) -> None:
        """7.2, D-13."""
        async with at_work(rig) as table:
            number = table.next_number()
            refused = await table.command(Verb.COUNT_ALL, number, epoch=OTHER_EPOCH)
            assert (refused.outcome, refused.reason) == (Outcome.REFUSED, Reason.EPOCH)
            assert (await table.command(Verb.COUNT_ALL, number)).outcome is Outcome.STARTED
            await table.ended(number)

    async def test_without_an_acknowledgement_the_next_notice_waits(self, rig: Rig) -> None:
        """8.2, D-20: what no journal holds stays in the device."""
        async with at_work(rig) as table:
            await table.count_all()
            table.is_acknowledging = False
            heard = len(table.of(Notice))
            for colour in (events.LampColour.RED, events.LampColour.OFF, events.LampColour.RED, events.LampColour.OFF):
                table.driver.set_lamp(colour, events.LampPattern.STEADY)
                await asyncio.sleep(0.5)
            assert len(table.of(Notice)) == heard + 1
            table.is_acknowledging = True
            table.driver.acknowledge(table.ready.boot, table.held(table.ready.boot))
            await table.until(lambda: len(table.of(Notice)) == heard + 4)
            assert [fact.colour for fact in table.of(events.LampChanged)][-2:] == [
                events.LampColour.RED,
                events.LampColour.OFF,
            ]


async def _fill(rig: Rig, table: Table) -> None:
    """So many cards that a count lasts, where somebody can lay them; an empty machine is counted in a moment."""
    if rig.hands is not None:
        await table.load(rig.hands, 40)
