"""Faults whose cause is a sensor, a drive, a lamp or a key that wears out."""

from __future__ import annotations

from collections.abc import Callable

from simulator.world import hands
from simulator.world.happenings import DealerKey, Spot, Trouble
from simulator.world.optics import WEAK_MARGIN

from .scene import Fault, Proof, Scene, fault


def _dust(spot: Spot) -> Callable[[Scene], Proof]:
    def provoke(scene: Scene) -> Proof:
        counter = scene.table.machine.carousel.counter(spot)
        before = counter.missed
        hands.dust(scene.table.machine, spot)
        return lambda: counter.missed > before

    return provoke


def _stick(spot: Spot) -> Callable[[Scene], Proof]:
    def provoke(scene: Scene) -> Proof:
        machine = scene.table.machine
        before = machine.standing.found[Trouble.SENSOR_STUCK]
        machine.carousel.counter(spot).is_stuck = True
        return lambda: machine.standing.found[Trouble.SENSOR_STUCK] > before

    return provoke


def _clean(spot: Spot) -> Callable[[Scene], None]:
    def mend(scene: Scene) -> None:
        hands.clean(scene.table.machine, spot)
        scene.table.machine.carousel.counter(spot).is_stuck = False

    return mend


def _part(trouble: Trouble) -> Fault:
    def provoke(scene: Scene) -> Proof:
        machine = scene.table.machine
        before = machine.standing.found[trouble]
        hands.hurt(machine, trouble)
        return lambda: machine.standing.found[trouble] > before

    return Fault(
        name=f"{trouble} fails",
        cause="a part wears out",
        effect=f"fault {trouble}, once the machine notices",
        provoke=provoke,
        mend=lambda scene: hands.mend(scene.table.machine, trouble),
    )


PARTS = (
    Trouble.HOMING,
    Trouble.CAROUSEL_DRIVE,
    Trouble.FEED_DRIVE,
    Trouble.EXIT_DRIVE,
    Trouble.LAMP,
    Trouble.SUPPLY,
    Trouble.TEMPERATURE,
    Trouble.RANDOM_SOURCE,
)


def _blind_tray(scene: Scene) -> Proof:
    box = scene.table.box
    before = box.found[Trouble.SENSOR_MARGIN]
    box.margin = WEAK_MARGIN / 4
    return lambda: box.found[Trouble.SENSOR_MARGIN] > before


def _clean_tray(scene: Scene) -> None:
    scene.table.box.margin = 1.0


def _wear_key(scene: Scene) -> Proof:
    box = scene.table.box
    box.worn_keys = set(DealerKey)
    before = {key: box.presses[key] for key in DealerKey}
    return lambda: any(box.presses[key] >= before[key] + 2 for key in DealerKey)


def _renew_keys(scene: Scene) -> None:
    scene.table.box.worn_keys.clear()


def _burn_lamp(scene: Scene) -> Proof:
    box = scene.table.box
    before = box.found[Trouble.LAMP]
    box.is_lamp_burnt = True
    return lambda: box.found[Trouble.LAMP] > before


def _renew_lamp(scene: Scene) -> None:
    scene.table.box.is_lamp_burnt = False


FAULTS = (
    fault("in-counter dusty", "dust", "cards in are missed", _dust(Spot.FEED), mend=_clean(Spot.FEED)),
    fault("out-counter dusty", "dust", "cards out are missed", _dust(Spot.EXIT), mend=_clean(Spot.EXIT)),
    fault("in-counter stuck", "broken light", "fault sensor stuck", _stick(Spot.FEED), mend=_clean(Spot.FEED)),
    fault("out-counter stuck", "broken light", "fault sensor stuck", _stick(Spot.EXIT), mend=_clean(Spot.EXIT)),
    fault("tray sensor dusty", "dust", "fault sensor margin, tray not told", _blind_tray, mend=_clean_tray),
    fault("keys worn", "contacts bounce", "one press is told twice", _wear_key, mend=_renew_keys),
    fault("switch box lamp burnt", "age", "fault lamp, dark", _burn_lamp, mend=_renew_lamp),
    *(_part(trouble) for trouble in PARTS),
)
