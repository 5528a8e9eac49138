"""The house rules that a linter does not know: sizes, names, words, and what must never be committed."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
PRODUCT = ("firmware_bridge", "drivers", "simulator", "tableside")
# Modules that grew past the limit before it was tested, with what they may have until they are cut. Nothing is added.
STILL_LONG = {
    "drivers/events.py": 424,
    "tests/unit/session/test_tdl_requests.py": 700,
}
# Names that say nothing of what is inside.
EMPTY_NAMES = re.compile(r"^(utils?|helpers?|managers?|common|misc|abstract_\w+|base_\w+)$")
# Folders of whole systems; a checkout's own top folder is found, not named.
MACHINE_FOLDERS = ("/home/", "/root/", "/Users/", "/mnt/", "/opt/")
REGISTRY = re.compile(
    r"(?<!emit)--?(extra-)?index(-url)?[ =]|registry\s*=\s*[\"']?http|pypi\.org|files\.pythonhosted|registry\.npmjs"
)
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")
ADR_STATUS = re.compile(r"^Status: (accepted|superseded by \d{4})$", re.MULTILINE)
SECTIONS = ("## Context", "## Decision", "## Consequences")
MAX_ADR_LINES = 60  # one page


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the project, as Git lists them; new ones count before they are committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a Git checkout: the list of files is unknown")
    return tuple(path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file())


def python_files() -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py"]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def text_of(path: Path) -> str | None:
    """A file's text, or None for what is none."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return None


def lines_of(paths: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Each line of each text with its place."""
    for path in paths:
        for number, line in enumerate((text_of(path) or "").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in python_files():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def test_modules_are_short() -> None:
    sizes = {str(path.relative_to(ROOT)): len((text_of(path) or "").splitlines()) for path in python_files()}
    assert {path: size for path, size in sizes.items() if size > STILL_LONG.get(path, MAX_MODULE_LINES)} == {}


def test_a_module_that_is_short_again_loses_its_exception() -> None:
    sizes = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in STILL_LONG}
    assert [name for name, size in sizes.items() if size <= MAX_MODULE_LINES] == []


def test_functions_can_be_seen_whole() -> None:
    sizes = [
        (path.relative_to(ROOT), node.name, (node.end_lineno or 0) - node.lineno + 1) for path, node in functions()
    ]
    assert [place for place in sizes if place[2] > MAX_FUNCTION_LINES] == []


def test_every_module_says_what_it_is() -> None:
    silent = [path for path in python_files() if not ast.get_docstring(tree_of(path)) and tree_of(path).body]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_no_file_has_an_empty_name() -> None:
    assert [str(path) for path in tracked() if EMPTY_NAMES.match(path.stem.lower())] == []


def test_no_path_of_a_machine_is_committed() -> None:
    # The checkout's own top folder is found rather than named, so that it cannot stand here either.
    top = f"/{ROOT.parts[1]}/"
    ours = () if top in ("/usr/", "/etc/", "/var/", "/tmp/", "/dev/") else (top,)
    found = re.compile("|".join(rf"(?<![\w.]){re.escape(folder)}" for folder in (*ours, *MACHINE_FOLDERS)))
    assert [place for place, line in lines_of(tracked()) if found.search(line) and not _names_folders(place)] == []


def test_no_registry_is_committed() -> None:
    assert [place for place, line in lines_of(tracked()) if REGISTRY.search(line) and not _names_folders(place)] == []
    assert [path.name for path in tracked() if path.name in ("uv.lock", "poetry.lock")] == []


def test_nothing_is_left_unfinished_by_a_note() -> None:
    assert [place for place, line in lines_of(tracked()) if UNFINISHED.search(line)] == []


def test_unit_tests_do_not_sleep() -> None:
    """BR-072: a sleep that is long enough on one machine is not on another. `asyncio.sleep(0)` only yields."""
    sleepers = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files()
        if path.is_relative_to(ROOT / "tests" / "unit")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep"
    ]
    assert sleepers == []


def test_an_exception_from_a_rule_has_its_reason_beside_it() -> None:
    product = tuple(path for path in python_files() if path.relative_to(ROOT).parts[0] in PRODUCT)
    bare = re.compile(r"#\s*(noqa|type:\s*ignore)(:\s*\w+|\[[\w, -]+\])?\s*$")
    assert [place for place, line in lines_of(product) if bare.search(line)] == []


def test_every_decision_record_is_a_page_with_a_status() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert records
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    for path in records:
        text = path.read_text("utf-8")
        assert ADR_STATUS.search(text), f"{path.name}: no line `Status: accepted`"
        assert [part for part in SECTIONS if part not in text] == [], path.name
        assert len(text.splitlines()) <= MAX_ADR_LINES, path.name


def test_links_between_our_documents_lead_somewhere() -> None:
    link = re.compile(r"\]\(([^)#:]+?)(?:#[\w-]+|::\w+)?\)")
    pages = [path for path in tracked() if path.suffix == ".md"]
    prose = {
        path: re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE) for path in pages
    }
    targets = [(path, target) for path, text in prose.items() for target in link.findall(text)]
    assert [(path.name, target) for path, target in targets if not (path.parent / target).exists()] == []


def _names_folders(place: str) -> bool:
    """Whether this is the one file that must name what the others must not."""
    return place.startswith("tests/tidy/test_tidy.py:")
