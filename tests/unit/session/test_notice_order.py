"""Which notice goes up: exactly once, in order, acknowledged only once durable (TDL 8)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.session.tdl.notices import Arrival, NoticeOrder

BOOT = 3


def flowing(*, held: int, oldest: int = 1, newest: int = 100) -> NoticeOrder:
    order = NoticeOrder()
    order.begin(BOOT, oldest=oldest, newest=newest)
    assert order.resume(BOOT, held)
    return order


def test_nothing_goes_up_before_the_journal_has_said_what_it_holds() -> None:
    order = NoticeOrder()
    order.begin(BOOT, oldest=1, newest=1)
    assert order.take(1) is Arrival.EARLY
    assert not order.acknowledge(BOOT, 1)


def test_copies_are_acknowledged_again_only_once_durable() -> None:
    order = flowing(held=0)
    assert [order.take(1), order.take(1)] == [Arrival.NEW, Arrival.AWAITING]
    assert order.acknowledge(BOOT, 1)
    assert order.take(1) is Arrival.DURABLE
    assert order.durable == 1


def test_a_gap_is_not_taken() -> None:
    order = flowing(held=4)
    assert [order.take(6), order.take(5), order.take(6)] == [Arrival.AHEAD, Arrival.NEW, Arrival.NEW]


def test_what_the_device_no_longer_keeps_is_not_waited_for() -> None:
    """A journal restored from a backup holds less than the device was acknowledged: the table judges that."""
    order = flowing(held=10, oldest=42, newest=50)
    assert order.durable == 10
    assert order.take(42) is Arrival.NEW


def test_nothing_is_acknowledged_that_was_not_delivered() -> None:
    order = flowing(held=99, oldest=6, newest=5)  # nothing kept; the journal claims more than there ever was
    assert order.durable == 5
    assert order.take(6) is Arrival.NEW
    assert order.acknowledge(BOOT, 77)
    assert order.durable == 6


def test_another_boot_changes_nothing() -> None:
    order = flowing(held=0)
    order.take(1)
    assert not order.acknowledge(BOOT - 1, 1)
    assert not order.resume(BOOT + 1, 0)
    assert order.durable == 0


@given(st.lists(st.one_of(st.integers(1, 12), st.just("commit")), max_size=60))
def test_any_order_of_copies_gives_each_notice_once_and_in_order(steps: list[int | str]) -> None:
    order, delivered, durable = flowing(held=0), [], 0
    for step in steps:
        if step == "commit":
            durable = len(delivered)
            order.acknowledge(BOOT, durable)
        elif order.take(step) is Arrival.NEW:
            delivered.append(step)
        assert order.durable == durable
    assert delivered == list(range(1, len(delivered) + 1))
