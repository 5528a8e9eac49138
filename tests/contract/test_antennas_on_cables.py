"""Antennas and batch shufflers on each kind of cable that the registry offers (see `test_every_offered_cable`)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drivers.card_events import CardRead, CardReaderReady, CardRemoved
from drivers.events import CommandAnswered, CommandEnded, Fact, Outcome, PacketEnded, PermitKind, Reason, Verb
from drivers.readers.pn532_antenna import AntennaSet, AntennaSettings
from drivers.readers.tag_register import parse_register
from drivers.registry import PN532_ANTENNA, TDL_DRIVERS, build_antenna, build_tdl
from drivers.tdl import Surroundings, TdlSettings
from simulator.faces.memory import Memory
from simulator.faces.pn532 import Pn532Face
from simulator.faces.tdl_shuffler import BATCH, new_shuffler
from simulator.runner import Stage
from simulator.world import hands
from simulator.world.cards import Back
from simulator.world.hazards import NEVER
from simulator.world.rf_field import RfField, Tag
from simulator.world.table import TableWorld
from tests.contract.test_every_offered_cable import EPOCH, USBIP, Host, line_of, running
from tests.support.collector import until


@pytest.mark.parametrize("scheme", [*TDL_DRIVERS["tdl-batch-shuffler"].schemes, USBIP])
async def test_a_batch_is_mixed_counted_and_dealt(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """A deck in under a feed permit, SHUFFLE, a packet of five out, and SHUFFLE again with a wrong number expected."""
    serial = "000321"
    host, stage = Host(), Stage(pace=50)
    table = TableWorld(1, rates=NEVER, serials=(serial,), batch=(serial,))
    stage.add_world(table)
    deck = table.bring([Back.RED])
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        around = Surroundings(host.report, line.connect, iter(range(1, 1000)).__next__, EPOCH)
        driver = host.driver = build_tdl(
            "tdl-batch-shuffler", TdlSettings("device", line.address, serial, "BSM-SIM"), around
        )
        face = new_shuffler(table.machine, Memory(), serial=serial, shape=BATCH)

        async def ended(verb: Verb, number: int, argument: int | None) -> tuple[Outcome, Reason, int]:
            driver.command(verb, EPOCH, number, argument)
            await until(lambda: [fact for fact in host.facts if _is_end(fact, number)], f"the end of {verb}")
            end = next(fact for fact in host.facts if _is_end(fact, number))
            assert isinstance(end, CommandEnded)
            return end.outcome, end.reason, end.moved

        async with running(stage, face, line, driver.run()):
            await host.until_told(CommandAnswered)  # it obeys us now
            stage.act(lambda: hands.put_packet(table.machine, deck))
            driver.permit(PermitKind.FEED, 60_000, len(deck))
            await host.until_told(PacketEnded)
            assert await ended(Verb.SHUFFLE, 2, 52) == (Outcome.DONE, Reason.NONE, 52)
            driver.permit(PermitKind.DEAL, 60_000, None)
            assert await ended(Verb.DEAL, 3, 5) == (Outcome.DONE, Reason.NONE, 5)
            assert len(table.machine.carousel.mouth) == 5
            assert await ended(Verb.SHUFFLE, 4, 52) == (Outcome.FAILED, Reason.NO_CARDS, 47)


def _is_end(fact: Fact, number: int) -> bool:
    return isinstance(fact, CommandEnded) and fact.command == number


@pytest.mark.parametrize("scheme", PN532_ANTENNA.schemes)
async def test_an_antenna(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, rf = Host(), Stage(), RfField(1)
    face = Pn532Face("device", rf, 0.0)
    antennas = AntennaSet(parse_register("D0AC1F62 card 8♠"))
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        settings = AntennaSettings("device", line.address, "seat 3")
        antenna = build_antenna(settings, antennas, host.report, line.connect, random.Random(1))
        async with running(stage, face, line, antenna.run()):
            ready = await host.until_told(CardReaderReady)
            assert ready == CardReaderReady(device="device", model="PN532", firmware="1.6", is_simulated=True)
            stage.act(lambda: rf.lay(Tag(bytes.fromhex("D0AC1F62")), 0.0))
            assert await host.until_told(CardRead) == CardRead(device="device", card="8♠", place="seat 3")
            stage.act(lambda: rf.take(bytes.fromhex("D0AC1F62")))
            await host.until_told(CardRemoved)
