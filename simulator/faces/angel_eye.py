"""The Angel Eye shoe's own side of its protocol, from the facts of docs/protocols/angel-eye.md.

Sans I/O: `receive` bytes, `update` at `next_wake_ns`, take bytes by `take_output`. Each telegram goes out three times.
"""

from __future__ import annotations

from collections import deque

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.angel_eye import codes
from firmware_bridge.wire.angel_eye import messages as said
from firmware_bridge.wire.angel_eye.codes import COPIES, CommandType, Mode, Refusal, Suit, Target, Winner
from firmware_bridge.wire.angel_eye.commands import LOCK, UNLOCK, Command, read_command
from firmware_bridge.wire.angel_eye.telegram import (
    Acknowledged,
    Block,
    NotAcknowledged,
    Telegram,
    TelegramDecoder,
    encode_answer,
    encode_telegram,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from simulator.world import cards, shoe
from simulator.world.shoe import BaccaratShoe, Hand, Outcome, Outside, ShoeSays

# Between the copies of a telegram (assumed): one of eight bytes takes 17 ms of 4,800 baud.
COPY_GAP_NS = 100 * NS_PER_MS
# What a shoe could not send it keeps; beyond this the oldest are gone (assumed).
KEPT = 64
SEQS = b"0123456789ABCDEF"  # assumed: the one character counts in hex
SUITS = {
    cards.Suit.CLUBS: Suit.CLUB,
    cards.Suit.DIAMONDS: Suit.DIAMOND,
    cards.Suit.HEARTS: Suit.HEART,
    cards.Suit.SPADES: Suit.SPADE,
}
TARGETS = {Hand.PLAYER: Target.PLAYER, Hand.BANKER: Target.BANKER, Hand.BURN: Target.BURN}
MODES = {Outside.LOCKED: Mode.LOCK, Outside.ERROR: Mode.ERROR}
WINNERS = {
    Outcome.PLAYER: Winner.PLAYER,
    Outcome.BANKER: Winner.BANKER,
    Outcome.TIE: Winner.TIE,
    Outcome.FORCED: Winner.FORCED,
}
PLAIN: dict[str, said.Message] = {
    shoe.STARTED: said.Started(),
    shoe.STANDBY: said.StoodBy(),
    shoe.CUT_CARD: said.CutCard(),
}
REFUSALS = {GarbageReason.BAD_CHECK: Refusal.CHECK, GarbageReason.OVERSIZED: Refusal.NO_ETX}


class AngelEyeFace:
    """One shoe, off until `boot`. `bcc_includes_stx`: what its own check of a command covers."""

    boot_number = 0  # a shoe counts no boots
    profile = "angel eye"

    def __init__(self, world: BaccaratShoe, *, bcc_includes_stx: bool = True, copies: int = COPIES) -> None:
        self.shoe = world
        self.copies = copies
        self.told: list[said.Message] = []  # each once, for whoever checks what a host has heard
        self.commands: list[Command] = []
        self._includes_stx = bcc_includes_stx
        self._decoder = TelegramDecoder(bcc_includes_stx=bcc_includes_stx)
        self._seq = 0
        self._waiting: deque[bytes] = deque(maxlen=KEPT * COPIES)
        self._next_copy_ns = 0
        self._due: list[bytes] = []

    @property
    def is_on(self) -> bool:
        return self.shoe.is_powered

    @property
    def next_wake_ns(self) -> int | None:
        return self._next_copy_ns if self._waiting else None

    def boot(self, now_ns: int) -> None:
        """Power."""
        self._forget()
        self.shoe.power_on()

    def power_off(self) -> None:
        """No power."""
        self.shoe.power_off()
        self._forget()

    def _forget(self) -> None:
        self._decoder = TelegramDecoder(bcc_includes_stx=self._includes_stx)
        self._seq = 0
        self._waiting.clear()
        self._due.clear()

    def connected(self, *, is_message_based: bool) -> None:
        """A shoe sees no cable: what it says without one is gone."""

    def disconnected(self) -> None:
        """Nor its end."""

    def is_host_present(self, now_ns: int) -> bool:
        """It knows no session."""
        return False

    def update(self, now_ns: int) -> bool:
        """What the shoe has noticed becomes telegrams; the next copy goes out when it is due."""
        for one in self.shoe.take_said():
            self.tell(_message(one))
        while self._waiting and self._next_copy_ns <= now_ns:
            self._due.append(self._waiting.popleft())
            self._next_copy_ns = now_ns + COPY_GAP_NS
        return False

    def tell(self, message: said.Message) -> None:
        """One telegram, in all its copies."""
        self.told.append(message)
        telegram = Telegram(SEQS[self._seq % len(SEQS)], said.write_message(message))
        self._seq += 1
        self._waiting.extend([encode_telegram(telegram)] * self.copies)

    def say_raw(self, data: bytes) -> None:
        """Bytes as they stand, once: for what no shoe should say."""
        self._waiting.append(data)

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes of a host: a command is done or refused."""
        if not self.is_on:
            return
        for piece in self._decoder.feed(chunk):
            if isinstance(piece, Block):
                self._due.append(encode_answer(self._obeyed(read_command(piece))))
            elif isinstance(piece, Garbage) and piece.reason in REFUSALS:
                self._due.append(encode_answer(NotAcknowledged(REFUSALS[piece.reason])))

    def _obeyed(self, command: Command | None) -> Acknowledged | NotAcknowledged:
        if command is None:
            return NotAcknowledged(Refusal.COMMAND)
        self.commands.append(command)
        if command in (LOCK, UNLOCK):
            self.shoe.turn_key(is_locked=command == LOCK)
        elif command.type is CommandType.CANCEL_ERROR and not self.shoe.host_cancels(int(command.digits)):
            return NotAcknowledged(Refusal.FORMAT)
        return Acknowledged()


def _message(one: ShoeSays) -> said.Message:
    match one.kind:
        case shoe.DRAWN | shoe.AGAIN:
            assert one.hand is not None, "a card is drawn to a hand"
            return said.Drawn(TARGETS[one.hand], one.index, _card(one.card), one.kind == shoe.AGAIN)
        case shoe.OUTSIDE:
            assert one.outside is not None, "there is a reason"
            return said.DrawnOutside(MODES[one.outside], _card(one.card))
        case shoe.RESULT:
            assert one.outcome is not None, "a game ends somehow"
            return said.Result(WINNERS[one.outcome], one.is_player_pair, one.is_banker_pair)
        case shoe.ERROR:
            return said.Error(one.code, is_stopped=True)
        case shoe.CANCELLED:
            return said.ErrorCancelled(one.code)
        case shoe.LOCK:
            return said.LockStatus(one.is_on)
        case _:
            return PLAIN[one.kind]


def _card(card: cards.Card | None) -> said.Card:
    return said.Card(codes.Suit.NONE, 0) if card is None else said.Card(SUITS[card.suit], card.rank)
