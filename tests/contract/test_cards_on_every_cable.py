"""Readers of cards on each kind of cable that the registry offers, as `test_every_offered_cable` has all others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drivers.card_events import CardDrawn, CardPassed, CardReaderReady, Target
from drivers.device import PlainSettings
from drivers.events import CardsOut, CommandAnswered, CommandEnded, Outcome, Verb
from drivers.registry import PLAIN_DRIVERS, TDL_DRIVERS, build_plain, build_tdl
from drivers.tdl import Surroundings, TdlSettings
from simulator.faces.angel_eye import AngelEyeFace
from simulator.faces.memory import Memory
from simulator.faces.tdl_card_reader import new_card_reader
from simulator.runner import Stage
from simulator.world.card_reader import CardReader
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.shoe import BaccaratShoe
from tests.contract.test_every_offered_cable import EPOCH, USBIP, Host, line_of, running

CARD_READER = TDL_DRIVERS["tdl-card-reader"]
SHOE = PLAIN_DRIVERS["angel-eye-shoe"]


@pytest.mark.parametrize("scheme", [*CARD_READER.schemes, USBIP])
async def test_a_card_reader(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """A card that comes out is told once; its test of itself goes down and comes back."""
    host, stage, mouth, cards = Host(), Stage(), Pile("mouth"), Pile("cards")
    (card, *_) = new_deck(1, Back.BLUE, cards)
    reader = CardReader("eye", lambda: cards, lambda card: card.pile is cards)
    stage.add_world(reader)
    face = new_card_reader(reader, Memory(), serial="000333")
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        around = Surroundings(host.report, line.connect, iter(range(1, 1000)).__next__, EPOCH)
        host.driver = build_tdl(CARD_READER.name, TdlSettings("device", line.address, "000333", "READER-SIM"), around)
        async with running(stage, face, line, host.driver.run()):
            await host.until_told(CommandAnswered)  # it obeys us now
            stage.act(lambda: card.move_to(mouth))
            passed = await host.until_told(CardPassed)
            assert isinstance(passed, CardPassed)
            assert (passed.count, passed.card, passed.back) == (1, card.face, 2)
            meter = await host.until_told(CardsOut)
            assert isinstance(meter, CardsOut)
            assert meter.meter == 1
            host.driver.command(Verb.SELF_TEST, EPOCH, 2, 0)
            ended = await host.until_told(CommandEnded)
            assert isinstance(ended, CommandEnded)
            assert (ended.command, ended.outcome) == (2, Outcome.DONE)


@pytest.mark.parametrize("scheme", SHOE.schemes)
async def test_a_shoe(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """Heard, never written to: TCP stands for the terminal server that is put before such a shoe."""
    host, stage, shoe = Host(), Stage(), BaccaratShoe("shoe")
    new_deck(1, Back.RED, shoe.cards)
    face = AngelEyeFace(shoe)
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        settings = PlainSettings("device", line.address)
        driver = build_plain(SHOE.name, settings, host.report, line.connect, random.Random(1))
        async with running(stage, face, line, driver.run()):
            ready = await host.until_told(CardReaderReady)
            assert ready == CardReaderReady(device="device", model="", is_simulated=True, has_spoken=False)
            stage.act(shoe.draw)
            drawn = await host.until_told(CardDrawn)
            assert drawn == CardDrawn(device="device", card="K♠", target=Target.PLAYER, index=1)
            assert driver.counts.frames_sent == 0
