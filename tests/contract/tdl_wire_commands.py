"""What docs/protocols/tdl.md says of moving commands and permits (7, 9), frame by frame."""

from __future__ import annotations

from tests.support import tdl_numbers as tdl
from tests.support.plain_host import PlainHost, refused

STARTED = {0: tdl.STARTED}
OLD = {0: tdl.OLD}
NEVER = {0: tdl.NEVER}


class TdlCommandsContract:
    """7 and D-10 to D-18."""

    async def test_every_refusal_of_a_new_number_is_stored(self, host: PlainHost) -> None:
        """7.2, 7.3: in the order of the guards; 7.5: the number is used up."""
        await host.adopt()
        refusals = [
            (tdl.DEAL, 3, tdl.R_NOT_OFFERED),
            (tdl.SHUFFLE, 3, tdl.R_NOT_OFFERED),
            (0x90, None, tdl.R_NOT_OFFERED),
            (tdl.SELF_TEST, 77, tdl.R_ARGUMENT),
            (tdl.RECOVER, 4, tdl.R_ARGUMENT),
            (tdl.RECOVER, "x", tdl.R_ARGUMENT),
            (tdl.EJECT_ALL, None, tdl.R_UNVERIFIED),
        ]
        for code, argument, reason in refusals:
            assert await host.move(code, argument) == refused(reason), code
            assert await host.outcome(host.number) == refused(reason)
            assert await host.move(tdl.COUNT_ALL, number=host.number) == refused(reason)

    async def test_what_is_no_command_at_all_stores_nothing(self, host: PlainHost) -> None:
        """7.2, lines 1 and 2."""
        await host.adopt()
        for body in ({0: host.epoch}, {1: 1}, {0: host.epoch, 1: 0}, {0: "x", 1: 1}, {0: host.epoch, 1: -1}):
            assert await host.ask(tdl.COUNT_ALL, body) == refused(tdl.R_ARGUMENT), body
        for epoch in (host.epoch + 1, 0):
            assert await host.ask(tdl.COUNT_ALL, {0: epoch, 1: 1}) == refused(tdl.R_EPOCH)
        assert await host.move(tdl.COUNT_ALL, number=1) == STARTED

    async def test_an_argument_that_a_command_has_not_is_an_unknown_key(self, host: PlainHost) -> None:
        """7.4: whatever stands in it."""
        await host.adopt()
        assert await host.move(tdl.COUNT_ALL, "text") == STARTED

    async def test_a_number_has_one_answer_and_moves_once(self, host: PlainHost) -> None:
        """D-11, D-12, D-16."""
        await host.adopt()
        assert await host.count_all() == 0
        assert await host.move(tdl.COUNT_ALL, number=1) == await host.outcome(1) == {0: tdl.DONE, 2: 0}
        assert await host.move(tdl.SELF_TEST) == STARTED
        assert 6 not in await host.ended(2)
        assert await host.outcome(2) == {0: tdl.DONE}
        assert await host.move(tdl.RECOVER, 2) == STARTED
        assert (await host.ended(3))[4] == tdl.DONE
        assert len(host.told(tdl.COMMAND_ENDED)) == 3

    async def test_eight_are_remembered_and_the_rest_is_old(self, host: PlainHost) -> None:
        """7.1, D-12, D-14: also what was passed over by a question."""
        await host.adopt()
        for _ in range(9):
            assert await host.move(tdl.SHUFFLE) == refused(tdl.R_NOT_OFFERED)
        assert await host.outcome(1) == OLD
        assert await host.outcome(2) == refused(tdl.R_NOT_OFFERED)
        assert await host.outcome(20) == NEVER
        assert await host.outcome(20) == await host.move(tdl.COUNT_ALL, number=20) == NEVER
        assert await host.outcome(15) == await host.move(tdl.COUNT_ALL, number=19) == OLD
        assert host.told(tdl.COMMAND_ENDED) == []

    async def test_another_command_is_refused_while_one_runs(self, host: PlainHost) -> None:
        """D-18, D-16: PROGRESS each second at least, and the flag."""
        await host.adopt()
        await host.load(40)
        assert await host.move(tdl.COUNT_ALL) == STARTED
        assert await host.move(tdl.RECOVER) == refused(tdl.R_RUNS)
        state = await host.ask(tdl.STATE)
        assert (state[8], state[9] & tdl.F_RUNS) == (1, tdl.F_RUNS)
        assert (await host.ended(1))[6] == 40
        assert (await host.ask(tdl.STATE))[8] == 0

    async def test_eject_all_moves_under_its_permit_only(self, host: PlainHost) -> None:
        """D-25; 7.4: *permit ended* comes before *command ended*, and what is left is for a new number."""
        await host.adopt()
        await host.load(20)
        await host.count_all()
        assert await host.move(tdl.EJECT_ALL) == refused(tdl.R_PERMIT)
        await host.permit(tdl.DEALING, 0)
        await host.grant(tdl.DEALING, 60_000, 5)
        assert await host.move(tdl.EJECT_ALL) == STARTED
        ended = await host.ended(host.number)
        assert (ended[4], ended[5], ended[6]) == (tdl.FAILED, tdl.R_PERMIT, 5)
        assert await host.outcome(host.number) == {0: tdl.FAILED, 1: tdl.R_PERMIT, 2: 5}
        kinds = [kind for kind in host.kinds() if kind in (tdl.PERMIT_ENDED, tdl.COMMAND_ENDED)]
        assert kinds[-2:] == [tdl.PERMIT_ENDED, tdl.COMMAND_ENDED]
        assert host.told(tdl.PERMIT_ENDED)[-1] == {3: tdl.DEALING, 4: tdl.E_NUMBER, 5: 5}
        assert await host.hands.inside() == 15
        await host.permit(tdl.DEALING, 0)
        await host.grant(tdl.DEALING, 60_000)
        assert await host.move(tdl.EJECT_ALL) == STARTED
        assert (await host.ended(host.number))[6] == 15
        state = await host.ask(tdl.STATE)
        assert (state[2], sum(state[3]), await host.hands.inside()) == (0, 0, 0)

    async def test_a_jam_ends_it_and_is_told_in_order(self, host: PlainHost) -> None:
        """D-26, 10.1, 7.4."""
        await host.adopt()
        await host.load(20)
        await host.count_all()
        await host.hands.crease_at_exit()
        after = host.newest
        await host.grant(tdl.DEALING, 60_000)
        assert await host.move(tdl.EJECT_ALL) == STARTED
        ended = await host.ended(host.number)
        assert (ended[4], ended[5]) == (tdl.FAILED, tdl.R_FAULT)
        in_order = (tdl.JAM, tdl.LIT, tdl.PERMIT_ENDED, tdl.COMMAND_ENDED)
        assert tuple(kind for kind in host.kinds(after) if kind in in_order) == in_order
        assert host.told(tdl.PERMIT_ENDED)[-1][4] == tdl.E_FAULT
        assert (await host.ask(tdl.STATE))[6] == 17
        assert (await host.ask(tdl.FAULTS))[2] == [0, 2]
        assert (await host.ask(tdl.METERS))[4] == 1
        assert await host.ask(tdl.LAMP, {0: 0, 1: 0}) == refused(tdl.R_FAULT)
        assert await host.permit(tdl.FEEDING, 500) == refused(tdl.R_FAULT)
        assert await host.move(tdl.COUNT_ALL) == refused(tdl.R_FAULT)
        assert await host.ask(tdl.CLEAR_FAULT, {0: 0, 1: 2}) == refused(tdl.R_FAULT)
        await host.hands.open_lid()
        assert await host.ask(tdl.CLEAR_FAULT, {0: 0, 1: 2}) == refused(tdl.R_FAULT)
        assert await host.move(tdl.RECOVER) == refused(tdl.R_LID)
        await host.hands.close_lid()

    async def test_an_opened_lid_ends_it(self, host: PlainHost) -> None:
        """D-26, 10.2: told also where nobody had released it."""
        await host.adopt()
        await host.load(20)
        await host.count_all()
        await host.grant(tdl.DEALING, 60_000)
        assert await host.move(tdl.EJECT_ALL) == STARTED
        await host.heard(tdl.CARDS_OUT)
        await host.hands.open_lid()
        ended = await host.ended(host.number)
        assert (ended[4], ended[5]) == (tdl.FAILED, tdl.R_LID)
        assert host.told(tdl.PERMIT_ENDED)[-1][4] == tdl.E_LID
        assert await host.permit(tdl.DEALING, 500) == refused(tdl.R_LID)
        await host.hands.close_lid()
        await host.heard(tdl.LID_CLOSED)
        assert await host.count_all() == await host.hands.inside() == 20 - ended[6]

    async def test_a_boot_interrupts_and_the_number_stays_used_up(self, host: PlainHost) -> None:
        """D-15, D-19, D-27."""
        await host.adopt()
        await host.load(40)
        await host.count_all()
        assert await host.move(tdl.COUNT_ALL) == STARTED
        boot, number = host.boot, host.number
        await host.hands.reset()
        reply = await host.hello()
        assert (reply[2], reply[3], reply[8], reply[9]) == (boot + 1, 2, host.epoch, number)
        assert (reply[10], reply[12]) == (1, tdl.F_UNVERIFIED)
        assert await host.outcome(number) == {0: tdl.INTERRUPTED}
        await host.acknowledge(0)
        await host.heard(tdl.BOOTED)
        assert host.kinds()[0] == tdl.BOOTED
        assert await host.move(tdl.COUNT_ALL, number=number) == {0: tdl.INTERRUPTED}
        assert await host.permit(tdl.DEALING, 500) == refused(tdl.R_UNVERIFIED)
        assert await host.count_all() == await host.hands.inside() == 40

    async def test_without_memory_nothing_moves_and_nothing_is_fenced(self, host: PlainHost) -> None:
        """7.2, 7.6: *refused* is no answer to a question, it would look like that command's stored refusal."""
        await host.adopt()
        await host.hands.break_memory()
        assert await host.move(tdl.COUNT_ALL) == refused(tdl.R_FAULT)
        assert await host.outcome(1) == {0: tdl.BUSY}
        fault, place = (await host.ask(tdl.FAULTS))[2]
        assert fault == tdl.F_MEMORY
        assert await host.ask(tdl.CLEAR_FAULT, {0: fault, 1: place}) == refused(tdl.R_FAULT)
        await host.hands.mend_memory()
        assert await host.ask(tdl.CLEAR_FAULT, {0: fault, 1: place}) == {0: tdl.OK}
        assert (await host.hello())[9] == 0
        await host.acknowledge(0)
        assert await host.move(tdl.COUNT_ALL, number=1) == STARTED  # nothing of it was stored

    async def test_an_end_that_cannot_be_stored_is_not_told(self, host: PlainHost) -> None:
        """7.4: else the next boot would call interrupted what was told as done."""
        await host.adopt()
        await host.load(40)
        assert await host.move(tdl.COUNT_ALL) == STARTED
        await host.hands.break_memory()
        assert (await host.heard(tdl.FAULT))[3] == tdl.F_MEMORY
        assert (await host.ask(tdl.STATE))[8] == 1
        assert await host.outcome(1) == STARTED
        await host.until(lambda: len(host.progress) > 2)
        await host.hands.mend_memory()
        assert (await host.ended(1))[6] == 40
        assert await host.outcome(1) == {0: tdl.DONE, 2: 40}


