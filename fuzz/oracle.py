"""What must hold for any bytes: the two shapes of a codec, and how each is judged.

A `Stream` takes chunks and owns a buffer; a `Whole` reads one message, report or descriptor at once. `check` of either
raises `Broken` with what is wrong, or lets an exception of the codec through that it should not have raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_bridge.wire.garbage import Garbage

# Chunks of this size beside single bytes and the whole: a border in the middle of fields of every width.
PIECE_BYTES = 7


class Broken(AssertionError):
    """A codec does not keep what all codecs keep."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What one way of cutting gave: messages, bytes of garbage before each and behind the last."""

    messages: tuple[object, ...]
    alike: tuple[object, ...]
    garbage: tuple[int, ...]
    ended: str = ""  # the codec gave the stream up, by this exception

    def __str__(self) -> str:
        return f"{self.alike} with garbage {self.garbage} {self.ended}"


@dataclass(frozen=True, slots=True)
class Stream:
    """A push parser.

    `new` makes one for a connection; `feed` takes a chunk and gives messages and `Garbage`; `end` gives what an
    unfinished tail comes to. `held` is how many bytes it keeps, `limit` the most that it may. `ends`: by what it gives
    a stream up that cannot be followed further. `size`: bytes that a message takes at least and at most (None: bytes
    are not accounted for); `uncounted`: bytes of the input that need be in no message and no garbage. `alike`: a
    message without what depends on where a chunk ends.
    """

    new: Callable[[], Any]
    held: Callable[[Any], int]
    limit: int
    feed: Callable[[Any, bytes], Iterable[object]] = lambda decoder, chunk: decoder.feed(chunk)
    end: Callable[[Any], Iterable[object]] = lambda decoder: decoder.flush()
    ends: type[Exception] | tuple[type[Exception], ...] = ()
    size: Callable[[Any], tuple[int, int]] | None = None
    uncounted: Callable[[bytes], int] = lambda data: 0
    alike: Callable[[Any], object] = lambda message: message

    def check(self, data: bytes) -> None:
        """Whole, byte by byte and in pieces. Raises `Broken`."""
        cuts = {"whole": [data], "byte by byte": _pieces(data, 1), "in pieces": _pieces(data, PIECE_BYTES)}
        heard = {how: self._heard(chunks, how) for how, chunks in cuts.items()}
        whole = heard["whole"]
        for how, other in heard.items():
            if (other.alike, other.garbage, other.ended) != (whole.alike, whole.garbage, whole.ended):
                raise Broken(f"{how}: {other}\nwhole: {whole}")
        if self.size is not None and not whole.ended:
            self._account(data, whole)

    def _heard(self, chunks: Sequence[bytes], how: str) -> Heard:
        decoder, ended = self.new(), ""
        found: list[object] = []
        garbage = [0]
        try:
            for message in self._told(decoder, chunks, how):
                if not isinstance(message, Garbage):
                    found.append(message)
                    garbage.append(0)
                elif message.size < 1:
                    raise Broken(f"{how}: garbage of {message.size} bytes")
                else:
                    garbage[-1] += message.size
        except self.ends as error:
            ended = type(error).__name__
        return Heard(tuple(found), tuple(self.alike(message) for message in found), tuple(garbage), ended)

    def _told(self, decoder: Any, chunks: Sequence[bytes], how: str) -> Iterator[object]:
        for chunk in chunks:
            yield from self.feed(decoder, chunk)
            if self.held(decoder) > self.limit:
                raise Broken(f"{how}: {self.held(decoder)} bytes are held, {self.limit} at most")
        yield from self.end(decoder)

    def _account(self, data: bytes, heard: Heard) -> None:
        assert self.size is not None
        sizes = [self.size(message) for message in heard.messages]
        garbage = sum(heard.garbage)
        least, most = (sum(size[side] for size in sizes) + garbage for side in (0, 1))
        if not (least <= len(data) and len(data) - self.uncounted(data) <= most):
            raise Broken(
                f"{len(data)} bytes came, {self.uncounted(data)} of them need not be counted; "
                f"messages and {garbage} bytes of garbage make {least} to {most}"
            )


@dataclass(frozen=True, slots=True)
class Whole:
    """Reads one thing at once. `refusals` are what it may raise; `again` gives the bytes back that it was read from."""

    read: Callable[[bytes], Any]
    refusals: type[Exception] | tuple[type[Exception], ...] = ()
    again: Callable[[Any], bytes] | None = None

    def check(self, data: bytes) -> None:
        """Read it twice, write it back. Raises `Broken`."""
        try:
            found = self.read(data)
        except self.refusals:
            return
        if self.read(data) != found:
            raise Broken(f"read twice, and not the same: {found}")
        if self.again is not None and not isinstance(found, Garbage) and self.read(self.again(found)) != found:
            raise Broken(f"{found} is written as {self.again(found).hex()}, which says something else")


@dataclass(frozen=True, slots=True)
class Target:
    """A codec. `seeds` are bytes that are right, to begin from."""

    oracle: Stream | Whole
    seeds: Callable[[], Iterable[bytes]]


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
