"""Identities in the journal are closed: nobody reads them there, and the rim opens them when their round is over."""

from __future__ import annotations

import msgspec
import pytest

from drivers import card_events as facts
from drivers.card_events import CARD_TOLD, SUITS, UNREAD, Target, face
from tableside.badges import Badges
from tableside.control.curtain import A_CARD, shown
from tableside.decisions import CardsToOpen, SealedCard
from tableside.inputs import CardsOpened, OpenedCard, encode_body
from tableside.rim import Rim
from tableside.sealing import PREFIX, Seal
from tests.support.samples import FACTS, TOLD_BY

KEY = b"a key of these tests, 32 bytes.."
SEAL = Seal(KEY, "BAC 1")
RIM = Rim(Badges({}, KEY), SEAL)


def test_every_card_comes_back_and_looks_like_no_other() -> None:
    faces = [*(face(rank, suit) for rank in range(1, 14) for suit in SUITS), UNREAD, "80:0102030405060708090A"]
    closed = [SEAL.close(one) for one in faces]
    assert [SEAL.open(one) for one in closed] == faces
    assert len({len(one) for one in closed}) == 1, "the length tells nothing"
    assert len({*closed, *(SEAL.close(one) for one in faces)}) == 2 * len(faces), "nor does the same card twice"
    assert all(one.startswith(PREFIX) and not any(suit in one for suit in SUITS) for one in closed)


@pytest.mark.parametrize("other", [Seal(bytes(32), "BAC 1"), Seal(KEY, "BAC 2")], ids=["key", "table"])
def test_another_key_and_another_table_open_nothing(other: Seal) -> None:
    assert other.open(SEAL.close("8♠")) is None


@pytest.mark.parametrize("text", ["", "8♠", "sealed:", "sealed:zz", "sealed:00", SEAL.close("8♠")[:-2] + "00"])
def test_what_is_no_seal_or_was_changed_opens_to_nothing(text: str) -> None:
    assert SEAL.open(text) is None


@pytest.mark.parametrize("kind", CARD_TOLD, ids=lambda kind: kind.__name__)
def test_no_fact_with_an_identity_passes_the_rim_in_the_clear(kind: type[facts.CardTold]) -> None:
    fields = {**FACTS[kind][0], "card": "8♠"}
    if issubclass(kind, facts.Notice):
        fields |= {"boot": 1, "number": 1}
    told = kind(device=TOLD_BY[kind], **fields)  # type: ignore[arg-type]  # kinds differ in fields
    kept = RIM.kept(told)
    assert isinstance(kept, kind)
    assert "♠" not in encode_body(kept).decode()
    assert SEAL.open(kept.card) == "8♠"
    assert msgspec.structs.replace(kept, card="8♠") == told, "and nothing else is changed"


def test_sealed_text_is_a_card_to_everybody_outside() -> None:
    fact = RIM.kept(facts.CardDrawn(device="shoe", card="8♠", target=Target.PLAYER, index=1))
    for hides_cards in (False, True):
        told = shown(fact, hides_cards=hides_cards)
        assert isinstance(told, dict)
        assert told["card"] == A_CARD


def test_opening_says_what_each_was_and_which_stays_shut() -> None:
    wanted = CardsToOpen(
        round=3,
        cards=(
            SealedCard(device="shoe", place="player 1", sealed=SEAL.close("8♠")),
            SealedCard(device="shoe", place="banker 1", sealed=Seal(bytes(32), "BAC 1").close("5♣")),
        ),
    )
    assert RIM.opened(wanted) == CardsOpened(
        round=3,
        cards=(
            OpenedCard(device="shoe", place="player 1", card="8♠"),
            OpenedCard(device="shoe", place="banker 1", card=""),
        ),
    )
