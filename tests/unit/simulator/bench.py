"""A shuffler on a bench: machine, face and a scripted host, in hand-driven time, without asyncio or links.

The host here speaks frames that the test spells out; it believes nothing and repeats nothing by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Permit, Status
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream
from simulator.faces.memory import CommandRecord, Memory, Outcome
from simulator.faces.tdl_device import TdlDevice
from simulator.faces.tdl_shuffler import BATCH, CONTINUOUS, COUNTED, new_shuffler
from simulator.runner import World
from simulator.world.batch import Rest
from simulator.world.cards import Back, Card, Pile, assert_conserved, new_deck
from simulator.world.figures import BATCH as BATCH_FIGURES
from simulator.world.figures import Figures
from simulator.world.hazards import NEVER, Hazards, Rates
from simulator.world.jobs import Job, Play
from simulator.world.machine import ShufflerMachine

EPOCH = 0xA1B2C3D4
NONCE = bytes(range(1, 9))
Body = Mapping[int, Value]


class FaceBench:
    """A face over a world, device on, session not yet begun."""

    def __init__(self, face: TdlDevice, memory: Memory, world: World) -> None:
        self.face = face
        self.memory = memory
        self.world = world
        self.now_ns = 0
        self.session = 0x1234
        self.seq = 0
        self.number = 0
        self.heard: list[Frame] = []
        self.notices: list[Frame] = []
        self.progress: list[Frame] = []
        self.acknowledges = True
        self._positions: set[tuple[Value, Value]] = set()
        self._decoder = StreamDecoder()
        self.face.boot(self.now_ns)
        self.settle()

    # Time

    def run(self, seconds: float = 0.0) -> None:
        """Let this much time pass, stopping at every alarm of world and face."""
        end_ns = self.now_ns + round(seconds * NS_PER_S)
        while (wake_ns := self.settle()) is not None and wake_ns <= end_ns:
            self.now_ns = max(self.now_ns, wake_ns)
        self.now_ns = end_ns
        self.settle()

    def settle(self) -> int | None:
        """World and face to this instant; returns the next alarm."""
        wake_ns = self.world.update(self.now_ns)
        while self.face.update(self.now_ns):
            wake_ns = self.world.update(self.now_ns)
        self._listen()
        wakes = [wake for wake in (wake_ns, self.face.next_wake_ns) if wake is not None]
        return min(wakes, default=None)

    # Frames

    def send(self, kind: MessageType, code: int, seq: int, body: Body, *, session: int | None = None) -> list[Frame]:
        """Send one frame; returns what the device sent since."""
        before = len(self.heard)
        frame = Frame(kind, code, seq, session if session is not None else self.session, body)
        self.face.receive(encode_stream(frame), self.now_ns)
        self.settle()
        return self.heard[before:]

    def hello(self, *, epoch: int = EPOCH, nonce: bytes = NONCE, session: int | None = None) -> Frame:
        """HELLO with seq 1, as a new connection."""
        if session is not None:
            self.session = session
        self.seq = 1
        body = {0: nonce, 1: 1, 2: 1, 3: 1000, 4: epoch}
        return _one(self.send(MessageType.HELLO, 0, 1, body), MessageType.HELLO_REPLY)

    def open(self, *, epoch: int = EPOCH) -> None:
        """A new session up to the point where notices flow and commands are taken."""
        self.hello(epoch=epoch, nonce=(self.session + 1).to_bytes(8, "big"), session=self.session + 1)
        self.acknowledge(0)

    def ask(self, operation: int, body: Body | None = None, *, seq: int | None = None) -> Frame:
        """A request with the next seq; returns its reply."""
        if seq is None:
            self.seq = self.seq % 255 + 1
            seq = self.seq
        return _one(self.send(MessageType.REQUEST, operation, seq, body or {}), MessageType.REPLY)

    def acknowledge(self, number: int, *, boot: int | None = None) -> None:
        self.send(MessageType.NOTICE_ACK, 0, 0, {0: self.face.boot_number if boot is None else boot, 1: number})

    def permit(self, what: Permit, ms: int, cards: int | None = None) -> Frame:
        return self.ask(Operation.PERMIT, {0: what, 1: ms} | ({} if cards is None else {2: cards}))

    def command(self, operation: int, argument: int | None = None, *, number: int | None = None) -> Frame:
        """A moving command with the next number."""
        if number is None:
            self.number += 1
            number = self.number
        return self.ask(operation, {0: EPOCH, 1: number} | ({} if argument is None else {2: argument}))

    def kinds(self) -> list[NoticeKind]:
        """Kinds of all notices heard, each number once."""
        return [NoticeKind(frame.code) for frame in self.notices]

    def told(self, kind: NoticeKind) -> list[dict[int, Value]]:
        """What the notices of this kind said, without boot, number and time."""
        return [
            {key: value for key, value in frame.body.items() if key > 2} for frame in self.notices if frame.code == kind
        ]

    def _listen(self) -> None:
        frames = [frame for chunk in self.face.take_output() for frame in self._decoder.feed(chunk)]
        for frame in frames:
            assert isinstance(frame, Frame), frame
            self.heard.append(frame)
            if frame.type is MessageType.PROGRESS:
                self.progress.append(frame)
            elif frame.type is MessageType.NOTICE:
                self._take_notice(frame)

    def _take_notice(self, frame: Frame) -> None:
        position = (frame.body[0], frame.body[1])
        if position not in self._positions:
            self._positions.add(position)
            self.notices.append(frame)
        if self.acknowledges:
            number = frame.body[1]
            assert isinstance(number, int)
            self.acknowledge(number)


class Bench(FaceBench):
    """A shuffler. `decks` lie on the felt."""

    def __init__(
        self,
        *,
        seed: int = 1,
        decks: int = 6,
        rates: Rates = NEVER,
        epoch: int = EPOCH,
        figures: Figures | None = None,
        has_counted_deal: bool = False,
        is_batch: bool = False,
    ) -> None:
        self.felt = Pile("felt")
        self.cards: list[Card] = []
        for number in range(decks):
            self.cards += new_deck(number + 1, Back.RED if number % 2 else Back.BLUE, self.felt)
        self.machine = ShufflerMachine(
            "shuffler",
            seed,
            figures=BATCH_FIGURES if is_batch else figures,
            hazards=Hazards(seed, rates),
            rest=Rest if is_batch else Play,
        )
        carousel = self.machine.carousel
        for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor):
            sensor.misreads_per_card = 0.0
        memory = Memory(commands=CommandRecord(epoch=epoch))
        shape = BATCH if is_batch else COUNTED if has_counted_deal else CONTINUOUS
        face = new_shuffler(self.machine, memory, shape=shape)
        super().__init__(face, memory, self.machine)

    def count_all(self) -> None:
        """A full count, to its end."""
        assert status(self.command(Operation.COUNT_ALL)) is Status.STARTED
        self.run(300)
        assert self.machine.book.is_verified

    def load(self, cards: int) -> None:
        """Lay cards into the hopper and let them in, packet by packet."""
        while cards:
            packet = list(self.felt)[: min(cards, 104)]
            for card in packet:
                card.move_to(self.machine.carousel.hopper)
            self.permit(Permit.FEED, 0)
            self.permit(Permit.FEED, 60_000, len(packet))
            self.run(60)
            cards -= len(packet)

    def assert_conserved(self) -> None:
        assert_conserved(self.cards, [self.felt, *self.machine.carousel.piles])


# A machine small enough to be counted in a second: these tests are about numbers, not cards.
SMALL = Figures(compartments=2)


def small(**options: bool) -> Bench:
    bench = Bench(decks=0, figures=SMALL, **options)
    bench.open()
    return bench


class Watched:
    """Counts how often the machine began a job, by command number."""

    def __init__(self, bench: Bench) -> None:
        self.begun: list[int] = []
        begin = bench.machine.begin

        def counted(job: Job) -> None:
            running = bench.face.running
            assert running is not None
            stored = bench.face.outcomes.known(running.number)
            assert stored == Outcome(running.number, Status.STARTED), "moved before it was stored (D-10)"
            self.begun.append(running.number)
            begin(job)

        bench.machine.begin = counted  # type: ignore[method-assign]  # a spy on the real machine


def status(reply: Frame) -> Status:
    value = reply.body[0]
    assert isinstance(value, int)
    return Status(value)


def _one(frames: list[Frame], kind: MessageType) -> Frame:
    found = [frame for frame in frames if frame.type is kind]
    assert len(found) == 1, frames
    return found[0]
