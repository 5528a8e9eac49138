"""Physics of cards and carousel, without any protocol: what is conserved, what is random, what the figures say."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from simulator.world import hands
from simulator.world.cards import Back, Card, ConservationError, Pile, Rank, Suit, assert_conserved, new_deck
from simulator.world.carousel import Carousel
from simulator.world.figures import Figures
from simulator.world.happenings import CardsIn, CardsOut, Spot, Trouble
from simulator.world.hazards import NEVER, Hazards, Rates
from simulator.world.jobs import Count, Empty, Recover
from simulator.world.machine import ShufflerMachine
from simulator.world.motions import Move
from simulator.world.table import RESERVE, SPREAD, TRAY, TableWorld

NS_PER_S = 1_000_000_000


def run(machine: ShufflerMachine | TableWorld, now_ns: int, seconds: float = 600) -> int:
    """Play until nothing moves any more, or the time is over."""
    end_ns = now_ns + round(seconds * NS_PER_S)
    while (wake_ns := machine.update(now_ns)) is not None and wake_ns <= end_ns:
        now_ns = max(now_ns, wake_ns)
    return now_ns


def loaded(decks: int = 6, seed: int = 1, rates: Rates = NEVER) -> tuple[ShufflerMachine, list[Card], Pile, int]:
    felt = Pile("felt")
    cards = [card for number in range(decks) for card in new_deck(number + 1, Back.RED, felt)]
    machine = ShufflerMachine("shuffler", seed, hazards=Hazards(seed, rates))
    machine.power_on(None)
    now_ns = 0
    while len(felt):
        hands.put_packet(machine, list(felt)[:104])
        machine.feed_gate.open(None)
        now_ns = run(machine, now_ns)
    machine.feed_gate.close()
    return machine, cards, felt, now_ns


class TestCards:
    def test_a_deck_has_each_face_once(self) -> None:
        deck = new_deck(1, Back.BLUE, Pile("deck"))
        assert len({card.face for card in deck}) == 52
        assert {(card.rank, card.suit) for card in deck} == {(rank, suit) for rank in Rank for suit in Suit}

    def test_a_card_is_taken_only_from_where_it_lies(self) -> None:
        here, there = Pile("here"), Pile("there")
        card = new_deck(1, Back.RED, here)[0]
        card.move_to(there)
        with pytest.raises(ConservationError, match="not in here"):
            here.give(card)

    def test_a_card_in_two_places_is_found(self) -> None:
        here, there = Pile("here"), Pile("there")
        cards = new_deck(1, Back.RED, here)
        there.receive(cards[0])
        with pytest.raises(ConservationError):
            assert_conserved(cards, [here, there])

    def test_a_card_that_is_gone_or_was_never_brought_is_found(self) -> None:
        here = Pile("here")
        cards = new_deck(1, Back.RED, here)
        with pytest.raises(ConservationError, match="51"):
            assert_conserved(cards[1:], [here])
        here.give(cards[0])
        with pytest.raises(ConservationError, match="0 places"):
            assert_conserved(cards, [here])


class TestCarousel:
    def test_six_decks_have_room(self) -> None:
        machine, cards, _, _ = loaded()
        assert machine.cards_inside == len(cards) == 312 < machine.figures.capacity

    def test_compartments_fill_uniformly_at_random(self) -> None:
        """Chi-square over 38 compartments; 99.9 % quantile with 37 degrees of freedom is 69.3."""
        counts: Counter[int] = Counter()
        for seed in range(40):
            machine, _, _, _ = loaded(decks=1, seed=seed)
            for place, pile in enumerate(machine.carousel.compartments):
                counts[place] += len(pile)
        expected = 40 * 52 / 38
        assert sum((counts[place] - expected) ** 2 / expected for place in range(38)) < 69.3

    def test_the_seed_decides_everything(self) -> None:
        orders = []
        for _ in range(2):
            machine, _, _, _ = loaded(decks=2, seed=5)
            orders.append([[card.face for card in pile] for pile in machine.carousel.compartments])
        assert orders[0] == orders[1]
        machine, _, _, _ = loaded(decks=2, seed=6)
        assert [[card.face for card in pile] for pile in machine.carousel.compartments] != orders[0]

    def test_a_group_comes_out_whole_last_in_first_out(self) -> None:
        carousel = Carousel("c", 0, Figures(), Hazards(0, NEVER))
        cards = new_deck(1, Back.RED, carousel.compartments[4])[:9]
        for card in list(carousel.compartments[4])[9:]:
            card.move_to(carousel.mouth)
        carousel.begin(Move.EJECT, 0, compartment=4)
        carousel.finish()
        assert list(carousel.buffer) == cards[::-1]

    def test_refill_begins_at_eight_and_ends_at_eighteen_or_more(self) -> None:
        """Figures of the public model: target 18, refill at 8, whole groups."""
        machine, _, felt, now_ns = loaded()
        machine.deal_gate.open(None)
        now_ns = run(machine, now_ns)
        levels = []
        for _ in range(2_000):
            assert machine.draw(felt) == 1
            before = machine.book.exit
            now_ns = run(machine, now_ns)
            if machine.book.exit > before:
                levels.append((before, machine.book.exit))
            if len(felt) > 40:
                hands.put_packet(machine, felt)
                machine.feed_gate.open(None)
                now_ns = run(machine, now_ns)
        assert {before for before, _ in levels} == {8}
        assert all(18 <= after <= machine.figures.buffer_limit for _, after in levels)

    def test_a_chosen_group_has_seven_or_is_a_fullest_one(self) -> None:
        machine = ShufflerMachine("m", 3, hazards=Hazards(3, NEVER))
        rng = random.Random(3)
        for _ in range(500):
            machine.book.slots = [rng.randrange(11) for _ in machine.book.slots]
            machine.book.exit = 0
            slot = machine.slot_to_eject()
            assert slot is not None
            assert machine.book.slots[slot] >= 7
            machine.book.slots = [rng.randrange(5) for _ in machine.book.slots]
            slot = machine.slot_to_eject()
            assert slot is not None
            assert machine.book.slots[slot] == max(machine.book.slots)

    def test_cards_just_returned_come_back_less_often_than_by_chance(self) -> None:
        """A buffer holds them off: groups ejected whole, 3.00 % at a minimum of 8, 0.64 % at 16; by chance 6.41 %."""
        machine, _, felt, now_ns = loaded()
        machine.deal_gate.open(None)
        now_ns = run(machine, now_ns)
        returned: set[int] = set()
        again = dealt = 0
        for round_number in range(300):
            for _ in range(20):
                assert machine.draw(felt) == 1
                now_ns = run(machine, now_ns)
            if round_number:
                again += sum(id(card) in returned for card in felt)
                dealt += 20
            returned = {id(card) for card in felt}
            hands.put_packet(machine, felt)
            machine.feed_gate.open(None)
            now_ns = run(machine, now_ns)
        assert 0.003 < again / dealt < 0.045

    def test_a_blind_counter_misses_and_the_truth_is_kept(self) -> None:
        machine, cards, felt, now_ns = loaded(decks=1)
        hands.dust(machine, Spot.EXIT, 0.15)
        machine.deal_gate.open(None)
        now_ns = run(machine, now_ns)
        drawn = 0
        for _ in range(30):
            drawn += machine.draw(felt)
            machine.standing.clear(Trouble.SENSOR_STUCK, Spot.EXIT)
            now_ns = run(machine, now_ns)
        seen = sum(happening.cards for happening in machine.take_happenings() if isinstance(happening, CardsOut))
        assert seen < drawn == len(felt)
        assert seen + machine.carousel.out_sensor.missed == drawn
        assert_conserved(cards, [felt, *machine.piles])

    def test_after_a_jam_nothing_moves_until_the_gates_are_opened_anew(self) -> None:
        machine, _, felt, now_ns = loaded(decks=2)
        machine.deal_gate.open(None)
        now_ns = run(machine, now_ns)
        hands.crease(machine.carousel.buffer.bottom)
        machine.draw(felt)
        now_ns = run(machine, now_ns)
        assert not machine.deal_gate.is_open
        hands.open_lid(machine, with_key=True)
        assert hands.take_stuck(machine, Spot.EXIT, felt) == 1
        hands.close_lid(machine)
        now_ns = run(machine, now_ns)
        assert machine.standing.jams == set()
        assert machine.draw(felt) == 0
        machine.deal_gate.open(None)
        run(machine, now_ns)
        assert machine.draw(felt) == 1

    def test_power_lost_in_every_phase_of_a_load_loses_no_card(self) -> None:
        felt = Pile("felt")
        cards = new_deck(1, Back.RED, felt)
        machine = ShufflerMachine("m", 2, hazards=Hazards(2, NEVER))
        hands.put_packet(machine, felt)
        now_ns = 0
        for step in range(120):
            machine.power_on(machine.book.slot_map())
            machine.feed_gate.open(None)
            machine.deal_gate.open(None)
            now_ns = run(machine, now_ns, 3.0 + step * 0.037)
            now_ns += step * 1_000_000
            machine.power_off()
            for spot in Spot:
                machine.carousel.is_lid_open = True
                hands.take_stuck(machine, spot, felt, hands.Skill.TECHNICIAN)
                machine.carousel.is_lid_open = False
            assert_conserved(cards, [felt, *machine.piles])
        assert machine.carousel.transfer.name not in [card.pile.name for card in cards]


class TestTable:
    def test_census_is_in_the_accounts_words_and_complete(self) -> None:
        table = TableWorld(1, rates=NEVER)
        table.bring([Back.RED, Back.BLUE])
        table.bring([Back.RED], to=RESERVE)
        table.machine.power_on(None)
        hands.put_packet(table.machine, list(table.felt[SPREAD])[:50])
        table.felt[SPREAD].bottom.move_to(table.felt[TRAY])
        table.felt[SPREAD].bottom.move_to(table.felt.envelope(1))
        table.machine.feed_gate.open(20)
        run(table, 0)
        assert table.census() == Counter(
            {"table": 52, "reserve": 52, "hopper": 30, "machine": 20, "tray": 1, "envelope 1": 1}
        )
        table.assert_conserved()

    def test_an_exchanged_machine_keeps_its_cards(self) -> None:
        table = TableWorld(1, rates=NEVER)
        table.bring([Back.RED])
        table.machine.power_on(None)
        hands.put_packet(table.machine, list(table.felt[SPREAD]))
        table.machine.feed_gate.open(None)
        run(table, 0)
        table.machine.power_off()
        table.exchange_machine("000124")
        assert table.census() == Counter({"left in 000123": 52})
        with pytest.raises(KeyError):
            table.exchange_machine("999")

    def test_missing_double_and_foreign_cards(self) -> None:
        table = TableWorld(1)
        table.bring([Back.RED])
        assert table.lose("7♣", Back.RED) is not None
        table.slip_in("K♠", Back.RED)
        table.slip_in("A♥", Back.GREEN)
        found = table.identities(SPREAD)
        assert found["7♣", Back.RED] == 0
        assert found["K♠", Back.RED] == 2
        assert found["A♥", Back.GREEN] == 1
        assert table.lose("7♣", Back.RED) is None
        table.assert_conserved()

    def test_gather_and_discard(self) -> None:
        table = TableWorld(1)
        cards = table.bring([Back.RED])
        for card, name in zip(cards, ("seat 1", "seat 1", "seat 7", "bank"), strict=False):
            card.move_to(table.felt[name])
        assert table.felt.discard("seat 1") == 2
        assert table.census()["tray"] == 2
        table.felt.gather()
        assert len(table.felt[SPREAD]) == 52


SPOTS = st.sampled_from(list(Spot))


class AnyDay(RuleBasedStateMachine):
    """Thousands of acts in any order, at high fault rates: no card is ever lost, doubled or in two places."""

    @initialize(seed=st.integers(0, 1_000))
    def set_up(self, seed: int) -> None:
        rates = Rates(jams=0.02, doubles=0.02, bends=0.02)
        self.table = TableWorld(seed, rates=rates)
        self.table.bring([Back.RED, Back.BLUE, Back.RED])
        self.machine = self.table.machine
        self.felt = self.table.felt
        self.now_ns = 0
        self.machine.power_on(None)

    @rule(cards=st.integers(1, 60))
    def put(self, cards: int) -> None:
        hands.put_packet(self.machine, list(self.felt[SPREAD])[:cards])

    @rule(seconds=st.floats(0.01, 40))
    def wait(self, seconds: float) -> None:
        run(self.table, self.now_ns, seconds)
        self.now_ns += round(seconds * NS_PER_S)
        self.table.update(self.now_ns)

    @rule(is_open=st.booleans(), limit=st.none() | st.integers(1, 30))
    def gates(self, is_open: bool, limit: int | None) -> None:
        for gate in (self.machine.feed_gate, self.machine.deal_gate):
            if is_open:
                gate.open(limit)
            else:
                gate.close()

    @rule(times=st.integers(1, 10))
    def draw(self, times: int) -> None:
        for _ in range(times):
            hands.draw(self.machine, self.felt[SPREAD])
            self.now_ns = run(self.table, self.now_ns, 1)

    @rule(spot=SPOTS, skill=st.sampled_from(list(hands.Skill)))
    def clear(self, spot: Spot, skill: hands.Skill) -> None:
        hands.open_lid(self.machine, with_key=True)
        hands.take_stuck(self.machine, spot, self.felt[SPREAD], skill)
        hands.close_lid(self.machine)

    @rule()
    def take_all(self) -> None:
        hands.open_lid(self.machine, with_key=True)
        hands.take_all(self.machine, self.felt[SPREAD])
        hands.close_lid(self.machine)

    @rule()
    def take_what_lies_outside(self) -> None:
        hands.take_from_mouth(self.machine, self.felt[SPREAD])
        hands.take_packet(self.machine, self.felt[SPREAD])
        hands.tear_out(self.machine, self.felt[SPREAD])

    @rule(job=st.sampled_from([Count, Empty]))
    def job(self, job: type[Count] | type[Empty]) -> None:
        if not self.machine.is_busy:
            self.machine.begin(job())

    @rule(spot=SPOTS)
    def recover(self, spot: Spot) -> None:
        if not self.machine.is_busy:
            self.machine.begin(Recover((spot,)))

    @rule()
    def power(self) -> None:
        kept = self.machine.book.slot_map()
        self.machine.power_off()
        self.machine.power_on(kept)

    @rule(trouble=st.sampled_from(list(Trouble)), is_broken=st.booleans())
    def part(self, trouble: Trouble, is_broken: bool) -> None:
        if is_broken and trouble not in (Trouble.SENSOR_STUCK, Trouble.SENSOR_MARGIN, Trouble.OVER_CAPACITY):
            hands.hurt(self.machine, trouble)
        else:
            self.machine.carousel.broken.clear()
            for standing, spot in tuple(self.machine.standing.troubles):
                self.machine.standing.clear(standing, spot)

    @invariant()
    def conserved(self) -> None:
        self.table.assert_conserved()
        assert sum(self.table.census().values()) == 156

    @invariant()
    def meters_only_rise(self) -> None:
        happenings = self.machine.take_happenings()
        for kind in (CardsIn, CardsOut):
            meters = [happening.meter for happening in happenings if isinstance(happening, kind)]
            assert meters == sorted(meters)

    @invariant()
    def nothing_overflows(self) -> None:
        figures = self.machine.figures
        assert all(len(pile) <= figures.compartment_limit for pile in self.machine.carousel.compartments)
        assert len(self.machine.carousel.hopper) <= figures.hopper_cards + 2


TestAnyDay = AnyDay.TestCase
TestAnyDay.settings = settings(max_examples=40, stateful_step_count=60)


@given(st.integers(0, 10_000), st.integers(1, 312))
@settings(max_examples=30)
def test_what_goes_in_comes_out(seed: int, cards: int) -> None:
    felt = Pile("felt")
    brought = [card for number in range(6) for card in new_deck(number, Back.RED, felt)][:cards]
    machine = ShufflerMachine("m", seed, hazards=Hazards(seed, NEVER))
    machine.power_on(None)
    now_ns = 0
    todo = list(brought)
    while todo:
        laid = hands.put_packet(machine, todo)
        todo = todo[laid:]
        machine.feed_gate.open(None)
        now_ns = run(machine, now_ns)
    machine.feed_gate.close()
    machine.deal_gate.open(None)
    machine.begin(Empty())
    run(machine, now_ns)
    assert {id(card) for card in machine.carousel.mouth} == {id(card) for card in brought}
    assert machine.book.content.total == 0
