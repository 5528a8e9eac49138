"""TCP: a device, or a serial server before it, that is reached by host and port."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable

from firmware_bridge.links.apart import run_apart
from firmware_bridge.links.base import (
    HIGH_WATER_BYTES,
    LOW_WATER_BYTES,
    LinkAbsent,
    LinkClosed,
    LinkRefused,
    Receiver,
)
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate

# A device in the same building answers at once; a name server that is down gives up by then too.
CONNECT_TIMEOUT_S = 3.0

# What the kernel may hide of a peer that does not read; the default of megabytes is minutes of a device's traffic.
KERNEL_BUFFER_BYTES = 65_536

# A cable pulled between two switches says nothing: probe after 5 s of silence, each 2 s, give up after three;
# bytes that nobody acknowledges end the connection as late.
KEEPALIVE_IDLE_S = 5
KEEPALIVE_INTERVAL_S = 2
KEEPALIVE_PROBES = 3
UNACKNOWLEDGED_LIMIT_MS = 11_000


class TcpLink(asyncio.Protocol):
    """One TCP connection; made by `open_tcp`, or by a `TcpListener` on the device's side."""

    is_message_based = False

    def __init__(self, address: str, connected: Callable[[TcpLink], None] = lambda link: None) -> None:
        self.address = address
        self.is_simulated = False
        self._connected = connected
        self._transport: asyncio.Transport | None = None
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._receiver: Receiver | None = None
        self._is_reading = False
        self._is_gone = asyncio.Event()

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver chunks."""
        self._ending.started(receiver)
        self._receiver = receiver
        self.resume_reading()

    async def write(self, data: bytes) -> None:
        """Hand bytes to the operating system; waits while it takes none. Raises `LinkClosed`."""
        self._ending.check()
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def pause_reading(self) -> None:
        """Leave what comes with the operating system; the peer's writers wait when its buffer is full."""
        if self._is_reading and self._transport is not None and not self._ending.is_over:
            self._transport.pause_reading()
        self._is_reading = False

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        if not self._is_reading and self._transport is not None and not self._ending.is_over:
            self._transport.resume_reading()
        self._is_reading = True

    async def close(self) -> None:
        """End it at once, unsent bytes discarded."""
        self._lose(LinkClosed(f"{self.address} closed by this side"))
        await self._ending.told()
        await self._is_gone.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES, low=LOW_WATER_BYTES)
        transport.pause_reading()  # nobody has started it yet
        self.is_simulated = ipaddress.ip_address(transport.get_extra_info("peername")[0]).is_loopback
        self._connected(self)

    def data_received(self, data: bytes) -> None:
        if self._receiver is None:
            return
        try:
            self._receiver.chunk_received(data)
        except Exception as error:  # asyncio would end the connection for it; a receiver's mistake is not the cable's
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"the receiver of {self.address} raised", "exception": error, "protocol": self}
            )

    def eof_received(self) -> bool:
        self._lose(LinkClosed(f"{self.address} closed by the other side"))
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_gone.set()
        self._lose(LinkClosed(f"{self.address}: {exc or 'closed by the other side'}"))

    def pause_writing(self) -> None:
        self._gate.level(HIGH_WATER_BYTES + 1)

    def resume_writing(self) -> None:
        self._gate.level(0)

    def _put(self, data: bytes) -> None:
        if data and self._transport is not None:
            self._transport.write(data)

    def _lose(self, reason: LinkClosed) -> None:
        if self._ending.end(reason):
            self._gate.release()
            if self._transport is not None:
                self._transport.abort()


async def open_tcp(host: str, port: int, *, address: str = "") -> TcpLink:
    """Connect. Raises `LinkAbsent` when nobody answers, `LinkRefused` for what else is in the way."""
    address = address or f"tcp://{host}:{port}"
    reasons: list[str] = []
    for family, where in await _resolve(host, port, address):
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            return await _connect(connection, where, address)
        except (OSError, TimeoutError) as error:
            connection.close()
            reasons.append(f"{where[0]}: {_in_words(error)}")
        except BaseException:
            connection.close()
            raise
    raise LinkAbsent(f"{address} does not answer ({'; '.join(reasons)}). Check cable, power, address and port")


async def _connect(connection: socket.socket, where: tuple[str, int], address: str) -> TcpLink:
    _set_options(connection)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(CONNECT_TIMEOUT_S):
        await loop.sock_connect(connection, where)
        _, link = await loop.create_connection(lambda: TcpLink(address), sock=connection)
    return link


async def _resolve(host: str, port: int, address: str) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """Addresses of a host; a name is looked up in a thread of its own, as name servers hang."""
    try:
        found = await run_apart(
            lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM),
            name=f"look up {host}",
            timeout_s=CONNECT_TIMEOUT_S,
        )
    except TimeoutError:
        raise LinkRefused(f"{address}: no name server answered. Use the device's IP address") from None
    except socket.gaierror as error:
        raise LinkAbsent(f"{address}: the name {host} is not known ({error.strerror}). Check its spelling") from None
    return [(family, (str(where[0]), int(where[1]))) for family, _, _, _, where in found]


def _set_options(connection: socket.socket) -> None:
    for level, option, value in (
        (socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER_BYTES),
        (socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BUFFER_BYTES),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_PROBES),
        (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_LIMIT_MS),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),  # a frame is small and wanted now
    ):
        connection.setsockopt(level, option, value)


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError) and not getattr(error, "errno", None):
        return f"no answer within {CONNECT_TIMEOUT_S:.0f} s"
    if isinstance(error, OSError) and error.errno == errno.ECONNREFUSED:
        return "nobody listens there"
    return str(error)


class TcpListener:
    """The device's side: one host at a time, as serial servers do it; a second one is hung up on at once."""

    def __init__(self, accepted: Callable[[TcpLink], None]) -> None:
        self._accepted = accepted
        self._server: asyncio.Server | None = None
        self._link: TcpLink | None = None
        self.refused = 0
        self.address = ""

    async def open(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one; `address` tells which. Raises `OSError`."""
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        _set_options(listening)  # before the first connection, which inherits the buffers
        self._server = await asyncio.get_running_loop().create_server(self._make, sock=listening)
        self.address = f"tcp://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"

    async def close(self) -> None:
        """Listen no more, and hang up on the host that is there."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if self._link is not None:
            await self._link.close()

    def _make(self) -> asyncio.Protocol:
        if self._link is not None and not self._link._ending.is_over:
            self.refused += 1
            return _HangUp()
        self._link = TcpLink(self.address, self._accepted)
        return self._link


class _HangUp(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
