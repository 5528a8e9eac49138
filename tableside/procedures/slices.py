"""The states of all procedures, side by side, as one part of the table's state."""

from __future__ import annotations

import msgspec

from tableside.procedures.complaints import ComplaintSlice
from tableside.procedures.counts import CountSlice
from tableside.procedures.damaged import DamagedSlice
from tableside.procedures.differences import DifferenceSlice
from tableside.procedures.empty import EmptySlice
from tableside.procedures.jams import JamSlice
from tableside.procedures.lid import LidSlice
from tableside.procedures.load_slice import LoadSlice
from tableside.procedures.opening import OpeningSlice
from tableside.procedures.people import PeopleSlice
from tableside.procedures.rounds import RoundSlice
from tableside.procedures.session import SessionSlice


class Procedures(msgspec.Struct, frozen=True):
    """One field a procedure, named as its file."""

    session: SessionSlice = SessionSlice()
    opening: OpeningSlice = OpeningSlice()
    empty: EmptySlice = EmptySlice()
    load: LoadSlice = LoadSlice()
    rounds: RoundSlice = RoundSlice()
    counts: CountSlice = CountSlice()
    differences: DifferenceSlice = DifferenceSlice()
    lid: LidSlice = LidSlice()
    jams: JamSlice = JamSlice()
    damaged: DamagedSlice = DamagedSlice()
    complaints: ComplaintSlice = ComplaintSlice()
    people: PeopleSlice = PeopleSlice()
