"""Every letter of every text can be painted by a browser with the fonts that we name: none becomes a box, or nothing.

Each letter is painted beside one that no font has; what looks the same is missing. `.ci/run` installs the Chinese font.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tableside.catalogue import LANGUAGES, catalogue
from tableside.explained import codes, explain, told_fields
from tableside.page import words as page_words
from tableside.page.words import NAMES, words_by_language
from tableside.phrases import phrases

playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
FONT_LIST = shutil.which("fc-list")
CHINESE = ":lang=zh-tw"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
CSS = Path(page_words.__file__).parent / "site" / "pit.css"
# No letter will ever stand there (Unicode, noncharacters); a font paints what it paints for all that it lacks.
NOBODYS = chr(0xFFFFE)
PAINT = """([letters, nobodys, font, language]) => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 48, height: 48, lang: language });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const painted = (letter) => {
    pen.clearRect(0, 0, 48, 48);
    pen.font = `28px ${font}`;
    pen.fillText(letter, 8, 34);
    return pen.getImageData(0, 0, 48, 48).data.join();
  };
  const [missing, nothing] = [painted(nobodys), painted(" ")];
  return letters.filter((letter) => [missing, nothing].includes(painted(letter)));
}"""


def has_chinese_font() -> bool:
    if FONT_LIST is None:
        return False
    told = subprocess.run([FONT_LIST, CHINESE, "family"], capture_output=True, text=True, check=False, timeout=30)
    return bool(told.stdout.strip())


pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"),
    pytest.mark.skipif(not has_chinese_font(), reason="no font has Chinese (Debian: apt-get install fonts-noto-cjk)"),
]


def texts() -> Iterator[str]:
    """Everything that people read: catalogue, its panel words and word lists, phrases, the page's words, the manual."""
    listed = catalogue()
    for language in LANGUAGES:
        for entry in (*listed.alert, *listed.fault, *listed.refusal):
            yield from entry.lines(language)
        yield from (texts[language] for texts in listed.panel.values())
        yield from (texts[language] for group in listed.words.values() for texts in group.values())
        yield from words_by_language()[language].values()
        for code in codes():
            for told in explain(code, language):
                yield from (text for field in told_fields(told) for text in field)
    for known in phrases().values():
        for english, translated in known.items():
            yield from (english, *translated.values())
    yield from NAMES.values()


def letters_of(told: Iterator[str]) -> list[str]:
    found = {letter for text in told for letter in unicodedata.normalize("NFC", text)}
    return sorted(letter for letter in found if not letter.isspace())


def font_of_the_page() -> str:
    match = re.search(r"font-family:\s*([^;]+);", CSS.read_text("utf-8"))
    assert match is not None
    return match[1]


async def lacking(letters: Sequence[str], language: str = "zh-Hant-MO") -> list[str]:
    """Those of the letters that the browser cannot paint."""
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            page = await browser.new_page()
            found = await page.evaluate(PAINT, [list(letters), NOBODYS, font_of_the_page(), language])
        finally:
            await browser.close()
    return [str(letter) for letter in found]


async def test_no_letter_of_any_text_is_painted_as_a_box() -> None:
    letters = letters_of(texts())
    assert len(letters) > 600, "the texts are there"
    missing = await lacking(letters)
    assert missing == [], json.dumps(missing)


async def test_what_no_font_has_is_found() -> None:
    """The test of the test: an unassigned letter among known ones."""
    assert await lacking(["A", "ç", "枱", "\U000efffd", "鎖"]) == ["\U000efffd"]
