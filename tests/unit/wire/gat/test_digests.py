"""The file of digests: read from a device that nobody trusts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.gat.digests import MAX_COMPONENTS, BadDigests, Digests, encode_digests, read_digests

A, B = "0123456789ABCDEF0123456789ABCDEF01234567", "F" * 40
# The elements and their order as a DeckMate 2 told them (Black Hat USA 2023, slides on GAT); the digests are made up.
OBSERVED = f"""<?xml version='1.0'?>
<Components GatExec='default'>
<Game>
<Name>Deck Mate 2</Name>
<Manufacturer>Bally Technologies</Manufacturer>
<Component>
<Name>DeckMate2_UI_2.0.254</Name>
<Checksum>{A}</Checksum>
</Component>
<Component>
<Name>DeckMate2_NXP_NXP 1.0.172</Name>
<Checksum>{B.lower()}</Checksum>
</Component>
</Game>
</Components>
""".encode()
READ = Digests("Bally Technologies", "Deck Mate 2", (("DeckMate2_UI_2.0.254", A), ("DeckMate2_NXP_NXP 1.0.172", B)))


def test_what_a_real_machine_tells_is_read() -> None:
    assert read_digests(OBSERVED) == READ


def test_what_is_made_is_read_again() -> None:
    odd = Digests("A & B <makers>", "M'odel", (("part 1 <x>", A),))
    assert read_digests(encode_digests(odd)) == odd


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no XML"),
        (b"nonsense", "no XML"),
        (OBSERVED[:-20], "no XML"),
        (b"<Components/>", "names no component"),
        (b"<!DOCTYPE x [<!ENTITY a 'aa'>]><Components>&a;</Components>", "declares types"),
        (b"<a>" * 20 + b"</a>" * 20, "deeper"),
        (b"<a>" + b"x" * 500 + b"</a>", "more than 128"),
        (OBSERVED.replace(A.encode(), b"12"), "40 hex digits"),
        (OBSERVED.replace(A.encode(), b"G" * 40), "40 hex digits"),
        (OBSERVED.replace(b"DeckMate2_UI_2.0.254", b"DeckMate2_NXP_NXP 1.0.172"), "told twice"),
        (encode_digests(Digests("m", "n", tuple((str(n), A) for n in range(MAX_COMPONENTS + 1)))), "more than 256"),
    ],
)
def test_what_is_no_such_file_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(BadDigests, match=why):
        read_digests(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_digests(data)
    except BadDigests as bad:
        assert str(bad)  # noqa: PT017 - it says what is wrong
