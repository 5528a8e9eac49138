"""Refusals by code: the record keeps English, people read their own language, numbers have the right form."""

from __future__ import annotations

import pytest

from tableside.catalogue import LANGUAGES, LanguageUnknown, catalogue, fields_of
from tableside.presence import Operation
from tableside.refusals import RefusalUnknown, in_language, refusal


def test_a_refusal_has_its_rule_and_texts_from_the_catalogue() -> None:
    said = refusal("PACKET-TOO-BIG", cards=104)
    assert (said.rule, said.text, said.next_step) == ("CSM-5", "the hopper takes 104 cards", "make a smaller packet")
    assert (said.code, said.fields) == ("PACKET-TOO-BIG", {"cards": "104"})
    assert in_language(said.code, said.fields, "pt_PT")[0] == "a entrada leva 104 cartas"
    assert in_language(said.code, said.fields, "zh_Hant_MO")[0] == "入牌口可容104張"


@pytest.mark.parametrize(
    ("cards", "english", "portuguese"),
    [(0, "0 cards are", "0 cartas estão"), (1, "1 card is", "1 carta está"), (12, "12 cards are", "12 cartas estão")],
)
def test_one_card_is_no_cards(cards: int, english: str, portuguese: str) -> None:
    said = refusal("MACHINE-NOT-EMPTY", inside=cards)
    assert said.text == f"{english} in the machine"
    assert in_language(said.code, said.fields, "pt_PT")[0] == f"{portuguese} na máquina"


def test_a_word_that_goes_with_a_number_alone_has_its_form() -> None:
    assert refusal("PACKETS-ALL-IN", packets=1, left=2).text == "1 packet was announced and is in, 2 cards are left"
    assert refusal("PACKETS-ALL-IN", packets=3, left=1).text == "3 packets were announced and are in, 1 card is left"


def test_words_of_ours_in_the_fields_are_said_in_the_language() -> None:
    said = refusal("PRESENCE-NOBODY", rule="CSM-5", operation=Operation.LOAD, role="floor supervisor")
    assert said.text == "nobody present for load"
    assert in_language(said.code, said.fields, "zh_Hant_MO") == ("入牌無人在場", "監場：拍卡後再提出")
    two = refusal(
        "PRESENCE-TWO", rule="CSM-5", operation="reload", roles="floor supervisor and room management", seconds=30
    )
    assert "fiscal-chefe e chefia da sala de jogos" in in_language(two.code, two.fields, "pt_PT")[0]


def test_a_name_that_is_no_word_of_ours_stays() -> None:
    said = refusal("ALERT-TAKEN", staff="S-201")
    assert in_language(said.code, said.fields, "zh_Hant_MO")[0] == "S-201已接收"


def test_what_is_not_in_the_catalogue_is_refused_by_name() -> None:
    with pytest.raises(RefusalUnknown, match="NO-SUCH"):
        refusal("NO-SUCH")
    with pytest.raises(LanguageUnknown, match="pt_BR"):
        in_language("LID-IS-OPEN", {}, "pt_BR")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_can_be_said_with_its_fields(language: str) -> None:
    for entry in catalogue().refusal:
        fields = {name: "1" for line in entry.en for name in fields_of(line)}
        assert all(in_language(entry.code, fields, language))
        assert "{" not in "".join(in_language(entry.code, fields, language))
