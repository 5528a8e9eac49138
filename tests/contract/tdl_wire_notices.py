"""What docs/protocols/tdl.md says of notices (8), frame by frame."""

from __future__ import annotations

from tests.support import tdl_numbers as tdl
from tests.support.plain_host import PlainHost, refused

EDGES = 16


class TdlNoticesContract:
    """8 and D-19 to D-22."""

    async def test_one_is_on_its_way_until_it_is_acknowledged(self, host: PlainHost) -> None:
        """D-20: repeated meanwhile; what was not sent yet is never dropped."""
        await host.adopt()
        await host.heard(tdl.BOOTED)
        host.is_acknowledging = False
        for colour in (1, 2, 3):
            assert await host.ask(tdl.LAMP, {0: colour, 1: 0}) == {0: tdl.OK}
        first = host.newest
        await host.until(lambda: host.copies()[first] >= 3)
        assert host.newest == first
        await host.acknowledge(first + 7)
        await host.heard(tdl.LIT, 2)
        await host.acknowledge(first + 1, boot=host.boot + 1)  # another boot: nothing
        await host.until(lambda: host.copies()[first + 1] >= 2)
        assert host.newest == first + 1
        await host.acknowledge(first + 1)
        await host.heard(tdl.LIT, 3)
        assert host.told(tdl.LIT) == [{3: colour, 4: 0} for colour in (1, 2, 3)]

    async def test_an_unsent_level_is_replaced_and_a_sent_one_is_not(self, host: PlainHost) -> None:
        """D-21: the meters tell the order."""
        await host.adopt()
        await host.heard(tdl.BOOTED)
        host.is_acknowledging = False
        await host.ask(tdl.LAMP, {0: 3, 1: 0})
        await host.heard(tdl.LIT)
        base = host.newest
        await host.hands.lay(12)
        await host.permit(tdl.FEEDING, 0)
        await host.grant(tdl.FEEDING, 60_000, 12)
        await host.until_state(lambda state: not state[7])
        await host.acknowledge(base)
        assert await host.heard(tdl.CARDS_IN) == {3: 12}
        assert host.newest == base + 1
        await host.hands.lay(3)
        await host.permit(tdl.FEEDING, 0)
        await host.grant(tdl.FEEDING, 60_000, 3)
        await host.until_state(lambda state: not state[7])
        host.is_acknowledging = True
        await host.acknowledge(base + 1)
        await host.heard(tdl.PERMIT_ENDED, 2)
        assert host.kinds(base) == [
            tdl.CARDS_IN,
            tdl.PACKET_END,
            tdl.PERMIT_ENDED,
            tdl.CARDS_IN,
            tdl.PACKET_END,
            tdl.PERMIT_ENDED,
        ]
        assert host.told(tdl.CARDS_IN) == [{3: 12}, {3: 15}]
        assert sorted(host.notices) == list(range(1, host.newest + 1))
        reply = await host.hello()
        assert reply[10] == reply[11] + 1

    async def test_a_full_queue_stops_the_machine_and_says_what_was_lost(self, host: PlainHost) -> None:
        """D-22."""
        await host.adopt()
        await host.load(30)
        await host.count_all()
        host.is_acknowledging = False
        await fill(host)
        assert (await host.grant(tdl.FEEDING, 60_000))[0] == tdl.OK
        state = await host.ask(tdl.STATE)
        assert (state[7], state[9]) == (1 << tdl.FEEDING - 1, 0)
        for colour in (1, 2):  # the 17th and 18th
            assert await host.ask(tdl.LAMP, {0: colour, 1: 1}) == {0: tdl.OK}
        state = await host.ask(tdl.STATE)
        assert (state[7], state[9]) == (0, tdl.F_LOST)
        assert await host.permit(tdl.FEEDING, 1000) == refused(tdl.R_FULL)
        assert await host.permit(tdl.DEALING, 1000) == refused(tdl.R_FULL)
        assert await host.move(tdl.SELF_TEST) == refused(tdl.R_FULL)
        assert (await host.permit(tdl.FEEDING, 0))[0] == tdl.OK
        assert (await host.grant(tdl.LID, 60_000))[0] == tdl.OK
        host.is_acknowledging = True
        await host.acknowledge(host.newest)
        assert await host.heard(tdl.LOST) == {3: 2}
        assert {3: tdl.FEEDING, 4: tdl.E_FULL} in [{3: keys[3], 4: keys[4]} for keys in host.told(tdl.PERMIT_ENDED)]
        await host.until_state(lambda state: not state[9])
        assert sorted(host.notices) == list(range(1, host.newest + 1))
        assert (await host.grant(tdl.FEEDING, 500))[0] == tdl.OK
        assert await host.move(tdl.SELF_TEST) == {0: tdl.STARTED}

    async def test_what_was_lost_is_told_from_a_place_of_its_own(self, host: PlainHost) -> None:
        """8.5: the place that an acknowledgement makes is an edge's."""
        await host.adopt()
        await host.heard(tdl.BOOTED)
        host.is_acknowledging = False
        await fill(host)
        await host.until(lambda: host.newest)
        assert await host.ask(tdl.LAMP, {0: 1, 1: 1}) == {0: tdl.OK}  # lost
        await host.acknowledge(host.newest)
        assert await host.ask(tdl.LAMP, {0: 2, 1: 1}) == {0: tdl.OK}  # not lost
        host.is_acknowledging = True
        await host.acknowledge(host.newest)
        await host.until_state(lambda state: not state[9] & tdl.F_LOST)
        await host.until(lambda: host.told(tdl.LIT)[-1] == {3: 2, 4: 1})
        assert host.told(tdl.LOST) == [{3: 1}]


async def fill(host: PlainHost) -> None:
    """So many lamp notices that 16 edges wait."""
    await host.until_quiet()
    for number in range(EDGES):
        assert await host.ask(tdl.LAMP, {0: 1 + number % 3, 1: 0}) == {0: tdl.OK}
