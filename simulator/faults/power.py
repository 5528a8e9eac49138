"""Faults of power and memory, and people who open what they should not."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.wire.tdl.codes import BootCause
from simulator.faces.notices import EDGES_KEPT
from simulator.world import hands
from simulator.world.happenings import Breach, Trouble

from .scene import Proof, Scene, fault


def _boot(cause: BootCause) -> Callable[[Scene], Proof]:
    def provoke(scene: Scene) -> Proof:
        before = scene.shuffler.boot_number
        scene.shuffler.reset(scene.now_ns(), cause)
        return lambda: scene.shuffler.boot_number > before

    return provoke


def _power_off(scene: Scene) -> Proof:
    scene.shuffler.power_off()
    return lambda: not scene.shuffler.is_on


def _power_on(scene: Scene) -> None:
    if not scene.shuffler.is_on:
        scene.shuffler.boot(scene.now_ns())


def _forget(scene: Scene) -> Proof:
    scene.shuffler.power_off()
    scene.shuffler.memory.wipe()
    scene.shuffler.boot(scene.now_ns())
    return lambda: scene.shuffler.outcomes.epoch == 0


def _break_memory(scene: Scene) -> Proof:
    standing = scene.table.machine.standing
    before = standing.found[Trouble.MEMORY]
    scene.shuffler.memory.is_broken = True
    return lambda: standing.found[Trouble.MEMORY] > before


def _mend_memory(scene: Scene) -> None:
    scene.shuffler.memory.is_broken = False


def _tamper(what: Breach) -> Callable[[Scene], Proof]:
    def provoke(scene: Scene) -> Proof:
        before = scene.shuffler.notices.newest
        hands.tamper(scene.table.machine, what)
        return lambda: scene.shuffler.notices.newest > before

    return provoke


def _flood(scene: Scene) -> Proof:
    """More edges at once than the queue holds."""
    for _ in range(EDGES_KEPT + 1):
        hands.tamper(scene.table.machine, Breach.COVER)
    return lambda: scene.shuffler.notices.lost_since_boot > 0


def _force_lid(scene: Scene) -> Proof:
    is_opened = hands.open_lid(scene.table.machine, with_key=True)
    return lambda: is_opened


def _shut_lid(scene: Scene) -> None:
    hands.close_lid(scene.table.machine)


FAULTS = (
    *(
        fault(f"boot by {cause.name.lower()}", "the controller starts anew", "booted, content unverified", _boot(cause))
        for cause in (BootCause.RESET, BootCause.WATCHDOG, BootCause.BROWN_OUT)
    ),
    fault("power off", "somebody pulls the plug", "silence until mended", _power_off, mend=_power_on),
    fault("memory lost", "the memory's battery is dead", "obeys nobody, fault memory", _forget),
    fault(
        "memory broken",
        "the memory takes no writes",
        "commands refused, fault memory",
        _break_memory,
        mend=_mend_memory,
    ),
    fault("cover opened", "a hand with a tool", "tamper", _tamper(Breach.COVER)),
    fault("service port used", "something is plugged in", "tamper", _tamper(Breach.PORT)),
    fault("lid forced", "the service key", "lid opened without a permit", _force_lid, mend=_shut_lid),
    fault("notices lost", "more edges than the queue holds", "deal and feed close, notices lost", _flood),
)
