"""Any code is explained, in every language; what is not one brings the nearest."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tableside import catalogue as catalogue_module
from tableside.catalogue import LANGUAGES, LanguageUnknown, Status, catalogue
from tableside.cli.diag import diag
from tableside.cli.failing import Failed
from tableside.exit_codes import ExitCode
from tableside.explained import codes, explain, nearest, reviewed, rules, told_fields
from tableside.phrases import phrase
from tableside.procedures.device_faults import SELF_CLEARING, WARNINGS

PICTURES = Path(catalogue_module.__file__).parent / "pictures"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_and_every_rule_is_explained_in_every_language(language: str) -> None:
    for code in (*codes(), *rules()):
        for entry in explain(code, language):
            assert all(entry.lines), code
            assert all(text and label for label, text in told_fields(entry)), code
        assert explain(code, language), code


def test_a_code_is_found_however_it_is_written() -> None:
    for asked in ("JAM-EXIT", "jam-exit", "jam_exit", " Jam exit "):
        assert [entry.code for entry in explain(asked, "en")] == ["JAM-EXIT"]
    for asked in ("4", "FAULT-4", "fault 4", "fault04"):
        assert [entry.code for entry in explain(asked, "en")] == ["FAULT-4"]
    assert {"COMPLAINT-HOLD", "COMPLAINT-LATE"} <= {entry.code for entry in explain("csm-12", "en")}


def test_what_is_no_code_brings_the_nearest_and_nothing_else() -> None:
    assert explain("JAM-EXT", "en") == ()
    assert nearest("JAM-EXT")[0] == "JAM-EXIT"
    assert nearest("zzzzzz") == ()
    assert explain("", "en") == ()


def test_drawings_are_small_and_our_own() -> None:
    for path in PICTURES.iterdir():
        text = path.read_text("utf-8")
        assert text.startswith("<svg "), path.name
        assert len(text) < 1_500, path.name
        assert "href" not in text, path.name
        assert "<script" not in text, path.name


def test_the_faults_of_the_catalogue_are_what_the_table_makes_of_them() -> None:
    for fault in catalogue().fault:
        assert (fault.alert == "DEVICE-WARNING") is (fault.number in WARNINGS)
        assert bool(fault.cleared_by) is (fault.number not in WARNINGS | SELF_CLEARING)
    named = set(catalogue().words["fault"]) - {"other"}
    assert {str(fault.number) for fault in catalogue().fault} == named


def test_a_text_without_a_translation_is_shown_in_english() -> None:
    assert phrase("clears", "no such condition", "pt_PT") == "no such condition"
    with pytest.raises(LanguageUnknown, match="pt_BR"):
        phrase("clears", "by itself", "pt_BR")


def test_nothing_claims_to_be_reviewed() -> None:
    """No native speaker of the trade has looked yet; whoever does changes this test with the entries."""
    for language in LANGUAGES:
        seen, whole = reviewed(language)
        assert seen == 0
        assert whole == len(codes())
        assert all(entry.status is Status.WRITTEN for code in codes() for entry in explain(code, language))


def test_the_command_explains_without_a_daemon_in_two_languages() -> None:
    result = CliRunner().invoke(diag, ["explain", "jam-exit", "--second", "zh_Hant_MO"])
    assert result.exit_code == 0
    assert "Open the lid, take the card out, close the lid." in result.output
    assert "開機蓋，取出牌張，合上機蓋。" in result.output
    assert "tableside-sim inject spoil-next-card" in result.output


def test_the_command_names_the_nearest_and_ends_with_its_code() -> None:
    result = CliRunner().invoke(diag, ["explain", "JAM-EXT"])
    assert isinstance(result.exception, Failed)
    assert result.exception.code is ExitCode.DATA
    assert "nearest: JAM-EXIT" in str(result.exception)
