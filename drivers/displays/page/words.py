"""What guests read on a page, in the table's languages: drafts until native speakers of the trade have looked."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.events import Shown

WORDS: Mapping[Shown, Mapping[str, str]] = {
    Shown.NOTHING: {},
    Shown.PENDING: {"en": "PENDING", "pt_PT": "A CONFIRMAR", "zh_Hant_MO": "核實中"},
    Shown.WON: {"en": "JACKPOT WON", "pt_PT": "JACKPOT GANHO", "zh_Hant_MO": "多寶中獎"},
    Shown.WAIT: {"en": "ONE MOMENT PLEASE", "pt_PT": "UM MOMENTO, POR FAVOR", "zh_Hant_MO": "請稍候"},
}


def lines(what: Shown, languages: tuple[str, ...]) -> list[str]:
    """One line a language, in their order."""
    return [WORDS[what][language] for language in languages if language in WORDS[what]]
