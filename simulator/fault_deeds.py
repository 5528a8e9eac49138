"""The fault catalogue as deeds of the world: `provoke` and `mend-fault`, each by the fault's name."""

from __future__ import annotations

from .deeds import Impossible, Proof, WorldDeed
from .faces.tdl_device import TdlDevice
from .faults import CATALOGUE, CannotProvoke, Fault, Scene
from .room import Room


class Provoke(WorldDeed, frozen=True, kw_only=True):
    """A fault of the catalogue, by its name: it fires when the machine meets its cause."""

    fault: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        fault, scene = _fault(self.fault), _scene(room)
        try:
            return room.stage.act(lambda: fault.provoke(scene))
        except CannotProvoke as refused:
            raise Impossible(str(refused)) from None


class MendFault(WorldDeed, frozen=True, kw_only=True):
    """The cause of a fault goes, where it would stay."""

    fault: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        fault, scene = _fault(self.fault), _scene(room)
        mend = fault.mend
        if mend is None:
            raise Impossible(f"{self.fault} leaves nothing to mend")
        room.stage.act(lambda: mend(scene))
        return lambda: True


def _fault(name: str) -> Fault:
    try:
        return CATALOGUE[name]
    except KeyError:
        raise Impossible(f"there is no fault {name!r}; here are: {'; '.join(CATALOGUE)}") from None


def _scene(room: Room) -> Scene:
    """The table, the shuffler in play, and every cable that is a bad line."""
    serials = {device.plan.serial_number: device for device in room.devices.values()}
    face = serials[room.table.in_play].face
    assert isinstance(face, TdlDevice), "every shuffler here speaks TDL"
    lines = {serial: device.cable.line for serial, device in serials.items() if device.cable.line is not None}
    return Scene(room.table, face, lambda: room.stage.now_ns, lines)
