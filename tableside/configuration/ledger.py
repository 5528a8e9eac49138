"""Where the ledger of a linked jackpot is, and what `[jackpot]` must say of it; its password has a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from firmware_bridge.links.mqtt_tls import readable_by_others
from tableside.configuration.addresses import is_loopback
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import Finding
from tableside.configuration.shape import Jackpot, Profile
from tableside.jackpot.settings import JackpotSettings

POSTGRES, SQLITE = "postgresql", "sqlite"
FORM = "postgresql://USER@HOST:5432/DATABASE for several machines, or sqlite:PATH for one"
# libpq's word: the server's certificate is checked, and that it is this server's.
CHECKED_TLS = "verify-full"


@dataclass(frozen=True, slots=True)
class LedgerPlace:
    """A linked jackpot by `name`: `file` of a ledger on this machine, or the `address` of a PostgreSQL server."""

    name: str
    settings: JackpotSettings
    file: Path | None = None
    address: str = ""
    password_file: Path | None = None


def settings_of(jackpot: Jackpot) -> JackpotSettings:
    """What it is set to, without where its ledger is."""
    return JackpotSettings(**{name: getattr(jackpot, name) for name in JackpotSettings.__struct_fields__})


def ledger_place(jackpot: Jackpot | None, folder: Path) -> LedgerPlace | None:
    """Where the ledger is, paths from `folder`; None for a jackpot of the table's own."""
    if jackpot is None or jackpot.ledger is None:
        return None
    name, settings = jackpot.ledger_name or "", settings_of(jackpot)
    scheme, _, rest = jackpot.ledger.partition(":")
    if scheme == SQLITE:
        return LedgerPlace(name, settings, file=(folder / rest).resolve())
    file = jackpot.ledger_password_file
    return LedgerPlace(
        name, settings, address=jackpot.ledger, password_file=(folder / file).resolve() if file else None
    )


def ledger_findings(table: Draft, folder: Path) -> Iterator[Finding]:
    """What is wrong with a table's ledger; `folder` is that of the table's file."""
    jackpot = table.part("jackpot")
    text = jackpot.text("ledger")
    if text is None:
        for key in ("ledger_name", "ledger_password_file"):
            if jackpot.has(key):
                yield Finding(jackpot.at(key), "means nothing without a ledger", FORM)
        return
    if not jackpot.has("ledger_name"):
        yield Finding(jackpot.at("ledger_name"), "is missing: several jackpots may stand in one ledger", "a name")
    at = jackpot.at("ledger")
    scheme, _, rest = text.partition(":")
    if scheme == SQLITE:
        if not rest or rest.startswith("//"):
            yield Finding(at, f'"{text}" names no file', FORM)
        elif not (folder / rest).parent.is_dir():
            yield Finding(at, f"the folder of {folder / rest} is not there", "a file in a folder of this machine")
        if jackpot.has("ledger_password_file"):
            yield Finding(jackpot.at("ledger_password_file"), "means nothing with a file", "no such key")
        return
    yield from _server(text, jackpot, folder)


def _server(text: str, jackpot: Draft, folder: Path) -> Iterator[Finding]:
    at = jackpot.at("ledger")
    try:
        parts = urlsplit(text)
        is_sound = parts.scheme == POSTGRES and bool(parts.hostname) and len(parts.path) > 1
        is_sound = is_sound and (parts.port is None or parts.port > 0)
        has_password = parts.password is not None or "password" in parse_qs(parts.query)
    except ValueError:
        is_sound = has_password = False
    if has_password:
        problem = "a password stands in it, and this file is read by many"
        yield Finding(at, problem, "ledger_password_file, with a file that only the daemon's account reads")
    elif not is_sound:
        yield Finding(at, f'"{text}" is no ledger', FORM)
    key = jackpot.text("ledger_password_file")
    if key is None:
        return
    path = folder / key
    if not path.is_file():
        yield Finding(jackpot.at("ledger_password_file"), f"{path} is not there", "a file with the password alone")
    elif (why := readable_by_others(path)) is not None:
        yield Finding(jackpot.at("ledger_password_file"), why, "chmod 600 on it")


def ledger_in_host_findings(table: Draft, host: Draft) -> Iterator[Finding]:
    """In production a ledger on another machine is spoken to in TLS that is checked, or not at all."""
    text = table.part("jackpot").text("ledger")
    if text is None or host.part("host").text("profile") != Profile.PRODUCTION:
        return
    try:
        parts = urlsplit(text)
        is_checked = CHECKED_TLS in parse_qs(parts.query).get("sslmode", [])
        is_away = parts.scheme == POSTGRES and not is_loopback(parts.hostname or "")
    except ValueError:
        return
    if is_away and not is_checked:
        problem = "is not encrypted to a server that is checked, and the host's profile is production"
        yield Finding(table.part("jackpot").at("ledger"), problem, f"{FORM}, with ?sslmode={CHECKED_TLS}")
