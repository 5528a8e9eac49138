"""`GET /metrics` on the loopback, in the format that the asking side names; made when it is asked for."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from drivers.displays.page.server import HEADERS, listening, server_of
from tableside.metrics.families import FAMILIES, Family, Told
from tableside.state import TableState

LOOPBACK = "127.0.0.1"
PATH = "/metrics"
# Whoever holds the port may let go of it.
RETRY_S = 10.0

_log = structlog.get_logger("metrics")


class Table(Protocol):
    """A running table, as far as it is read here."""

    @property
    def state(self) -> TableState: ...


class HostCollector(Collector):
    """All families of one moment."""

    def __init__(self, tell: Callable[[], Told]) -> None:
        self._tell = tell

    def collect(self) -> Iterator[Metric]:
        """Made anew each time."""
        told = self._tell()
        for family in FAMILIES:
            yield _metric(family, told)


def _metric(family: Family, told: Told) -> Metric:
    kind = CounterMetricFamily if family.is_counter else GaugeMetricFamily
    metric = kind(family.name, family.text, labels=family.labels)
    for labels, value in family.of(told):
        metric.add_metric(labels, value)
    return metric


def application(status: Callable[[], Mapping[str, object]], tables: Mapping[str, Table]) -> Starlette:
    """The one address. `status`: what the daemon answers to that question."""
    registry = CollectorRegistry()
    registry.register(HostCollector(lambda: Told(status(), {name: table.state for name, table in tables.items()})))
    ProcessCollector(registry=registry)

    async def scraped(request: Request) -> Response:
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(registry), headers={**HEADERS, "Content-Type": media_type})

    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[LOOPBACK, "localhost"], www_redirect=False)
    return Starlette(routes=[Route(PATH, scraped)], middleware=[hosts])


async def serve(app: Starlette, port: int) -> None:
    """Serve until cancelled. A port that is taken is tried again: no table stops for want of a monitoring system."""
    listener = await _listener(port)
    server = server_of(app)
    try:
        await server.serve(sockets=[listener])
    finally:
        server.should_exit = True
        listener.close()


async def _listener(port: int) -> socket.socket:
    is_told = False
    while True:
        try:
            listener = listening(LOOPBACK, port)
        except OSError as error:
            if not is_told:
                _log.error("metrics_port_taken", port=port, why=error.strerror, remedy="name another in [metrics]")
            is_told = True
            await asyncio.sleep(RETRY_S)
        else:
            _log.info("metrics_served", address=f"http://{LOOPBACK}:{port}{PATH}")
            return listener
