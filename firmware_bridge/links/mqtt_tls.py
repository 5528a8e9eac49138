"""TLS towards a broker: who may vouch for it, and who we are. Devices on MQTT and what tables tell others share it."""

from __future__ import annotations

import ssl
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.links.base import LinkForbidden

# MQTT over TLS as IANA lists it.
TLS_PORT = 8883
AUTHORITY = "ca.crt"


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files in PEM: who signs brokers, and our own certificate with its key."""

    authority: Path
    certificate: Path
    key: Path

    @classmethod
    def of(cls, folder: Path, name: str) -> Certificates:
        """Those of `name` in a folder: `ca.crt`, `NAME.crt`, `NAME.key`."""
        return cls(folder / AUTHORITY, folder / f"{name}.crt", folder / f"{name}.key")

    def missing(self) -> Iterator[tuple[str, str]]:
        """Files that are not there, each with the remedy."""
        for path in (self.authority, self.certificate, self.key):
            if not path.is_file():
                yield f"{path} is not there", f"a folder with {AUTHORITY}, NAME.crt and NAME.key"

    def objections(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the files as they lie there, each with its remedy."""
        yield from self.missing()
        if (why := readable_by_others(self.key)) is not None:
            yield why, "chmod 600 on it"


def readable_by_others(key: Path) -> str | None:
    """Why a key's file must not be used as it is; None: it may, or is not there."""
    try:
        mode = stat.S_IMODE(key.stat().st_mode)
    except OSError:
        return None
    return f"{key} can be read by others (mode {mode:04o})" if mode & (stat.S_IRWXG | stat.S_IRWXO) else None


def tls_of(files: Certificates, address: str) -> ssl.SSLContext:
    """TLS 1.2 or later, the broker's name checked, our own certificate shown; nothing less is ever tried.

    Raises `LinkForbidden`.
    """
    for why, remedy in files.objections():
        raise LinkForbidden(f"{address}: {why}: {remedy}")
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(files.authority))
        context.load_cert_chain(files.certificate, files.key)
    except (OSError, ssl.SSLError) as error:
        raise LinkForbidden(
            f"{address}: the certificates beside {files.certificate} cannot be used: {error}"
        ) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
