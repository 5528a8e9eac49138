"""What docs/protocols/tdl.md says only since the stranger asked: his program is of the text before that."""

from __future__ import annotations

from tests.contract.tdl_wire_notices import fill
from tests.support import tdl_numbers as tdl
from tests.support.plain_host import PlainHost, refused


class TdlAnswersContract:
    """Answers to questions that he had answered otherwise; where he guessed right, the test stands with the others."""

    async def test_permits_have_places_of_their_own_in_a_queue_that_is_just_full(self, host: PlainHost) -> None:
        """8.5, 9.2 line 6: with 16 edges a permit is given once, and its end is not lost."""
        await host.adopt()
        await host.heard(tdl.BOOTED)
        host.is_acknowledging = False
        await fill(host)
        for what in (tdl.FEEDING, tdl.LID):
            assert (await host.grant(what, 60_000))[0] == tdl.OK
            assert (await host.permit(what, 0))[0] == tdl.OK
            assert await host.permit(what, 60_000) == refused(tdl.R_FULL)
        assert (await host.ask(tdl.STATE))[9] & tdl.F_LOST == 0

    async def test_a_revoke_looks_at_nothing_but_what_it_revokes(self, host: PlainHost) -> None:
        """9.2, line 1: a host's mistake in the number of cards must not keep a permit alive."""
        await host.adopt()
        for limit in (0, 70_000, "x"):
            assert (await host.grant(tdl.FEEDING, 60_000))[0] == tdl.OK
            assert await host.ask(tdl.PERMIT, {0: tdl.FEEDING, 1: 0, 2: limit}) == {0: tdl.OK, 2: 0}
        assert (await host.ask(tdl.STATE))[7] == 0

    async def test_a_number_that_is_too_wide_is_of_another_type(self, host: PlainHost) -> None:
        """3.3, 14.3: ARM's code is a u8."""
        await host.adopt()
        assert await host.ask(tdl.ARM, {0: 300}) == refused(tdl.R_ARGUMENT)
        assert await host.ask(tdl.ARM, {0: 0x81}) == refused(tdl.R_NOT_OFFERED)

    async def test_only_where_a_machine_can_jam_there_is_something_to_recover(self, host: PlainHost) -> None:
        """7.4."""
        await host.adopt()
        for place in (4, 5, 6, 7):
            assert await host.move(tdl.RECOVER, place) == refused(tdl.R_ARGUMENT)

    async def test_a_boot_whose_number_cannot_be_stored_tells_nothing_and_moves_nothing(self, host: PlainHost) -> None:
        """10.3: the next boot may carry the same number, and its notices must not pass for copies."""
        await host.adopt()
        await host.count_all()
        assert await host.move(tdl.SELF_TEST) == {0: tdl.STARTED}
        boot, number = host.boot, host.number
        await host.hands.break_memory()
        await host.hands.reset()
        reply = await host.open()
        assert (reply[2], reply[10], reply[11]) == (boot + 1, 1, 0)
        assert await host.outcome(number) == {0: tdl.INTERRUPTED}
        standing = (await host.ask(tdl.FAULTS))[2]
        assert standing[0] == tdl.F_MEMORY
        assert await host.move(tdl.COUNT_ALL) == refused(tdl.R_FAULT)
        assert await host.permit(tdl.FEEDING, 1000) == refused(tdl.R_FAULT)
        assert await host.ask(tdl.LAMP, {0: 1, 1: 0}) == {0: tdl.OK}
        await host.hands.mend_memory()
        assert await host.ask(tdl.CLEAR_FAULT, {0: standing[0], 1: standing[1]}) == refused(tdl.R_FAULT)
        assert host.notices == {}
        await host.hands.reset()
        reply = await host.open()
        assert (reply[2], await host.heard(tdl.BOOTED)) == (boot + 1, host.told(tdl.BOOTED)[0])
        assert host.newest == 1
        assert await host.outcome(number) == {0: tdl.INTERRUPTED}
