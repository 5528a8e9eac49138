"""What our documents name exists: files, `make` targets, commands with their options, modules that are run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from simulator.cli import main as simulator_command
from tableside.cli.groups import tableside as tableside_command
from tests.support.walk import blocks
from tests.tidy.test_tidy import tracked

ROOT = Path(__file__).parents[2]
PAGES = [path for path in tracked() if path.suffix == ".md"]
TOP = {path.relative_to(ROOT).parts[0] for path in tracked()}
# A name in code style that has a folder in it; `<name>` and `*` stand for what the reader puts there.
NAMED_PATH = re.compile(r"(?<![\w/.:])((?:[\w.<>*-]+/)+[\w.<>*-]*)")
CODE = re.compile(r"```.*?\n(.*?)```|`([^`\n]+)`", re.DOTALL)
WALKED = [ROOT / "docs" / "howto" / f"{name}.md" for name in ("add-a-device", "add-a-link")]
COMMANDS: dict[str, click.Command] = {"tableside": tableside_command, "tableside-sim": simulator_command}


def code_of(page: Path) -> Iterator[str]:
    """Every line in code style; of a page that is walked, without the files that it makes: the walk proves those."""
    text = page.read_text("utf-8")
    if page in WALKED:
        for block in blocks(text):
            text = text if block.language == "console" else text.replace(block.text, "", 1)
    for block_text, inline in CODE.findall(text):
        yield from (block_text or inline).splitlines()


def named_paths(page: Path) -> Iterator[str]:
    """Paths into our own folders, from the root or from the page's folder."""
    for line in code_of(page):
        for name in NAMED_PATH.findall(line):
            first = name.split("/")[0]
            if first in TOP or (page.parent / first).is_dir():
                yield name


def exists(page: Path, name: str) -> bool:
    pattern = re.sub(r"<[^>]*>", "*", name).rstrip("/")
    if page in WALKED and pattern in {block.path for block in blocks(page.read_text("utf-8"))}:
        return True  # the page makes it
    return any(next(folder.glob(pattern), None) is not None for folder in (ROOT, page.parent))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_document_names_exists(page: Path) -> None:
    assert [name for name in named_paths(page) if not exists(page, name)] == []


def test_the_scan_finds_paths() -> None:
    found = set(named_paths(ROOT / "ARCHITECTURE.md"))
    assert {"tableside/hub.py", "drivers/<kind>/", "firmware_bridge/wire/"} <= found
    assert not exists(ROOT / "ARCHITECTURE.md", "tableside/no_such_file.py")


def test_every_make_target_that_a_document_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+(?:-[a-z]+)*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        (target, str(page.relative_to(ROOT)))
        for page in PAGES
        for line in code_of(page)
        for target in re.findall(r"(?:^|\s)make ([a-z]+(?:-[a-z]+)*)", line)
    }
    assert named
    assert [place for place in sorted(named) if place[0] not in targets] == []


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Each line that begins with one of our commands, as words, with its page."""
    for page in (*PAGES, ROOT / "demo" / "run.py"):
        for line in code_of(page):
            if re.match(r"(?:tableside|tableside-sim) [\w-]", line):
                yield str(page.relative_to(ROOT)), shlex.split(line)


def wrong_in(words: list[str]) -> list[str]:
    """What of a command line does not exist: a command, or an option of the one that it names."""
    command, context = COMMANDS[words[0]], click.Context(COMMANDS[words[0]])
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(context, rest[0])
        if found is None:
            return [] if rest[0].isupper() else [rest[0]]  # `tableside do ACT`: any
        command, rest = found, rest[1:]
    options = {name for parameter in command.params for name in parameter.opts} | {"--help", "-h"}
    return [word for word in rest if word.startswith("--") and word.strip("[]") not in options]


def test_every_command_that_a_document_shows_is_one_with_its_options() -> None:
    lines = list(command_lines())
    assert len(lines) > 20, "the scan finds commands"
    assert [(page, words) for page, words in lines if wrong_in(words)] == []


def test_a_wrong_command_would_be_found() -> None:
    assert wrong_in(["tableside", "journal", "shows"]) == ["shows"]
    assert wrong_in(["tableside", "journal", "report", "run/BJ-07.db"]) == ["run/BJ-07.db"]
    assert wrong_in(["tableside", "do", "ACT"]) == []
    assert wrong_in(["tableside", "journal", "verify", "x.db", "--fast"]) == ["--fast"]
    assert wrong_in(["tableside-sim", "serve", "plan.toml", "--pace", "20"]) == []


def test_every_module_that_a_document_runs_exists() -> None:
    runs = {
        (module, str(page.relative_to(ROOT)))
        for page in PAGES
        for line in code_of(page)
        for module in re.findall(r"python -m ([\w.]+)", line)
    }
    assert runs
    assert [place for place in sorted(runs) if find_spec(place[0]) is None] == []
