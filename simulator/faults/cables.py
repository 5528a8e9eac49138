"""Faults of the cable between host and shuffler."""

from __future__ import annotations

from simulator.line import Direction, LineFault

from .scene import CannotProvoke, Fault, Proof, Scene


def _cable(what: LineFault, direction: Direction) -> Fault:
    def provoke(scene: Scene) -> Proof:
        line = scene.lines.get(scene.table.in_play)
        if line is None:
            raise CannotProvoke("the shuffler's cable is not a simulated bad line, or not plugged in; plug it in first")
        before = line.fired[direction, what]
        line.provoke(what, direction)
        return lambda: line.fired[direction, what] > before

    end = "from the shuffler" if direction is Direction.OUT else "to the shuffler"
    return Fault(
        name=f"cable: {what} {end}",
        cause="a bad cable, plug or converter",
        effect=f"the next chunk {end}: {what}",
        provoke=provoke,
    )


FAULTS = (*(_cable(fault, direction) for fault in LineFault for direction in Direction),)
