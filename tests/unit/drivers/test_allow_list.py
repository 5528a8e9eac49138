"""The list of allowed firmware: what fits, and in which words it is said what does not."""

from __future__ import annotations

import pytest

from drivers.firmware.allow_list import AllowList, ListRefused, judge, read_allow_list
from firmware_bridge.wire.gat.digests import Digests

KEY, OTHER_KEY = "AA" * 20, "BB" * 20
A, B, C = "A" * 40, "B" * 40, "C" * 40
TEXT = f"""
[[firmware]]
maker = "EXAMPLE"
model = "CSM-SIM"
version = "2.1"
approved_by = "a test"
key = "{KEY}"
components = {{ main = "{A}", reader = "{B.lower()}" }}

[[firmware]]
maker = "EXAMPLE"
model = "CSM-SIM"
version = "2.1"
approved_by = "a test"
key = "{OTHER_KEY}"
components = {{ main = "{C}", reader = "{B}" }}

[[firmware]]
maker = "EXAMPLE"
model = "CSM-SIM"
version = "2.0"
approved_by = "a test"
key = "{KEY}"
components = {{ main = "{C}" }}
"""


def told(*components: tuple[str, str], maker: str = "EXAMPLE", model: str = "CSM-SIM") -> Digests:
    return Digests(maker, model, components)


@pytest.fixture
def allowed() -> AllowList:
    return read_allow_list(TEXT)


def test_every_key_of_a_model_is_offered_once(allowed: AllowList) -> None:
    assert allowed.keys_for("CSM-SIM") == (bytes.fromhex(KEY), bytes.fromhex(OTHER_KEY))
    assert allowed.keys_for("CSM") == ()


@pytest.mark.parametrize(
    ("key", "digests", "version"),
    [
        (KEY, told(("main", A), ("reader", B)), "2.1"),
        (KEY, told(("reader", B), ("main", A)), "2.1"),
        (OTHER_KEY, told(("main", C), ("reader", B)), "2.1"),
        (KEY, told(("main", C)), "2.0"),
    ],
)
def test_what_fits_is_a_version(allowed: AllowList, key: str, digests: Digests, version: str) -> None:
    judgement = judge(allowed.firmware, digests, "CSM-SIM", bytes.fromhex(key))
    assert (judgement.is_listed, judgement.version, judgement.differences) == (True, version, ())


@pytest.mark.parametrize(
    ("digests", "words"),
    [
        (told(("main", B), ("reader", B)), ['2.1, the nearest on the list: "main" has another digest']),
        (told(("main", A), ("reader", B), ("loader", C)), ['"loader" is not listed']),
        (told(("main", A)), ['"reader" is missing']),
        (told(("main", A), ("reader", B), maker="ELSE"), ['nothing is listed of "CSM-SIM" by "ELSE"']),
        (told(("main", A), ("reader", B), model="CSM"), ['says that it is a "CSM"']),
        (told(("main", C), ("reader", B)), ['2.1, the nearest on the list: "main" has another digest']),
    ],
)
def test_what_does_not_fit_is_said_against_the_nearest(allowed: AllowList, digests: Digests, words: list[str]) -> None:
    """The last one is right under another key: a digest that was kept is no proof."""
    judgement = judge(allowed.firmware, digests, "CSM-SIM", bytes.fromhex(KEY))
    assert not judgement.is_listed
    assert judgement.version == ""
    for word, difference in zip(words, judgement.differences, strict=True):
        assert word in difference


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (f'key = "{KEY}"\n', "", "key"),
        (f'key = "{KEY}"', 'key = "AABB"', "key"),
        (f'main = "{A}"', 'main = "12"', "components"),
        ('maker = "EXAMPLE"', 'makers = "EXAMPLE"', "makers"),
        ("components", "parts", "parts"),
    ],
)
def test_a_list_with_a_mistake_is_refused(old: str, new: str, why: str) -> None:
    with pytest.raises(ListRefused, match=why):
        read_allow_list(TEXT.replace(old, new, 1))


def test_an_empty_list_allows_nothing() -> None:
    with pytest.raises(ListRefused):
        read_allow_list("firmware = []")
