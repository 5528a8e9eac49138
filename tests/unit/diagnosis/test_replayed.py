"""A recording through today's driver, held against the journal of its table."""

from __future__ import annotations

from drivers.events import CardJammed, CardsOut, Place
from tableside.diagnosis.replayed import differences

JAM = CardJammed(device="shuffler", boot=3, number=41, place=Place.EXIT)
OUT = CardsOut(device="shuffler", boot=3, number=42, meter=1207)


def test_what_is_the_same_is_counted_and_what_differs_is_told() -> None:
    otherwise = CardJammed(device="shuffler", boot=3, number=41, place=Place.FEED)
    elsewhere = CardsOut(device="spare", boot=3, number=42, meter=1207)
    told = differences("shuffler", [JAM, OUT], [otherwise, elsewhere, "no notice"])
    assert (told.notices, told.same) == (2, 0)
    different, missing = told.differences
    assert (different.what, different.then["place"], different.now["place"]) == ("different", "feed", "exit")
    assert (missing.what, missing.then, missing.now["meter"]) == ("missing", {}, 1207)


def test_what_the_recording_has_not_is_no_difference() -> None:
    told = differences("shuffler", [JAM], [JAM, OUT])
    assert (told.same, told.differences) == (1, ())
