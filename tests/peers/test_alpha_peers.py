"""The ALPHA sign against programs that nobody here wrote: `readerboard`, `alphasignpy`, `pyalphasign`.

readerboard is an independent host of our simulated sign. The other two build bytes for the same content as our
driver, and alphasignpy reads what our sign answers. Differences stand in `DIFFERENT`, each with its reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.displays.alpha_sign import MEMORY, TEXT_LABEL, text_file
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.alpha import commands
from firmware_bridge.wire.alpha.codes import Mode, Special
from firmware_bridge.wire.alpha.packet import Packet, encode_packet
from simulator.cables import Cable, socket_for
from simulator.faces.alpha_sign import AlphaSignFace
from simulator.runner import Stage
from simulator.world.led_sign import LedSign
from tests.support.collector import until
from tests.support.peer_environment import peer_python
from tests.support.peer_process import running_peer

pytestmark = pytest.mark.peer

PEERS = Path(__file__).parent
OURS = {
    "text": commands.write_text(TEXT_LABEL, text_file("")),
    "won": commands.write_text("0", b"JACKPOT WON", Mode.FLASH),
    "release": commands.release_priority(),
    "amount": commands.write_string("a", b"EUR 1,234.56"),
    "memory": commands.configure_memory(MEMORY),
    "acknowledge": commands.acknowledge(is_wanted=True),
    "sequence": commands.run_sequence(TEXT_LABEL),
    "read string": commands.read_string("a"),
    "read text": commands.read_text("A"),
}
# alphasignpy has no release: an empty text still has position and mode, and such a priority file keeps the sign (dark).
DIFFERENT = {("alphasignpy", "release"): "41301b2661"}


def framed(command: bytes) -> str:
    return encode_packet(Packet((command,))).hex()


@pytest.mark.parametrize(
    ("requirement", "script", "builds"),
    [
        ("alphasignpy==0.1.1", "alphasignpy_bytes.py", set(OURS)),
        ("pyalphasign==0.1.0", "pyalphasign_bytes.py", {"text", "won", "sequence"}),
    ],
)
async def test_they_build_the_same_bytes(requirement: str, script: str, builds: set[str]) -> None:
    name = requirement.partition("=")[0]
    async with running_peer(peer_python(requirement), PEERS / script) as peer:
        for built in sorted(builds):
            theirs = (await peer.until_said("built", built))["bytes"]
            different = DIFFERENT.get((name, built))
            assert theirs == framed(bytes.fromhex(different) if different else OURS[built]), built


def reply_of(face: AlphaSignFace, question: bytes) -> str:
    """What our simulated sign answers, as it goes over the line."""
    face.receive(encode_packet(Packet((question,))), 0)
    face.update(10**9)
    (reply,) = face.take_output()
    return reply.hex()


async def test_alphasignpy_reads_what_our_sign_answers() -> None:
    face = AlphaSignFace(LedSign("sign", deaf_ns=0))
    face.boot(0)
    for told in ("memory", "text", "amount"):
        face.receive(encode_packet(Packet((OURS[told],))), 0)
    replies = {
        "string": reply_of(face, OURS["read string"]),
        "text": reply_of(face, OURS["read text"]),
        "general": reply_of(face, commands.read_special(Special.GENERAL)),
    }
    arguments = [f"{name}={reply}" for name, reply in replies.items()]
    async with running_peer(peer_python("alphasignpy==0.1.1"), PEERS / "alphasignpy_bytes.py", *arguments) as peer:
        assert (await peer.until_said("read", "string"))["as"] == ["a", "EUR 1,234.56"]
        assert (await peer.until_said("read", "text"))["as"] == ["A", "MIDDLE_LINE", "HOLD", text_file("").hex()]
        general = (await peer.until_said("read", "general"))["as"]
        assert general["memory_free"], general


@asynccontextmanager
async def served_sign(port: int) -> AsyncIterator[AlphaSignFace]:
    """Our simulated sign behind a converter on the network. Never deaf: its host need not wait."""
    stage, face = Stage(), AlphaSignFace(LedSign("sign", 40, deaf_ns=0))
    socket = socket_for(f"tcp://127.0.0.1:{port}", lambda: 0)
    outlet = stage.add_face(face, sees_cable=True)
    stage.act(lambda: face.boot(stage.now_ns))
    task = asyncio.create_task(run_together(Cable("sign", socket).run(outlet), stage.until_failure()))
    try:
        yield face
    finally:
        task.cancel()
        await asyncio.wait([task])
        stage.close()


async def test_readerboard_drives_our_simulated_sign(tmp_path: Path, unused_tcp_port_factory: object) -> None:
    """Memory, texts, a STRING that a text calls, its change in place, the priority file, its release."""
    assert callable(unused_tcp_port_factory)
    sign_port, http_port = unused_tcp_port_factory(), unused_tcp_port_factory()
    arguments = (str(sign_port), str(http_port), str(tmp_path / "state.json"))
    async with served_sign(sign_port) as face:
        async with running_peer(peer_python("readerboard==0.7.0"), PEERS / "readerboard_host.py", *arguments) as host:
            await host.until_said("listening", True)

            async def asked(method: str, path: str, body: dict[str, object] | None = None) -> None:
                host.said.clear()
                host.tell(method=method, path=path, body=body)
                answer = await host.until_said("answered", path)
                assert answer["status"] < 300, answer

            await asked("PUT", "/variables/jackpot", {"value": "EUR 1,234.56"})
            await asked("PUT", "/slots/table", {"message": "<var:jackpot>"})
            await until(lambda: any("EUR 1,234.56" in page for page in face.drawn()), "the amount")
            blanks = face.sign.blanks
            await asked("PUT", "/variables/jackpot", {"value": "EUR 1,240.00"})
            await until(lambda: any("EUR 1,240.00" in page for page in face.drawn()), "the new amount")
            assert face.sign.blanks == blanks, "a STRING changes in place"
            await asked("POST", "/alerts", {"message": "JACKPOT WON"})
            await until(lambda: face.drawn() and "JACKPOT WON" in face.drawn()[0], "the alert")
            await asked("DELETE", "/alerts")
            await until(lambda: any("EUR 1,240.00" in page for page in face.drawn()), "the amount again")
            await asked("GET", "/sign/information")
        assert face.refused == 0
