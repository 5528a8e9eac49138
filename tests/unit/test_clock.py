"""Two clocks, and only one of them may step (BR-052)."""

import asyncio

from firmware_bridge.clock import NS_PER_S, LoopClock, SuspendAwareLoop, SystemClock


def test_a_wall_step_leaves_the_monotonic_clock_alone() -> None:
    loop = asyncio.new_event_loop()
    try:
        clock = LoopClock(loop, wall_start_ns=1_000 * NS_PER_S)
        before = clock.now()
        clock.step_wall(-12 * 3600)
        after = clock.now()
        assert after.wall_ns - before.wall_ns < -12 * 3600 * NS_PER_S + NS_PER_S
        assert 0 <= after.at_ns - before.at_ns < NS_PER_S
    finally:
        loop.close()


def test_the_system_clock_and_the_suspend_aware_loop_agree() -> None:
    loop = SuspendAwareLoop()
    try:
        assert abs(SystemClock().monotonic_ns() / NS_PER_S - loop.time()) < 1
    finally:
        loop.close()


def test_the_boot_of_the_clock_is_named() -> None:
    assert SystemClock().boot == SystemClock().boot != ""
