"""What docs/protocols/tdl.md says of bytes, sessions and requests (3 to 6), frame by frame.

The host shares no code with ours. Where two readings of the specification could differ a test stands in these
contracts, and both readings must pass it: the simulated shuffler's and the stranger's.
"""

from __future__ import annotations

import os

from tests.support import tdl_numbers as tdl
from tests.support.plain_host import PLAIN_EPOCH, PlainHost, frame, refused, stuffed

OTHER_EPOCH = PLAIN_EPOCH + 1
ACCEPTED = {0: tdl.OK}
BUSY = {0: tdl.BUSY}


class TdlBytesContract:
    """3 and B-1 to B-6."""

    async def test_a_frame_in_single_bytes_and_two_in_one_piece_are_frames(self, host: PlainHost) -> None:
        await host.hello()
        for byte in host.request(tdl.PING, {}):
            await host.put(bytes([byte]))
        assert (await host.first_reply()).code == tdl.PING
        await host.put(host.request(tdl.PING, {}) + b"\0\0\0" + host.request(tdl.STATE, {}))
        assert [(await host.first_reply()).code for _ in range(2)] == [tdl.PING, tdl.STATE]

    async def test_unknown_keys_of_every_type_are_skipped(self, host: PlainHost) -> None:
        await host.hello()
        body = {2: "x", 5: True, 20: [1, 2], 21: -5, 22: b"\0", 23: 0}
        assert await host.ask(tdl.PING, body) == ACCEPTED

    async def test_any_one_bit_makes_garbage(self, host: PlainHost) -> None:
        """B-3, B-4, BR-003: and each piece is counted once."""
        await host.hello()
        good = host.request(tdl.PING, {}, seq=9)[1:-1]
        pieces = 0
        damaged = []
        for bit in range(8 * len(good)):
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            pieces += sum(1 for piece in bytes(bad).split(b"\0") if piece)
            damaged.append(b"\0" + bytes(bad) + b"\0")
        assert await host.unanswered(*damaged) == pieces

    async def test_bodies_outside_the_profile_are_garbage(self, host: PlainHost) -> None:
        await host.hello()
        wrong = [
            b"", b"\xa0\0", b"\xbf\xff", b"\xa1\x18\x18\0", b"\xa2\1\0\0\0", b"\xa2\0\0\0\0", b"\xa1\0\x18\x05",
            b"\xa1\0\xf6", b"\xa1\0\xf9\0\0", b"\xa1\0\xc0\0", b"\xa1\0\x1b\0\0\0\1\0\0\0\0", b"\xa1\0\xa0",
            b"\xa1\0\x81\x80", b"\xa1\0\x98\x18" + bytes(24), b"\x80", b"\0", b"\xa1\0\x5f\xff", b"\xb8\x01\0\0",
        ]  # fmt: skip
        frames = [host.request(tdl.PING, body, seq=9) for body in wrong]
        assert await host.unanswered(*frames) == len(frames)

    async def test_frames_that_are_none_for_a_device_are_dropped_and_counted(self, host: PlainHost) -> None:
        """B-6, 3.5, 13: a wrong session, direction, type or field."""
        await host.hello()
        session, other = host.session, host.session + 1
        frames = [
            frame(tdl.REQUEST, tdl.PING, 9, other, {}),
            frame(tdl.NOTICE_ACK, 0, 0, other, {0: host.boot, 1: 0}),
            frame(tdl.REPLY, tdl.PING, 9, session, {0: 0}),
            frame(tdl.NOTICE, tdl.BOOTED, 0, session, {0: 1, 1: 1, 2: 0, 3: 0}),
            frame(tdl.PROGRESS, tdl.COUNT_ALL, 0, session, {0: 1}),
            frame(8, 0, 0, session, {}),
            frame(9, 0, 0, session, {}),
            frame(tdl.REQUEST, 0, 9, session, {}),
            frame(tdl.REQUEST, 0xFF, 9, session, {}),
            frame(tdl.REQUEST, tdl.PING, 0, session, {}),
            frame(tdl.REQUEST, tdl.PING, 9, 0, {}),
            frame(tdl.NOTICE_ACK, 0, 1, session, {0: host.boot, 1: 0}),
            b"\xd1\3\x08",
            b"\xd2" + frame(tdl.REQUEST, tdl.PING, 9, session, {})[1:],
        ]
        assert await host.unanswered(*map(stuffed, frames)) == len(frames)

    async def test_a_flood_is_one_piece_of_garbage_and_the_next_frame_is_taken(self, host: PlainHost) -> None:
        """B-1; and a stuffed frame of no bytes is one piece too."""
        await host.hello()
        assert await host.unanswered(b"\xff" * 3000 + bytes(300)) == 1
        assert await host.unanswered(b"\0\x01\0", b"\0\x05\xd1\0") == 2


