"""Addresses behind a broker: a device's three topics, in plain or in TLS with certificates on both sides."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import SplitResult, quote, unquote

from firmware_bridge.links.address_kinds import Mistakes, Surroundings
from firmware_bridge.links.base import Link
from firmware_bridge.links.mqtt_tls import TLS_PORT, Certificates

# MQTT 5 §4.7: these are wildcards, and a topic that begins with $ is the broker's own.
TOPIC_LEVEL = re.compile(r"[^+#/\x00]+")
PLAIN_PORT = 1883
CERTIFICATES = re.compile(r"(?<=[?&]certificates=)[^&#]+")
# A name becomes two file names, and the common name of a certificate.
CERTIFICATE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class MqttAddress:
    """A device behind a broker: `<prefix>/<device>/down`, `/up` and `/link`."""

    form: ClassVar[str] = "mqtt://HOST:PORT/PREFIX/DEVICE (port 1883 unless given)"
    host: str
    port: int
    prefix: str
    device: str

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> MqttAddress:
        host, port = mistakes.host_and_port(parts, default_port=PLAIN_PORT)
        mistakes.query(parts, ())
        return cls(host, port, *_topic(parts, mistakes))

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        from firmware_bridge.links.mqtt import open_mqtt

        return await open_mqtt(
            self.host, self.port, self.prefix, self.device, address=address, left_behind=surroundings.left_behind
        )


@dataclass(frozen=True, slots=True)
class MqttsAddress:
    """The same in TLS. `certificates`: the folder of `ca.crt`, `NAME.crt` and `NAME.key`; `name`: who connects."""

    form: ClassVar[str] = (
        "mqtts://HOST:PORT/PREFIX/DEVICE?certificates=FOLDER&name=NAME (port 8883 unless given; in FOLDER lie ca.crt, "
        "NAME.crt and NAME.key)"
    )
    host: str
    port: int
    prefix: str
    device: str
    certificates: str
    name: str

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> MqttsAddress:
        host, port = mistakes.host_and_port(parts, default_port=TLS_PORT)
        found = mistakes.query(parts, ("certificates", "name"))
        folder, name = found.get("certificates", ""), found.get("name", "")
        if not folder:
            mistakes.append("the folder of certificates is missing: ?certificates=FOLDER")
        if not CERTIFICATE_NAME.fullmatch(name):
            mistakes.append("who connects is missing: &name=NAME, as the certificate says; letters, digits, . _ -")
        return cls(host, port, *_topic(parts, mistakes), folder, name)

    @property
    def files(self) -> Certificates:
        """What is shown to the broker, and what it is held against."""
        return Certificates.of(Path(self.certificates), self.name)

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        from firmware_bridge.links.mqtt import open_mqtt

        return await open_mqtt(
            self.host,
            self.port,
            self.prefix,
            self.device,
            address=address,
            certificates=self.files,
            left_behind=surroundings.left_behind,
        )


def certificates_from(text: str, folder: Path) -> str:
    """An address whose folder of certificates counts from `folder` where it is relative; others as they are."""
    if not text.startswith("mqtts://"):
        return text
    return CERTIFICATES.sub(lambda found: quote(os.path.abspath(folder / unquote(found[0]))), text)


def _topic(parts: SplitResult, mistakes: Mistakes) -> tuple[str, str]:
    """Prefix and device."""
    levels = unquote(parts.path).strip("/").split("/")
    if len(levels) < 2:
        mistakes.append("a prefix and a device follow the host: /PREFIX/DEVICE")
    if not all(TOPIC_LEVEL.fullmatch(level) for level in levels) or levels[0].startswith("$"):
        mistakes.append("prefix and device are not empty, without + and #, and do not begin with $")
    return "/".join(levels[:-1]), levels[-1]
