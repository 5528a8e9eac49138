"""One station of the bus: set-up, polls, commands, silence. Fed with answers and time (s).

Whatever breaks leads back to the start of set-up, never to a plain channel.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.session.osdp.contact import Contact
from firmware_bridge.session.osdp.conversation import Answer, Conversation, Misheard, NoAnswer
from firmware_bridge.session.osdp.counts import StationCounts
from firmware_bridge.session.osdp.goals import Goals
from firmware_bridge.session.osdp.notices import (
    CardShown,
    ChannelLost,
    CommandDone,
    CommandDropped,
    CommandRefused,
    KeyInstalled,
    KeysKeyed,
    Loss,
    StationLost,
    StationNotice,
    StationReady,
    StatusTold,
)
from firmware_bridge.session.osdp.profile import (
    POLL_PERIOD_S,
    PROMPTED_FOR_S,
    PROMPTED_PERIOD_S,
    StationProfile,
)
from firmware_bridge.session.osdp.setup import SECURITY_REFUSALS, RandomBytes, SetUp, SetUpFailed
from firmware_bridge.wire.osdp.codes import NakCode
from firmware_bridge.wire.osdp.commands import CommandMessage, Poll
from firmware_bridge.wire.osdp.frame import Frame, SecurityBlock
from firmware_bridge.wire.osdp.replies import (
    Acknowledged,
    Busy,
    FormattedCard,
    KeysPressed,
    LocalStatus,
    RawCard,
    Refused,
    ReplyMessage,
)

Tell = Callable[[StationNotice], None]


class Station:
    """One peripheral. The panel says when it speaks; it says what, and when it wants to speak again (`due_at_s`)."""

    def __init__(self, profile: StationProfile, tell: Tell, random: RandomBytes, now_s: float) -> None:
        self.address = profile.address
        self.counts = StationCounts()
        self.due_at_s = now_s
        self.asked_at_s = now_s
        self.answered_at_s: float | None = None  # when its last answer came
        self._profile = profile
        self._tell = tell
        self._random = random
        self._conversation = Conversation(profile.address)
        self._contact = Contact(now_s)
        self._goals = Goals()
        self._goal: CommandMessage | None = None  # the one that is outstanding
        self._prompted_until_s = now_s
        self._uses_default_key = False
        self._set_up: SetUp | None = None  # None when it is done
        self._start_anew("")

    # --- what the panel asks ------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """True when it is polled."""
        return self._set_up is None

    @property
    def is_secure(self) -> bool:
        """True while there is a secure channel."""
        return self._conversation.channel is not None

    @property
    def is_silent(self) -> bool:
        """True while its last command has not been answered."""
        return self._contact.is_silent

    @property
    def asked(self) -> Frame | None:
        """The outstanding command's frame."""
        return self._conversation.asked

    def speak(self, now_s: float) -> bytes:
        """The bytes to send now: the outstanding command once more, the same to the bit, or the next one."""
        self.asked_at_s = now_s
        self._contact.asked(now_s)
        if self._conversation.outstanding is not None:
            self.counts.repeats += 1
            return self._conversation.copy()
        self.counts.commands += 1
        return self._conversation.ask(*self._next_command(now_s))

    def hear(self, frame: Frame, now_s: float) -> bool:
        """Take a frame from this address; True when it ends the exchange, False when it is no answer to it."""
        heard = self._conversation.hear(frame)
        if isinstance(heard, NoAnswer):
            return self._misheard(heard, now_s)
        self.counts.answers += 1
        self.answered_at_s = now_s
        self._contact.answered()
        if isinstance(heard.reply, Busy):
            self.counts.busy += 1
            self._useless(Loss.BUSY, "answers only that it is busy: check the reader")
        elif isinstance(heard.reply, Refused):
            self._refused(heard.reply, now_s)
        elif self._set_up is not None:
            self._take_set_up(self._set_up, heard, now_s)
        else:
            self._take_answer(heard.reply, now_s)
        return True

    def missed(self, now_s: float) -> None:
        """The deadline passed without an answer."""
        self.counts.misses += 1
        self.due_at_s = self._contact.missed(self.asked_at_s, now_s)

    def forgiven(self, now_s: float) -> None:
        """The deadline passed, but nobody could have heard an answer: ask again."""
        self.counts.forgiven += 1
        self.due_at_s = now_s

    def watch_at_s(self) -> float | None:
        """When `watch` may have something to tell."""
        return self._contact.watch_at()

    def watch(self, now_s: float, noise: str) -> None:
        """Tell a loss that has become one; `noise` is what the cable brings instead of frames, or empty."""
        lost = self._contact.lost(now_s)
        if lost is None:
            return
        loss, text = lost
        if loss is Loss.SILENT and noise:
            loss, text = Loss.NO_FRAME, noise
        if self.is_ready:
            self._start_anew("the reader went off-line")
        for command in self._goals.drop():
            self._tell(CommandDropped(self.address, command, "the reader went off-line"))
        self._tell(StationLost(self.address, loss, text, self._contact.silent_s(now_s)))

    def link_up(self, now_s: float) -> None:
        """A new cable: everything begins anew, now."""
        self.due_at_s = now_s
        self._contact.answered()

    def link_down(self, text: str, now_s: float) -> None:
        """The cable is gone."""
        self._start_anew("the link was lost")
        self._contact.link_went(text, now_s)

    # --- what those above wish ----------------------------------------------------------------------------

    def wish(self, command: CommandMessage, expires_at_s: float | None, now_s: float) -> None:
        """Send this before the next poll; a newer wish of its kind replaces it, a loss or `expires_at_s` drops it."""
        replaced = self._goals.wish(command, expires_at_s)
        if replaced is not None:
            self._tell(CommandDropped(self.address, replaced, "a newer one took its place"))
        self._hurry(now_s)

    def expect_tap(self, now_s: float) -> None:
        """Somebody was asked to tap: poll quickly for a while."""
        self._prompted_until_s = now_s + PROMPTED_FOR_S
        self._hurry(now_s)

    def _hurry(self, now_s: float) -> None:
        if self.is_ready and not self.is_silent:
            self.due_at_s = min(self.due_at_s, now_s)

    # --- asking and taking --------------------------------------------------------------------------------

    def _next_command(self, now_s: float) -> tuple[CommandMessage, SecurityBlock | None]:
        if self._set_up is not None:
            return self._set_up.next_command()
        self._goal, stale = self._goals.take(now_s)
        for command in stale:
            self._tell(CommandDropped(self.address, command, "its time ran out before its turn"))
        return self._goal or Poll(), None

    def _take_set_up(self, set_up: SetUp, answer: Answer, now_s: float) -> None:
        try:
            set_up.take(answer)
        except SetUpFailed as failed:
            self._set_up_failed(failed, now_s)
        else:
            self._set_up_went_on(set_up, now_s)

    def _set_up_went_on(self, set_up: SetUp, now_s: float) -> None:
        self.due_at_s = now_s
        self._conversation.channel = set_up.channel
        if set_up.is_key_installed:
            self._uses_default_key = False
            self._start_anew("its new key was installed")
            self._tell(KeyInstalled(self.address))
        elif set_up.is_done and set_up.identity is not None:
            self._set_up = None
            self.counts.sessions += 1
            self._contact.became_ready(now_s)
            self._tell(StationReady(self.address, set_up.identity, set_up.capabilities, self.is_secure))
            if set_up.status is not None:
                self._take_status(set_up.status)

    def _set_up_failed(self, failed: SetUpFailed, now_s: float) -> None:
        if failed.loss in (Loss.WRONG_KEY, Loss.NOT_SECURABLE) and self._profile.is_install_mode:
            self._uses_default_key = not self._uses_default_key
        self._fail(failed.loss, str(failed), now_s)

    def _take_answer(self, reply: ReplyMessage, now_s: float) -> None:
        self._was_useful(now_s)
        if self._goal is not None:
            self._tell(CommandDone(self.address, self._goal))
            self._goal = None
            return
        match reply:
            case Acknowledged():
                self.counts.clean_polls += 1
            case RawCard() | FormattedCard():
                self._tell(CardShown(self.address, reply))
            case KeysPressed():
                self._tell(KeysKeyed(self.address, reply.keys))
            case LocalStatus():
                self._take_status(reply)
            case _:
                self.counts.unknown_replies += 1

    def _take_status(self, status: LocalStatus) -> None:
        self._tell(StatusTold(self.address, status.is_tampered, status.is_power_failing))

    def _was_useful(self, now_s: float) -> None:
        self._contact.was_useful()
        period_s = PROMPTED_PERIOD_S if now_s < self._prompted_until_s else POLL_PERIOD_S
        self.due_at_s = now_s if self._goals else self.asked_at_s + period_s

    # --- what is no plain answer --------------------------------------------------------------------------

    def _misheard(self, heard: NoAnswer, now_s: float) -> bool:
        self.counts.misheard[heard.why] += 1
        if heard.why is Misheard.BROKEN and self.is_secure:
            self._channel_lost(heard.text, now_s)
        elif heard.why is not Misheard.NONSENSE:
            return False
        elif self.is_ready:
            self._drop_goal(f"the answer makes no sense: {heard.text}")
            self._useless(Loss.NONSENSE, heard.text)
        else:
            self._fail(Loss.NONSENSE, heard.text, now_s)
        return True

    def _refused(self, refused: Refused, now_s: float) -> None:
        self.counts.refusals[refused.reason] += 1
        if refused.reason == NakCode.CHECK:  # the line's fault: the same again
            self._useless(Loss.NONSENSE, "finds the check of every command wrong: check the line")
        elif refused.reason == NakCode.SEQUENCE:
            text = "refuses the sequence number: it was reset, or another panel speaks to it"
            self._fail(Loss.OUT_OF_STEP, text, now_s)
        elif self._set_up is not None:
            self._set_up_refused(self._set_up, refused, now_s)
        elif self._goal is not None:
            self._was_useful(now_s)
            self._tell(CommandRefused(self.address, self._goal, refused.words))
            self._goal = None
        elif refused.reason in SECURITY_REFUSALS and self.is_secure:
            self._channel_lost(f"refused: {refused.words}", now_s)
        else:
            loss = Loss.NEEDS_KEY if refused.reason in SECURITY_REFUSALS else Loss.NONSENSE
            self._fail(loss, f"refuses to be polled: {refused.words}", now_s)

    def _set_up_refused(self, set_up: SetUp, refused: Refused, now_s: float) -> None:
        try:
            set_up.take_refusal(refused)
        except SetUpFailed as failed:
            self._set_up_failed(failed, now_s)
        else:
            self._set_up_went_on(set_up, now_s)

    def _useless(self, loss: Loss, text: str) -> None:
        """It answers, to no use; what is outstanding is repeated in the next turn."""
        self._contact.is_troubled(loss, text)
        self.due_at_s = self.asked_at_s + POLL_PERIOD_S

    def _channel_lost(self, text: str, now_s: float) -> None:
        self.counts.channels_lost += 1
        self._fail(Loss.CHANNEL_BROKEN, f"its secure channel breaks: {text}", now_s)
        self._tell(ChannelLost(self.address, text))

    def _fail(self, loss: Loss, text: str, now_s: float) -> None:
        self._start_anew(text)
        self.due_at_s = self._contact.failed(loss, text, now_s)

    def _start_anew(self, why: str) -> None:
        self._drop_goal(why)
        self._conversation.start_anew()
        self._set_up = SetUp(self._profile, self._random, uses_default_key=self._uses_default_key)

    def _drop_goal(self, why: str) -> None:
        if self._goal is not None:
            self._tell(CommandDropped(self.address, self._goal, f"not known whether it was carried out: {why}"))
            self._goal = None