class TdlSessionsContract:
    """4 and D-1 to D-5."""

    async def test_a_closed_device_answers_hello_only(self, host: PlainHost) -> None:
        """D-1; a HELLO without sense is none (4.3, line 1)."""
        session = host.session = next(host._sessions)
        nonce = os.urandom(8)
        wrong = [{"key_3": 95}, {"key_4": 0}, {"key_0": bytes(7)}, {"key_3": None}, {"key_0": "12345678"}]
        for changed in wrong:
            await host.put(host.hello_frame(session, nonce, host.epoch, **changed))
        await host.put(host.request(tdl.PING, {}, seq=2))
        await host.acknowledge(0, boot=1)
        reply = await host.hello()  # and this is the first answer
        assert reply[1] == 1
        assert (await host.ask(tdl.METERS))[6] == len(wrong) + 2

    async def test_no_common_version_changes_nothing(self, host: PlainHost) -> None:
        """4.3, line 2."""
        await host.hello()
        await host.put(host.hello_frame(777, os.urandom(8), host.epoch, key_1=2, key_2=3))
        heard = await host.first_reply()
        assert (heard.session, heard.body[1]) == (777, 0)
        assert await host.ask(tdl.PING) == ACCEPTED

    async def test_a_copy_of_hello_is_answered_and_changes_nothing(self, host: PlainHost) -> None:
        """D-3: neither seq nor what is armed nor open."""
        await host.adopt()
        assert await host.ask(tdl.ARM, {0: tdl.ADOPT}) == ACCEPTED
        await host.put(host.last_hello)
        assert (await host.first_reply()).kind == tdl.HELLO_REPLY
        assert await host.again() == ACCEPTED  # seq 3 is still the last
        assert (await host.grant(tdl.FEEDING, 1000))[0] == tdl.OK  # still open

    async def test_a_late_copy_of_the_hello_before_is_dropped(self, host: PlainHost) -> None:
        """D-3: it must not throw out the session that followed."""
        await host.hello()
        before = host.last_hello
        await host.hello()
        assert await host.unanswered(before) == 1

    async def test_another_epoch_is_told_that_a_host_is_there(self, host: PlainHost) -> None:
        """D-4."""
        await host.adopt()
        await host.put(host.hello_frame(777, os.urandom(8), OTHER_EPOCH))
        heard = await host.first_reply()
        assert (heard.session, heard.body[12] & tdl.F_OTHER_HOST) == (777, tdl.F_OTHER_HOST)
        assert (await host.grant(tdl.FEEDING, 1000))[0] == tdl.OK

    async def test_adopted_but_not_open(self, host: PlainHost) -> None:
        """D-2 and the order of checks: what is wrong for another reason says so first (6, 7.3)."""
        await host.adopt()
        await host.heard(tdl.BOOTED)
        await host.hello()
        sent = len(host.sendings)
        for code in (tdl.IDENTITY, tdl.STATE, tdl.FAULTS, tdl.METERS, tdl.PING):
            assert (await host.ask(code))[0] == tdl.OK
        assert await host.ask(tdl.ARM, {0: tdl.ADOPT}) == ACCEPTED
        assert (await host.permit(tdl.FEEDING, 0))[0] == tdl.OK
        assert await host.permit(tdl.FEEDING, 1000) == BUSY
        assert await host.ask(tdl.LAMP, {0: 1, 1: 0}) == BUSY
        assert await host.ask(tdl.CLEAR_FAULT, {0: 4, 1: 1}) == BUSY
        assert await host.ask(tdl.LAMP, {0: 7, 1: 0}) == refused(tdl.R_ARGUMENT)
        assert await host.ask(tdl.CLEAR_FAULT, {0: 4}) == refused(tdl.R_ARGUMENT)
        assert await host.ask(tdl.SHOW, {}) == refused(tdl.R_NOT_OFFERED)
        assert await host.ask(0xC5) == refused(tdl.R_NOT_OFFERED)
        assert await host.move(tdl.COUNT_ALL) == refused(tdl.R_NOT_OPEN)
        assert await host.move(tdl.SHUFFLE, 3) == refused(tdl.R_NOT_OFFERED)
        assert await host.outcome(1) == refused(tdl.R_NOT_OPEN)
        assert len(host.sendings) == sent
        await host.acknowledge(0)
        assert await host.move(tdl.COUNT_ALL, number=1) == refused(tdl.R_NOT_OPEN)  # stored: used up

    async def test_an_acknowledgement_of_another_boot_does_not_open(self, host: PlainHost) -> None:
        """8.3."""
        await host.adopt()
        await host.hello()
        await host.acknowledge(0, boot=host.boot + 1)
        assert await host.permit(tdl.FEEDING, 1000) == BUSY

    async def test_who_is_not_obeyed_changes_nothing(self, host: PlainHost) -> None:
        """6, last column: but it reads, takes notices, arms, and stops."""
        await host.open()
        assert await host.permit(tdl.FEEDING, 1000) == refused(tdl.R_EPOCH)
        assert (await host.permit(tdl.FEEDING, 0))[0] == tdl.OK
        assert await host.ask(tdl.LAMP, {0: 1, 1: 0}) == refused(tdl.R_EPOCH)
        assert await host.ask(tdl.LAMP, {0: 9, 1: 0}) == refused(tdl.R_ARGUMENT)
        assert await host.ask(tdl.CLEAR_FAULT, {0: 4, 1: 1}) == refused(tdl.R_EPOCH)
        assert await host.outcome(1) == refused(tdl.R_EPOCH)
        assert await host.move(tdl.COUNT_ALL) == refused(tdl.R_EPOCH)
        assert (await host.ask(tdl.STATE))[0] == tdl.OK
        await host.heard(tdl.BOOTED)

    async def test_new_copy_or_late_by_the_seq(self, host: PlainHost) -> None:
        """D-6, D-7 and the table of 5, on both sides of 255."""
        await host.hello()
        late = {1: (1, 255), 2: (), 129: (2,), 255: (254, 128), 256: (254, 129), 3: (250, 131), 130: (3, 129)}
        for last, behind in late.items():  # 127 ahead is new, 128 ahead is 127 behind; 256 is the 1 after 255
            if last > 1:
                assert await host.ask(tdl.PING, seq=(last - 1) % 255 + 1) == ACCEPTED
                assert await host.again() == ACCEPTED  # the same seq and code: a copy
            for seq in behind:
                await host.put(host.request(tdl.PING, {}, seq))
        await host.put(host.request(tdl.STATE, {}, seq=130))  # the same seq, another code: no copy
        assert (await host.ask(tdl.METERS, seq=131))[6] == sum(map(len, late.values())) + 1

    async def test_a_copy_of_a_goal_acts_once_and_gets_the_first_answer(self, host: PlainHost) -> None:
        """5, D-7."""
        await host.adopt()
        assert await host.ask(tdl.LAMP, {0: 2, 1: 1}) == ACCEPTED
        assert await host.again() == ACCEPTED
        assert await host.ask(tdl.LAMP, {0: 9, 1: 1}) == refused(tdl.R_ARGUMENT)
        assert await host.again() == refused(tdl.R_ARGUMENT)
        assert await host.ask(tdl.LAMP, {0: 3, 1: 0}) == ACCEPTED
        await host.heard(tdl.LIT, 2)
        assert host.told(tdl.LIT) == [{3: 2, 4: 1}, {3: 3, 4: 0}]

    async def test_a_late_permit_does_not_undo_a_revoke(self, host: PlainHost) -> None:
        """D-8, BR-012."""
        await host.adopt()
        await host.grant(tdl.FEEDING, 60_000)
        late = host.last
        await host.permit(tdl.FEEDING, 0)
        assert await host.unanswered(late) == 1
        assert (await host.ask(tdl.STATE))[7] == 0

    async def test_lamp_takes_what_there_is(self, host: PlainHost) -> None:
        """6: LAMP."""
        await host.adopt()
        for body in ({0: 4, 1: 0}, {0: 1, 1: 2}, {0: 0, 1: 1}, {0: 1}, {1: 0}, {0: "red", 1: 0}, {}):
            assert await host.ask(tdl.LAMP, body) == refused(tdl.R_ARGUMENT), body
        assert await host.ask(tdl.LAMP, {0: 1, 1: 1}) == ACCEPTED
        assert (await host.ask(tdl.STATE))[6] == 17

    async def test_clearing_what_does_not_stand_is_done_already(self, host: PlainHost) -> None:
        """6, 10.4: a fault or place of a later version too."""
        await host.adopt()
        for fault, place in ((4, 1), (0, 2), (99, 0), (200, 9)):
            assert await host.ask(tdl.CLEAR_FAULT, {0: fault, 1: place}) == ACCEPTED
        for body in ({0: 4}, {1: 1}, {0: 256, 1: 1}, {0: 4, 1: 256}, {0: "x", 1: 1}):
            assert await host.ask(tdl.CLEAR_FAULT, body) == refused(tdl.R_ARGUMENT), body

    async def test_maintenance_is_armed_for_one_code_once(self, host: PlainHost) -> None:
        """7.7, D-17."""
        await host.adopt()
        await host.count_all()
        host.epoch = OTHER_EPOCH
        await host.connect()  # whatever the cable is: the host before has left, or is silent for more than 5 s
        await host.until_taken()
        await host.acknowledge(0)
        adopt = {0: OTHER_EPOCH, 1: 4}
        assert await host.ask(tdl.ARM, {0: 0x81}) == refused(tdl.R_NOT_OFFERED)
        assert await host.ask(tdl.ADOPT, adopt) == refused(tdl.R_NOT_ARMED)
        assert await host.ask(tdl.ADOPT, {0: PLAIN_EPOCH, 1: 4}) == refused(tdl.R_ARGUMENT)
        for spoilt in ({0: OTHER_EPOCH - 1, 1: 4}, {0: OTHER_EPOCH}):
            assert await host.ask(tdl.ARM, {0: tdl.ADOPT}) == ACCEPTED
            assert await host.ask(tdl.ADOPT, spoilt) == refused(tdl.R_ARGUMENT)  # and uses it up
            assert await host.ask(tdl.ADOPT, adopt) == refused(tdl.R_NOT_ARMED)
        assert await host.ask(tdl.ARM, {0: tdl.ADOPT}) == ACCEPTED
        assert await host.ask(tdl.ARM, {0: 0x81}) == refused(tdl.R_NOT_OFFERED)  # leaves what was armed
        assert await host.ask(tdl.ADOPT, adopt) == {0: tdl.DONE}
        assert await host.again() == {0: tdl.DONE}
        assert await host.move(tdl.COUNT_ALL, number=4) == {0: tdl.OLD}
        assert await host.outcome(3) == {0: tdl.OLD}
        assert await host.ask(tdl.ADOPT, {0: OTHER_EPOCH, 1: 900}) == {0: tdl.DONE}  # obeyed already: changes nothing
        assert (await host.hello())[9] == 4
