"""The mosquitto of docs/howto/run-a-broker.md: its settings and rights as the page shows them, with certificates."""

from __future__ import annotations

import gc
import re
import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path

import aiomqtt
import pytest

from tests.support.certificates import Authority
from tests.support.mosquitto import Mosquitto

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "run-a-broker.md").read_text("utf-8")
NAMES = ("broker", "BJ-1", "BJ-2", "store", "page", "wall-1", "wall-2")


@pytest.fixture(autouse=True)
def refused_handshakes() -> Iterator[None]:
    """paho-mqtt leaves the socket of a refused handshake to the garbage collector: collected here, unjudged."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def block(kind: str) -> str:
    """What the page shows under that kind of code."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


class Documented:
    """The broker of the page, with its paths moved into the test's folder."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder / "certificates")
        for name in NAMES:
            self.authority.issue(name)
        self.folder = folder / "certificates"
        memory = folder / "memory"
        memory.mkdir()
        (self.folder / "rights").write_text(block("acl"), "utf-8")
        (self.folder / "rights").chmod(0o600)
        self.broker = Mosquitto(folder)
        settings = block("conf").replace("/etc/mosquitto/tableside/", f"{self.folder}/")
        settings = settings.replace("/var/lib/mosquitto/", f"{memory}/")
        settings = settings.replace("listener 8883", f"listener {self.broker.port} {self.broker.host}")
        # an account that may read the test's folder
        self.broker.configure(f"{settings}\nlog_dest stderr\nlog_type all\nuser root\n")

    def client(self, name: str, authority: Path | None = None, *, has_certificate: bool = True) -> aiomqtt.Client:
        context = ssl.create_default_context(cafile=str(authority or self.folder / "ca.crt"))
        if has_certificate:
            context.load_cert_chain(self.folder / f"{name}.crt", self.folder / f"{name}.key")
        return aiomqtt.Client(
            self.broker.host, self.broker.port, protocol=aiomqtt.ProtocolVersion.V5, tls_context=context, timeout=5
        )


@pytest.fixture
def documented(tmp_path: Path) -> Iterator[Documented]:
    made = Documented(tmp_path)
    made.broker.start()
    try:
        yield made
    finally:
        made.broker.stop()
