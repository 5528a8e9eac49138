"""TCP: who does not answer, who hangs up, and one host at a time."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from firmware_bridge.links import tcp
from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import LinkAbsent, LinkRefused
from firmware_bridge.links.tcp import TcpLink, TcpListener, open_tcp
from tests.support.collector import DEADLINE_S, Collector, until


async def listening() -> tuple[TcpListener, list[TcpLink]]:
    accepted: list[TcpLink] = []
    listener = TcpListener(accepted.append)
    await listener.open()
    return listener, accepted


async def test_a_port_where_nobody_listens_is_said_to_be_so() -> None:
    listener, _ = await listening()
    await listener.close()
    with pytest.raises(LinkAbsent, match=r"does not answer \(127\.0\.0\.1: nobody listens there\). Check cable"):
        await open_link(listener.address)


async def test_a_name_that_is_not_known_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(tcp.socket, "getaddrinfo", unknown)
    with pytest.raises(LinkAbsent, match="the name shufler-7 is not known"):
        await open_tcp("shufler-7", 4001)


async def test_a_name_server_that_hangs_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(tcp.socket, "getaddrinfo", lambda *_, **__: may_end.wait(DEADLINE_S) and [])
    monkeypatch.setattr(tcp, "CONNECT_TIMEOUT_S", 0.05)
    with pytest.raises(LinkRefused, match="no name server answered"):
        await open_tcp("shuffler-7", 4001)
    may_end.set()
    await until(lambda: not any(thread.name.startswith("look up") for thread in threading.enumerate()), "the thread")


async def test_a_host_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*_: object) -> None:
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(tcp, "CONNECT_TIMEOUT_S", 0.05)
    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", silent)
    with pytest.raises(LinkAbsent, match="no answer within"):
        await open_tcp("127.0.0.1", 4001)


async def test_a_second_host_is_hung_up_on_and_the_first_goes_on() -> None:
    """One host at a time, as serial servers do it."""
    listener, accepted = await listening()
    first, second = await open_link(listener.address), await open_link(listener.address)
    at_second, at_device = Collector(), Collector()
    second.start(at_second)
    assert "closed by the other side" in str(await at_second.until_lost())
    assert (listener.refused, len(accepted)) == (1, 1)
    accepted[0].start(at_device)
    await first.write(b"still here")
    await at_device.until_bytes(10)
    await first.close()
    await at_device.until_lost()
    third = await open_link(listener.address)
    await until(lambda: len(accepted) == 2, "the next host to be let in")
    await third.close()
    await second.close()
    await listener.close()


async def test_a_connection_that_is_reset_is_lost_with_the_systems_words() -> None:
    listener, accepted = await listening()
    link, got = await open_link(listener.address), Collector()
    link.start(got)
    await until(lambda: accepted, "the connection")
    transport = accepted[0]._transport
    assert transport is not None
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close by a reset
    await accepted[0].close()
    assert "Connection reset" in str(await got.until_lost())
    await link.close()
    await listener.close()


async def test_a_silent_cut_is_noticed_by_probes_and_a_loopback_shows_itself() -> None:
    listener, _ = await listening()
    link = await open_link(listener.address)
    assert isinstance(link, TcpLink)
    assert link._transport is not None
    raw = link._transport.get_extra_info("socket")
    assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == tcp.KEEPALIVE_IDLE_S
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == tcp.UNACKNOWLEDGED_LIMIT_MS
    assert link.is_simulated
    await link.close()
    await listener.close()


async def test_ipv6_addresses_work_both_ways() -> None:
    listener = TcpListener(lambda link: None)
    try:
        await listener.open("::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    link = await open_link(listener.address)
    assert link.address.startswith("tcp://[::1]:")
    await link.close()
    await listener.close()
