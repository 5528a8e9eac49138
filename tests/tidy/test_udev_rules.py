"""The udev rules that a house copies: well formed, narrow, and what their page says. No house has used them yet.

`udevadm verify` (systemd 254 and later) reads them where it is there; everywhere, they are parsed here by the grammar
of udev(7): comma separated `KEY{attribute} operator "value"`, every GOTO with its LABEL behind it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
RULES = HOWTO / "60-tableside.rules"
TOKEN = re.compile(r'\s*([A-Z]+)(?:\{([^}]+)\})?\s*(==|!=|\+=|-=|:=|=)\s*"([^"]*)"\s*(,|$)')
COMPARED = {"ACTION", "SUBSYSTEM", "ENV", "ATTR", "ATTRS"}
ASSIGNED = {"GROUP", "MODE", "ENV", "ATTR", "TAG", "GOTO", "LABEL"}
OPENED = {"usb", "tty"}  # subsystems whose nodes the daemon opens


@dataclass(frozen=True)
class Token:
    key: str
    attribute: str
    operator: str
    value: str

    @property
    def is_match(self) -> bool:
        return self.operator in ("==", "!=")


def parse(text: str) -> list[tuple[Token, ...]]:
    """One tuple a rule. Raises ValueError where a line is none."""
    rules = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        tokens, at = [], 0
        while at < len(line):
            found = TOKEN.match(line, at)
            if found is None:
                raise ValueError(f"no rule from here: {line[at:]!r}")
            tokens.append(Token(found[1], found[2] or "", found[3], found[4]))
            at = found.end()
        if line.rstrip().endswith(","):
            raise ValueError(f"a comma with nothing behind it: {line!r}")
        rules.append(tuple(tokens))
    return rules


def value_of(rule: tuple[Token, ...], key: str, attribute: str = "") -> str | None:
    return next((token.value for token in rule if (token.key, token.attribute) == (key, attribute)), None)


def test_every_line_is_a_rule_that_compares_before_it_assigns() -> None:
    rules = parse(RULES.read_text("utf-8"))
    assert len(rules) >= 5
    for rule in rules:
        matches = [token.is_match for token in rule]
        assert matches == sorted(matches, reverse=True), rule
        for token in rule:
            assert token.key in (COMPARED if token.is_match else ASSIGNED), token
            assert bool(token.attribute) is (token.key in {"ENV", "ATTR", "ATTRS"}), token


def test_every_jump_lands_behind_itself() -> None:
    rules = parse(RULES.read_text("utf-8"))
    labels = {value_of(rule, "LABEL"): at for at, rule in enumerate(rules) if value_of(rule, "LABEL")}
    for at, rule in enumerate(rules):
        target = value_of(rule, "GOTO")
        assert target is None or labels[target] > at


def test_a_modem_service_is_kept_from_every_serial_port() -> None:
    """BR-020: it writes AT commands into what it takes for a modem."""
    ports = [rule for rule in parse(RULES.read_text("utf-8")) if value_of(rule, "SUBSYSTEM") == "tty"]
    assert ports
    for rule in ports:
        assert value_of(rule, "ENV", "ID_MM_DEVICE_IGNORE") == value_of(rule, "ENV", "ID_MM_PORT_IGNORE") == "1"


def test_rights_are_given_to_the_services_group_and_to_one_kind_of_device_each() -> None:
    for rule in parse(RULES.read_text("utf-8")):
        subsystem = value_of(rule, "SUBSYSTEM")
        if subsystem is None:
            continue
        by = "ATTR" if subsystem == "usb" else "ATTRS"
        for part in ("idVendor", "idProduct"):
            assert re.fullmatch(r"[0-9a-f]{4}", value_of(rule, by, part) or ""), f"any device at all: {rule}"
        if subsystem in OPENED:
            assert (value_of(rule, "GROUP"), value_of(rule, "MODE")) == ("tableside", "0660")
    assert "Group=tableside" in (HOWTO / "tableside.service").read_text("utf-8"), "whose group it is"


def test_the_page_shows_how_it_is_used_and_its_devices_are_those_of_the_page() -> None:
    page = (HOWTO / "usb-devices.md").read_text("utf-8")
    assert f"({RULES.name})" in page
    for rule in parse(RULES.read_text("utf-8")):
        if value_of(rule, "SUBSYSTEM") == "usb":
            name = f"{value_of(rule, 'ATTR', 'idVendor')}:{value_of(rule, 'ATTR', 'idProduct')}"
            assert f"usb://{name}/" in page, name


@pytest.mark.parametrize(
    "line",
    ['SUBSYSTEM="usb" GROUP="x"', 'SUBSYSTEM==usb, GROUP="x"', 'GROUP="x",', 'subsystem=="usb"', 'MODE=>"0660"'],
)
def test_what_is_no_rule_is_found(line: str) -> None:
    with pytest.raises(ValueError, match=r"no rule|comma"):
        parse(line)


@pytest.mark.peer
def test_udevadm_finds_nothing_wrong() -> None:
    udevadm = shutil.which("udevadm")
    if udevadm is None or subprocess.run([udevadm, "verify", "--help"], capture_output=True, timeout=30).returncode:
        pytest.skip("no udevadm that verifies (systemd 254 or later); the rules are parsed here all the same")
    verified = subprocess.run([udevadm, "verify", str(RULES)], capture_output=True, text=True, timeout=30)
    assert verified.returncode == 0, verified.stdout + verified.stderr
