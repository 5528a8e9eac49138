"""Setting one station up: who it is, what it can do, the secure channel, its status. One object an attempt, pure.

ID and CAP in clear, then the channel where a key is configured, then ID again inside it: what a reader says in
clear could have been said by anybody. In install mode a reader that has only the default key is given its own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from firmware_bridge.session.osdp.conversation import Answer
from firmware_bridge.session.osdp.handshake import Handshake, KeyWrong
from firmware_bridge.session.osdp.notices import Loss
from firmware_bridge.session.osdp.profile import StationProfile
from firmware_bridge.wire.osdp.codes import NakCode
from firmware_bridge.wire.osdp.commands import (
    RANDOM_SIZE,
    CommandMessage,
    ReportCapabilities,
    ReportIdentity,
    ReportLocalStatus,
    SetKey,
)
from firmware_bridge.wire.osdp.frame import SecurityBlock
from firmware_bridge.wire.osdp.replies import (
    Acknowledged,
    Capabilities,
    ClientCryptogram,
    Identity,
    InitialMac,
    LocalStatus,
    Refused,
)
from firmware_bridge.wire.osdp.secure import DEFAULT_KEY, BaseKey, SecureChannel

RandomBytes = Callable[[int], bytes]
SECURITY_REFUSALS = frozenset({NakCode.SECURE_CHANNEL_UNSUPPORTED, NakCode.SECURITY_CONDITIONS})


class SetUpFailed(Exception):
    """This attempt has failed; another has to begin at sequence number 0."""

    def __init__(self, loss: Loss, text: str) -> None:
        super().__init__(text)
        self.loss = loss


class _Step(Enum):
    IDENTITY = auto()
    CAPABILITIES = auto()
    CHALLENGE = auto()
    PROOF = auto()
    NEW_KEY = auto()
    CONFIRMATION = auto()
    STATUS = auto()
    DONE = auto()


class SetUp:
    """The questions of one attempt, in order. `channel` is to be used as soon as it is there."""

    def __init__(self, profile: StationProfile, random: RandomBytes, *, uses_default_key: bool) -> None:
        self.identity: Identity | None = None
        self.capabilities = Capabilities(())
        self.status: LocalStatus | None = None
        self.channel: SecureChannel | None = None
        self.is_key_installed = False
        self._profile = profile
        self._uses_default_key = uses_default_key
        key = BaseKey(DEFAULT_KEY, is_install_mode=True) if uses_default_key else profile.key
        self._handshake = Handshake(key, random(RANDOM_SIZE)) if key else None
        self._proof: tuple[CommandMessage, SecurityBlock] | None = None
        self._step = _Step.IDENTITY
        self._takers: dict[_Step, Callable[[Answer], None]] = {
            _Step.IDENTITY: self._take_identity,
            _Step.CAPABILITIES: self._take_capabilities,
            _Step.CHALLENGE: self._take_client_proof,
            _Step.PROOF: self._take_first_mac,
            _Step.NEW_KEY: self._take_new_key,
            _Step.CONFIRMATION: self._take_identity,
            _Step.STATUS: self._take_status,
        }

    @property
    def is_done(self) -> bool:
        """True when the station may be polled."""
        return self._step is _Step.DONE

    def next_command(self) -> tuple[CommandMessage, SecurityBlock | None]:
        """What to ask now. Raises RuntimeError when there is nothing left to ask."""
        match self._step:
            case _Step.IDENTITY | _Step.CONFIRMATION:
                return ReportIdentity(), None
            case _Step.CAPABILITIES:
                return ReportCapabilities(), None
            case _Step.CHALLENGE if self._handshake:
                return self._handshake.challenge()
            case _Step.PROOF if self._proof:
                return self._proof
            case _Step.NEW_KEY if self._handshake and self._profile.key:
                return SetKey(self._profile.key.for_station(self._handshake.client_uid)), None
            case _Step.STATUS:
                return ReportLocalStatus(), None
        raise RuntimeError(f"nothing to ask in step {self._step.name}")

    def take(self, answer: Answer) -> None:
        """The answer to the last command. Raises `SetUpFailed`."""
        self._takers[self._step](answer)

    def take_refusal(self, refused: Refused) -> None:
        """NAK to the last command (other than for check or sequence number). Raises `SetUpFailed`."""
        is_about_security = refused.reason in SECURITY_REFUSALS
        if self._step in (_Step.CAPABILITIES, _Step.STATUS) and not is_about_security:
            self._go_on()  # it cannot tell: do without
        elif self._step is _Step.IDENTITY and is_about_security and self._handshake:
            self._step = _Step.CHALLENGE  # it says who it is inside a channel only
        elif self._step in (_Step.CHALLENGE, _Step.PROOF):
            text = f"refuses the secure channel ({refused.words}): install its key; a plain channel is refused here"
            raise SetUpFailed(Loss.NOT_SECURABLE, text)
        elif is_about_security and self.channel is None:
            text = f"speaks only in a secure channel ({refused.words}): configure its key"
            raise SetUpFailed(Loss.NEEDS_KEY, text)
        else:
            raise SetUpFailed(Loss.NONSENSE, f"refuses at {self._step.name.lower()}: {refused.words}")

    def _take_identity(self, answer: Answer) -> None:
        if not isinstance(answer.reply, Identity):
            raise _unfit(answer)
        self.identity = answer.reply
        if self._profile.serial not in (None, answer.reply.serial):
            text = f"serial {answer.reply.serial:08X} answers, {self._profile.serial:08X} is configured"
            raise SetUpFailed(Loss.WRONG_DEVICE, f"{text}: another reader was fitted")
        self._go_on()

    def _take_capabilities(self, answer: Answer) -> None:
        if not isinstance(answer.reply, Capabilities):
            raise _unfit(answer)
        self.capabilities = answer.reply
        self._go_on()

    def _take_client_proof(self, answer: Answer) -> None:
        if not isinstance(answer.reply, ClientCryptogram) or self._handshake is None:
            raise _unfit(answer)
        try:
            self._proof = self._handshake.prove(answer.reply, answer.block)
        except KeyWrong as wrong:
            raise SetUpFailed(Loss.WRONG_KEY, str(wrong)) from wrong
        self._step = _Step.PROOF

    def _take_first_mac(self, answer: Answer) -> None:
        if not isinstance(answer.reply, InitialMac) or self._handshake is None:
            raise _unfit(answer)
        try:
            self.channel = self._handshake.conclude(answer.reply, answer.block)
        except KeyWrong as wrong:
            raise SetUpFailed(Loss.WRONG_KEY, str(wrong)) from wrong
        self._step = _Step.NEW_KEY if self._uses_default_key else _Step.CONFIRMATION

    def _take_new_key(self, answer: Answer) -> None:
        if not isinstance(answer.reply, Acknowledged):
            raise _unfit(answer)
        self.is_key_installed = True

    def _take_status(self, answer: Answer) -> None:
        if isinstance(answer.reply, LocalStatus):
            self.status = answer.reply
        self._go_on()

    def _go_on(self) -> None:
        """To the step behind one that needed no decision."""
        behind_capabilities = _Step.CHALLENGE if self._handshake else _Step.STATUS
        self._step = {
            _Step.IDENTITY: _Step.CAPABILITIES,
            _Step.CAPABILITIES: behind_capabilities,
            _Step.CONFIRMATION: _Step.STATUS,
            _Step.STATUS: _Step.DONE,
        }[self._step]


def _unfit(answer: Answer) -> SetUpFailed:
    text = f"answers {type(answer.command).__name__} with {type(answer.reply).__name__}"
    return SetUpFailed(Loss.NONSENSE, text)