class TdlPermitsContract:
    """9 and D-23, D-24, D-29."""

    async def test_a_permit_that_makes_no_sense(self, host: PlainHost) -> None:
        """9.2, lines 1 and 2."""
        await host.adopt()
        bad: list[dict[int, object]] = [{0: 2}, {1: 5}, {0: 2, 1: 60_001}, {0: 2, 1: 5, 2: 0}, {0: 2, 1: 5, 2: 70_000}]
        for body in (*bad, {0: "x", 1: 5}, {0: 2, 1: 5, 2: "x"}):
            assert await host.ask(tdl.PERMIT, body) == refused(tdl.R_ARGUMENT), body
        for what in (0, 4, 9):
            assert await host.permit(what, 500) == refused(tdl.R_NOT_OFFERED)
            assert await host.permit(what, 0) == refused(tdl.R_NOT_OFFERED)

    async def test_the_count_goes_on_until_a_revoke(self, host: PlainHost) -> None:
        """D-24 and the example of 9.2; one *packet end* for each packet, before *permit ended*."""
        await host.adopt()
        await host.hands.lay(6)
        assert await host.permit(tdl.FEEDING, 0) == {0: tdl.OK, 2: 0}
        assert await host.grant(tdl.FEEDING, 60_000, 10) == {0: tdl.OK, 2: 0}
        assert await host.heard(tdl.PACKET_END) == {3: 6}
        await host.hands.lay(10)
        assert await host.heard(tdl.PERMIT_ENDED) == {3: tdl.FEEDING, 4: tdl.E_NUMBER, 5: 10}
        assert host.told(tdl.PACKET_END) == [{3: 6}, {3: 10}]
        assert host.kinds()[-2:] == [tdl.PACKET_END, tdl.PERMIT_ENDED]
        assert await host.grant(tdl.FEEDING, 60_000, 10) == {0: tdl.OK, 2: 10}
        assert (await host.ask(tdl.STATE))[7] == 0
        assert await host.permit(tdl.FEEDING, 0) == {0: tdl.OK, 2: 10}
        assert await host.hands.inside() == 10
        assert await host.grant(tdl.FEEDING, 60_000, 4) == {0: tdl.OK, 2: 0}
        await host.heard(tdl.PERMIT_ENDED, 2)
        state, meters = await host.ask(tdl.STATE), await host.ask(tdl.METERS)
        assert (state[2], state[4], meters[2]) == (14, False, 14)
        assert await host.hands.inside() == 14

    async def test_a_limit_lowered_to_what_was_counted_ends_it(self, host: PlainHost) -> None:
        """9.2, line 11: *ok* with the count, and it stands no more."""
        await host.adopt()
        await host.load(5)
        await host.hands.lay(5)
        assert (await host.grant(tdl.FEEDING, 60_000, 8))[0] == tdl.OK
        await host.heard(tdl.PERMIT_ENDED, 2)
        assert await host.grant(tdl.FEEDING, 60_000) == {0: tdl.OK, 2: 8}
        await host.heard(tdl.PACKET_END, 3)
        assert await host.grant(tdl.FEEDING, 60_000, 10) == {0: tdl.OK, 2: 10}
        assert await host.heard(tdl.PERMIT_ENDED, 3) == {3: tdl.FEEDING, 4: tdl.E_NUMBER, 5: 10}
        assert host.told(tdl.PACKET_END) == [{3: 5}, {3: 8}, {3: 10}]  # no other: no card since the last

    async def test_a_limit_lowered_below_what_was_counted_ends_the_packet(self, host: PlainHost) -> None:
        """8.6, 9.3: told, with the cards so far; a card that moves just then finishes."""
        await host.adopt()
        await host.hands.lay(60)
        await host.grant(tdl.FEEDING, 60_000)
        await host.heard(tdl.CARDS_IN)
        assert (await host.permit(tdl.FEEDING, 60_000, 1))[0] == tdl.OK
        ended = await host.heard(tdl.PERMIT_ENDED)
        (packet,) = host.told(tdl.PACKET_END)
        assert ended[4] == tdl.E_NUMBER
        assert ended[5] - packet[3] in (0, 1)
        assert await host.hands.inside() == ended[5]

    async def test_cards_are_drawn_under_a_permit_to_the_card(self, host: PlainHost) -> None:
        """D-29: what was drawn, what was counted and what is left agree."""
        await host.adopt()
        await host.load(20)
        await host.count_all()
        assert await host.hands.draw() == 0
        await host.permit(tdl.DEALING, 0)
        assert await host.grant(tdl.DEALING, 60_000, 7) == {0: tdl.OK, 2: 0}
        drawn = 0
        while not any(keys[3] == tdl.DEALING for keys in host.told(tdl.PERMIT_ENDED)):
            drawn += await host.hands.draw()
            await host.pause()
        assert drawn == 7
        assert host.told(tdl.PERMIT_ENDED)[-1] == {3: tdl.DEALING, 4: tdl.E_NUMBER, 5: 7}
        assert await host.hands.draw() == 0
        state, meters = await host.ask(tdl.STATE), await host.ask(tdl.METERS)
        assert (state[2], meters[3], await host.hands.inside()) == (13, 7, 13)

    async def test_adopt_revokes_all_permits(self, host: PlainHost) -> None:
        """7.7: they end, *revoked*, and their counts begin again."""
        await host.adopt()
        await host.load(5)
        assert await host.grant(tdl.FEEDING, 60_000) == {0: tdl.OK, 2: 5}
        await host.grant(tdl.LID, 30_000)
        host.epoch += 1
        await host.connect()
        await host.until_taken()
        await host.acknowledge(0)
        assert await host.ask(tdl.ARM, {0: tdl.ADOPT}) == {0: tdl.OK}
        assert await host.ask(tdl.ADOPT, {0: host.epoch, 1: 0}) == {0: tdl.DONE}
        await host.until(lambda: {3: tdl.FEEDING, 4: tdl.E_REVOKED, 5: 5} in host.told(tdl.PERMIT_ENDED))
        assert (await host.ask(tdl.STATE))[7] == 0
        assert await host.grant(tdl.FEEDING, 60_000) == {0: tdl.OK, 2: 0}
