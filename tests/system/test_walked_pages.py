"""The walks of the how-to pages, taken from their first block to their last in a copy of the project.

They fail when page and project drift apart. The copy's demo has another TCP port, so that walks and demos do not meet.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.support.walk import ROOT, Walk, WalkBroken, blocks, commands, fits, lines_of, patched

PAGES = ("add-a-device", "add-a-link")
DEMO_PORT = "47107"


def page(name: str) -> Path:
    return ROOT / "docs" / "howto" / f"{name}.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of every file that belongs to the project, known to git as the tidy tests want it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    copy = tmp_path / "project"
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for file in (copy / "demo").glob("*.toml"):
        file.write_text(file.read_text("utf-8").replace(DEMO_PORT, port), "utf-8")
    with (copy / ".gitignore").open("a") as ignored:
        ignored.write("walk-*\n")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=copy, check=True, timeout=60)
    return copy


@pytest.mark.timeout(900)  # suites within the suite: a minute where nothing else runs, many where much does
@pytest.mark.parametrize("name", PAGES)
def test_the_page_leads_where_it_says(name: str, project: Path) -> None:
    Walk(page(name), project).take()


@pytest.mark.parametrize("name", PAGES)
def test_how_much_it_takes_is_counted(name: str) -> None:
    text = page(name).read_text("utf-8")
    new, added = lines_of(text)
    said = re.search(r"^(\d+) lines of new files?\b.*?(\d+) lines added to files that were there", text, re.MULTILINE)
    assert said is not None
    assert (int(said[1]), int(said[2])) == (new, added)


def test_blocks_are_found_with_the_file_that_is_named_before_them() -> None:
    text = "Words.\n\nIn `a/b.py`:\n\n```diff\n+x\n```\n\nNo file.\n\n```console\n$ true\n```\n"
    assert [(block.line, block.language, block.path, block.text) for block in blocks(text)] == [
        (5, "diff", "a/b.py", "+x\n"),
        (11, "console", "", "$ true\n"),
    ]


def test_commands_are_parted_from_what_they_print() -> None:
    assert list(commands("$ one --two\nsaid\n…\n$ three\n")) == [("one --two", "said\n…"), ("three", "")]


@pytest.mark.parametrize(
    ("printed", "expected", "is_so"),
    [
        ("a\nb\n", "a\nb", True),
        ("a\nb\n", "a", False),
        ("a\n1 passed in 0.2s\nc\n", "…\n1 passed…\n…", True),
        ("a\n2 passed in 0.2s\n", "…\n1 passed…", False),
        ("", "", True),
        ("a\n", "", False),
        ("a 12 c\n", "a … c", True),
        ("a.c\n", "axc", False),
    ],
)
def test_what_fits(printed: str, expected: str, *, is_so: bool) -> None:
    assert fits(printed, expected) is is_so


def test_an_edit_stands_in_its_place_once_or_breaks_the_walk() -> None:
    text = "A = (\n    one,\n)\nB = (\n    one,\n)\n"
    assert patched(text, " A = (\n+    zero,\n", "p:1") == text.replace("A = (\n", "A = (\n    zero,\n")
    assert patched(text, "-B = (\n+C = (\n", "p:1") == text.replace("B", "C")
    for gone in ("     one,\n+    two,\n", " C = (\n+    two,\n"):
        with pytest.raises(WalkBroken, match="p:1: stands"):
            patched(text, gone, "p:1")


def test_a_walk_tells_what_does_not_come_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`a.txt`:\n\n```text\nsomething\n```\n\n```console\n$ cat a.txt\nanother\n```\n", "utf-8")
    with pytest.raises(WalkBroken, match=r"page.md:7: cat a.txt(.|\n)*another(.|\n)*something"):
        Walk(page, tmp_path).take()
    page.write_text("```console\n$ sh -c 'echo 1 failed, 9 passed; exit 1'\n… passed\n```\n", "utf-8")
    with pytest.raises(WalkBroken, match="exit code 1"):
        Walk(page, tmp_path).take()
