"""Where a host's broker is, and what `[broker]`, `[[consumers]]` and `[[clients]]` must keep together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from firmware_bridge.links.address_kinds import Mistakes
from firmware_bridge.links.mqtt_address import PLAIN_PORT, TOPIC_LEVEL
from firmware_bridge.links.mqtt_tls import AUTHORITY, TLS_PORT, Certificates, readable_by_others
from tableside.configuration.addresses import is_loopback
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import Finding, listed, nearest_of
from tableside.configuration.shape import Broker, Profile
from tableside.configuration.table_rules import repeated

PORTS = {"mqtt": PLAIN_PORT, "mqtts": TLS_PORT}
FORM = "mqtts://HOST:8883/PREFIX, or mqtt://HOST:1883/PREFIX in training and lab"


@dataclass(frozen=True, slots=True)
class BrokerPlace:
    """Host, port and prefix of the topics; the folder of certificates where the broker is spoken to in TLS."""

    address: str
    host: str
    port: int
    prefix: str
    certificates: Path | None


class BrokerRefused(ValueError):
    """An address that is no broker's: `mistakes` lists why."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("; ".join(mistakes))


def broker_place(broker: Broker, folder: Path) -> BrokerPlace:
    """The parts of `[broker]`; its folder counts from `folder`. Raises `BrokerRefused`."""
    host, port, prefix = read_broker_address(broker.address)
    certificates = None if broker.certificates is None else (folder / broker.certificates).resolve()
    return BrokerPlace(broker.address, host, port, prefix, certificates)


def read_broker_address(text: str) -> tuple[str, int, str]:
    """Host, port and prefix. Raises `BrokerRefused` with everything that is wrong."""
    mistakes = Mistakes()
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise BrokerRefused([str(error)]) from None
    if parts.scheme not in PORTS:
        mistakes.unknown("kind of broker", parts.scheme, PORTS)
    host, port = mistakes.host_and_port(parts, PORTS.get(parts.scheme))
    mistakes.query(parts, ())
    levels = unquote(parts.path).strip("/").split("/")
    if not all(TOPIC_LEVEL.fullmatch(level) for level in levels) or levels[0].startswith("$"):
        mistakes.append("a prefix follows the host: levels that are not empty, without + and #, the first without $")
    if mistakes:
        raise BrokerRefused(mistakes)
    return host, port, "/".join(levels)


def northbound_findings(file: Draft, folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with the three parts within a host's file."""
    for part in ("consumers", "clients"):
        for entry, name in repeated(file.parts(part), "name"):
            yield Finding(entry.at("name"), f'"{name}" is another one already', "each name once")
    yield from _address(file, folder)
    has_broker = file.has("broker")
    is_production = file.part("host").text("profile") == Profile.PRODUCTION
    for consumer in file.parts("consumers"):
        yield from _consumer(consumer, has_broker=has_broker, is_production=is_production)
    for client in file.parts("clients"):
        if not has_broker:
            yield Finding(client.at("name"), "no way to it: the file has no [broker]", "[broker] with an address")
        yield from _speaks_for(client, file.parts("staff"))


def _address(file: Draft, folder: Path) -> Iterator[Finding]:
    broker = file.part("broker")
    text = broker.text("address")
    if text is None:
        return
    try:
        read_broker_address(text)
    except BrokerRefused as refused:
        yield Finding(broker.at("address"), f'"{text}": {refused}', FORM)
        return
    is_secure = text.startswith("mqtts:")
    is_production = file.part("host").text("profile") == Profile.PRODUCTION
    if is_production and not is_secure:
        yield Finding(broker.at("address"), "is not encrypted, and the host's profile is production", FORM)
    if is_secure and not broker.has("certificates"):
        yield Finding(broker.at("certificates"), "is missing: mqtts shows the table's own certificate", "a folder")
    if not is_secure and broker.has("certificates"):
        yield Finding(broker.at("certificates"), "means nothing without mqtts", "mqtts://, or no such key")
    certificates = broker.text("certificates")
    if is_secure and certificates is not None:
        yield from _certificates(broker, folder / certificates)


def _certificates(broker: Draft, folder: Path) -> Iterator[Finding]:
    """Whether each table has its own is told at its name, in its own file (`table_findings_at_broker`)."""
    at = broker.at("certificates")
    if not (folder / AUTHORITY).is_file():
        yield Finding(at, f"{folder / AUTHORITY} is not there", f"a folder with {AUTHORITY}, TABLE.crt and TABLE.key")
        return
    for key in sorted(folder.glob("*.key")):
        if (why := readable_by_others(key)) is not None:
            yield Finding(at, why, "chmod 600 on it")


def table_findings_at_broker(table: Draft, host: Draft, folder: Path) -> Iterator[Finding]:
    """What a table lacks to speak to the host's broker; `folder` is that of the host's file."""
    name, broker = table.part("table").text("name"), host.part("broker")
    if name is None or not host.has("broker"):
        return
    at = table.part("table").at("name")
    others = {text for part in ("consumers", "clients") for one in host.parts(part) if (text := one.text("name"))}
    if name in others:
        problem = f'"{name}" is a consumer or client in the host\'s file too: the broker could not tell them apart'
        yield Finding(at, problem, "a name that no consumer and no client has")
    certificates, address = broker.text("certificates"), broker.text("address") or ""
    if certificates is not None and address.startswith("mqtts:") and (folder / certificates / AUTHORITY).is_file():
        for why, remedy in Certificates.of(folder / certificates, name).missing():
            yield Finding(at, why, remedy)


def _consumer(consumer: Draft, *, has_broker: bool, is_production: bool) -> Iterator[Finding]:
    url = consumer.text("url")
    if url is None:
        if not has_broker:
            yield Finding(consumer.at("url"), "no way to it: neither url nor [broker]", "a url, or [broker]")
        return
    try:
        parts = urlsplit(url)
        is_sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        is_sound = is_sound and (parts.port is None or parts.port > 0)
        is_sound = is_sound and all("!" <= letter <= "~" for letter in url)  # a blank would cut the request in two
    except ValueError:
        is_sound = False
    if not is_sound:
        yield Finding(consumer.at("url"), f'"{url}" is no address to post to', "http://HOST:PORT/PATH or https://…")
    elif is_production and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        problem = f'"{url}" is not encrypted, and the host\'s profile is production'
        yield Finding(consumer.at("url"), problem, "https://…, or http:// on this machine only")


def _speaks_for(client: Draft, staff: list[Draft]) -> Iterator[Finding]:
    """Those of the tables' own files are dealers, for whom nobody takes an alert."""
    known = [name for person in staff if (name := person.text("staff_id")) is not None]
    for path, name in client.texts("speaks_for"):
        if name not in known:
            nearest = nearest_of(name, known)
            yield Finding(path, f'"{name}" is nobody of [[staff]] here', listed(known), nearest=nearest)
