"""Which pages are made, and from what; a made part stands between two marks, or is the whole page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from docs.generate import acts, commands, devices, manual, metrics, northbound, procedures, technician

ROOT = Path(__file__).parents[2]


def _whole(text: str, _page: str) -> str:
    """A page that nobody writes in."""
    return text


_MADE = northbound.pages() | manual.pages() | technician.pages()
# Page → what it becomes, given what it is. What people wrote around a made part stays.
PAGES: Mapping[str, Callable[[str], str]] = {
    "README.md": lambda page: between(page, "devices", devices.table()),
    "docs/howto/commands.md": lambda _page: commands.page(),
    "docs/howto/metrics.md": lambda page: between(page, "families", metrics.table()),
    "docs/procedures.md": lambda _page: procedures.page(),
    "docs/protocols/control.md": lambda page: between(page, "acts", acts.table()),
    **{name: partial(_whole, text) for name, text in _MADE.items()},
}


def between(page: str, name: str, made: str) -> str:
    """The page with `made` between its marks. Raises ValueError where those do not stand there, once each."""
    begin, end = f"<!-- {name}: made by docs/generate -->", f"<!-- end of {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"{begin} and {end} must stand in the page once each, in this order")
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n\n{made}\n\n{end}{tail}"


def present(name: str) -> str:
    """The page as it stands; empty where there is none."""
    path = ROOT / name
    return path.read_text("utf-8") if path.is_file() else ""


def made(name: str) -> str:
    """The page as it should stand."""
    return PAGES[name](present(name))


def write_all() -> Iterator[str]:
    """Write the pages that are not as they should be; yields their names."""
    for name in PAGES:
        wanted = made(name)
        if wanted != present(name):
            (ROOT / name).write_text(wanted, "utf-8")
            yield name
