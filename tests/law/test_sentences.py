"""Which case stands for which sentence of the sources (`sentences.toml`): none is left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.law.test_blackjack_bets import OUTCOMES
from tests.law.test_blackjack_cards import cases
from tests.law.test_defects import RULINGS
from tests.law.test_jackpot_sentences import CASES as JACKPOT
from tests.law.test_shoe_and_deck_sentences import CASES as SHOE_AND_DECK

ROOT = Path(__file__).parents[2]


class Sentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sentence of a source, in our words: the cases that stand for it, or why there are none."""

    rule: str
    source: str
    says: str
    cases: tuple[str, ...] = ()
    lacks: str = ""


class Sentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    our_own: tuple[str, ...]
    sentence: tuple[Sentence, ...]


FILE = msgspec.toml.decode(Path(__file__).with_name("sentences.toml").read_bytes(), type=Sentences)
NAMED = {case.says for case in cases()} | {case[0] for case in OUTCOMES} | {case[0] for case in RULINGS}


@pytest.mark.parametrize("sentence", FILE.sentence, ids=lambda sentence: f"{sentence.rule}-{sentence.says[:50]}")
def test_each_sentence_has_its_cases(sentence: Sentence) -> None:
    assert bool(sentence.cases) is not bool(sentence.lacks), "cases, or a reason why there are none"
    for case in sentence.cases:
        assert case in NAMED or _is_test(case), f"no such case: {case}"


def _is_test(case: str) -> bool:
    name, _, function = case.partition("::")
    path = ROOT / "tests" / name
    return path.is_file() and f"def {function}(" in path.read_text("utf-8")


def test_no_rule_is_left_out() -> None:
    wanted = {f"BJ-{number}" for number in range(1, 20)} | {f"DECK-{number}" for number in range(1, 13)}
    assert {sentence.rule for sentence in FILE.sentence} == wanted
    played = {case.rule for case in (*JACKPOT, *SHOE_AND_DECK)}  # their sentences stand with the cases themselves
    assert {f"JP-{number}" for number in range(1, 14)} | {f"SHOE-{number}" for number in range(1, 9)} <= played


def test_every_case_names_its_source_and_its_ruling() -> None:
    for case in (*JACKPOT, *SHOE_AND_DECK):
        assert case.source in ("001", "002", "004"), case
        assert case.ruling not in (None, ""), case
    assert all(sentence.source for sentence in FILE.sentence)


def test_no_case_stands_for_nothing() -> None:
    used = {case for sentence in FILE.sentence for case in sentence.cases}
    assert sorted(NAMED - used - set(FILE.our_own)) == []
    assert set(FILE.our_own) & used == set()
