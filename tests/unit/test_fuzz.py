"""The fuzz targets without atheris: what is right passes, what was found once stays mended, and the oracle can fail."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from firmware_bridge import wire
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from fuzz.__main__ import main
from fuzz.device_targets import DEVICE_TARGETS
from fuzz.oracle import Broken, Stream, Whole
from fuzz.targets import FIRST_TARGETS, TARGETS

ROOT = Path(__file__).parents[2]
MUTATIONS = 40  # a target: enough to meet every kind of damage below, in milliseconds
# What `make fuzz` has found, by target; what was wrong is told by the test beside the codec.
FOUND = [
    ("alpha", "150000000000000015c015c0ffffffff"),
    ("osdp-command", "6b6a0100000000"),
    ("usb-descriptors", "090239000201008032090400000aff0000000705ff00080000020002000902390040000000ff05050102400001"),
    ("usb-descriptors", "0204"),
    ("pn532", "2e00000000ff01ff01ff7f8100"),
]


def damaged(source: random.Random, seed: bytes) -> bytes:
    """A seed with a piece changed, cut out, doubled or put in."""
    at, size = source.randrange(len(seed) + 1), source.randrange(1, 9)
    middle = source.choice([b"", source.randbytes(size), seed[at : at + size] * 2, bytes(size), b"\xff" * size])
    return seed[:at] + middle + seed[at + source.choice([0, 1, size]) :]


def test_no_target_hides_another() -> None:
    """Twice the same name, and the first one is never run."""
    assert not FIRST_TARGETS.keys() & DEVICE_TARGETS.keys()


def test_every_codec_has_a_target() -> None:
    """A codec that is named `cctalk` has one of that name, or some that begin with it: `cctalk-message`."""
    codecs = {path.parent.name for path in Path(wire.__file__).parent.glob("*/__init__.py")}
    assert codecs <= {name.partition("-")[0] for name in TARGETS}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_right_and_what_is_damaged(name: str) -> None:
    source, target = random.Random(name), TARGETS[name]
    seeds = list(target.seeds())
    assert seeds
    for seed in [b"", *seeds]:
        target.oracle.check(seed)
    for _ in range(MUTATIONS):
        target.oracle.check(damaged(source, source.choice(seeds)) + source.choice(seeds))


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_say_something(name: str) -> None:
    """Seeds that a codec all refuses would begin nowhere."""
    oracle = TARGETS[name].oracle
    for seed in TARGETS[name].seeds():
        if isinstance(oracle, Stream):
            told = list(oracle.feed(oracle.new(), seed))
        else:
            with suppress(*oracle.refusals if isinstance(oracle.refusals, tuple) else (oracle.refusals,)):
                told = [oracle.read(seed)]
        if any(not isinstance(piece, Garbage) for piece in told):
            return
    pytest.fail("every seed is garbage")


@pytest.mark.parametrize(("name", "found"), FOUND)
def test_what_was_found_once(name: str, found: str) -> None:
    TARGETS[name].oracle.check(bytes.fromhex(found))


class Lines:
    """A codec of lines, sound unless a fault is asked for."""

    def __init__(self, fault: str = "") -> None:
        self._fault = fault
        self.held = b""

    def feed(self, chunk: bytes) -> Iterable[bytes | Garbage]:
        if self._fault == "by chunk" and chunk.endswith(b"\n"):
            yield b"end of chunk\n"
        self.held += chunk
        while b"\n" in self.held:
            line, _, self.held = self.held.partition(b"\n")
            if self._fault == "raises" and line == b"b":
                raise KeyError(line)
            if self._fault != "loses" or line:
                yield line + b"\n"
        if len(self.held) > 4 and self._fault != "hoards":
            yield Garbage(GarbageReason.OVERSIZED, len(self.held))
            self.held = b""

    def flush(self) -> Iterable[Garbage]:
        return [Garbage(GarbageReason.TRUNCATED, len(self.held))] if self.held else []


def lines(fault: str = "") -> Stream:
    return Stream(lambda: Lines(fault), lambda decoder: len(decoder.held), 4, size=lambda line: (len(line),) * 2)


def test_a_sound_codec_passes() -> None:
    lines().check(b"a\n\nb\nccc")


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        ("by chunk", Broken, "byte by byte"),
        ("loses", Broken, "bytes came"),
        ("hoards", Broken, "bytes are held, 4 at most"),
        ("raises", KeyError, "b"),
    ],
)
def test_a_codec_with_a_fault_is_broken(fault: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        lines(fault).check(b"a\n\nb\n1234567")


def test_what_is_read_once_is_held_to_it() -> None:
    readings = iter(range(9))
    with pytest.raises(Broken, match="not the same"):
        Whole(lambda data: next(readings)).check(b"1")
    with pytest.raises(Broken, match="something else"):
        Whole(lambda data: len(data), again=lambda number: b"").check(b"1")
    with pytest.raises(ValueError, match="invalid literal"):
        Whole(int).check(b"x")
    Whole(int, ValueError, lambda number: b"%d" % number).check(b"x")


@pytest.mark.parametrize(("words", "end"), [(["keyboard"], 0), (["--must", "keyboard"], 1)])
def test_without_atheris_a_run_that_must_fuzz_fails(
    words: list[str], end: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fuzz.__main__.find_spec", lambda _name: None)
    assert main(words) == end
    assert "nothing was fuzzed" in capsys.readouterr().out


def test_ci_must_fuzz() -> None:
    (line,) = [line for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines() if line.startswith("make fuzz")]
    assert "--must" in line


@pytest.mark.peer
def test_one_second_of_real_fuzzing() -> None:
    """By the command line: what a process had at its most (getrusage(2)) counts for a child that it starts itself, and
    the tests' own process may have more than the limit that a codec is given.
    """
    if find_spec("atheris") is None:
        pytest.skip("atheris is not installed (the extra `fuzz`; Linux on x86-64)")
    command = [sys.executable, "-m", "fuzz", "--must", "--seconds", "1", "keyboard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing found" in done.stdout
