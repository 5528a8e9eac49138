"""Who comes when an alert rings: supervisors, technician, room management. Each answers as the alert's text asks.

They react late, sometimes forget to press Going, walk, tap the badge, and do with hands and words what is to be done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from .hands_voice import CannotDo
from .people import FORGET_CHANCE, CastMember, Person, Scene
from .speaking import Said
from .watch import Row, StandingAlert
from .world.table import ASIDE, RESERVE, SPREAD, TRAY

REACT_S = (2.0, 8.0)
WALK_S = (8.0, 25.0)
WORK_S = (5.0, 12.0)
HEAR_S = (20.0, 60.0)
REPAIR_S = (45.0, 90.0)
# Whoever stands at the table looks at the reader this often, and taps again while a lid is open.
LOOK_S = 2.0
TAP_AGAIN_S = 25.0
# A supervisor whose mind is elsewhere comes back to the reader after this.
LAPSE_S = (90.0, 180.0)
# The lid is freed by a permit that has to travel; a hand that finds it locked tries again.
LID_TRIES = 20
# What an alert asks for is done within this, or somebody looks again.
CLEARED_WITHIN_S = 300.0
TRIES = 4

Answer = Callable[[Any, StandingAlert], Awaitable[None]]


class OnCall(Person):
    """Somebody with a pager: alerts that ask for this person are answered one after the other, the gravest first."""

    answers: ClassVar[Mapping[str, str]] = {}
    skills: ClassVar[dict[str, str]] = Person.skills | {"be away": "go_away", "attend": "attend"}

    def __init__(self, member: CastMember, scene: Scene) -> None:
        super().__init__(member, scene)
        self._rung: dict[int, StandingAlert] = {}
        self._has_rung = asyncio.Event()
        self._away_until_s = 0.0
        scene.watch.listeners.append(self._hear)

    async def run(self) -> None:
        """Answer the pager until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.line.run(), name=f"line of {self.name}")
            tasks.create_task(self._answer_pager(), name=f"pager of {self.name}")

    async def go_away(self, seconds: float) -> None:
        """From now on far off: the pager is heard, nobody comes before so long."""
        self._away_until_s = asyncio.get_running_loop().time() + seconds / self.scene.pace

    async def attend(self, procedure: str, until: str) -> None:
        """Stand by until a procedure has come to a state; tap when the reader asks for it, in some loads too late."""
        watch, late_s = self.scene.watch, self.lapse_s() if procedure == "load" else 0.0
        mark = watch.last_seq
        while not watch.has("ProcedureMoved", mark, procedure=procedure, target=until):
            seen = await self.scene.look()
            if any(reader["colour"] == "amber" for reader in seen["readers"].values()):
                await self.scene.wait(late_s or self.rng.uniform(0.5, 2))
                late_s = 0.0
                await self.tap()
                await self.scene.wait(LOOK_S)
            if isinstance(self, Supervisor) and watch.find_alert("PACKET-DIFFERS") is not None:
                await self.look_into_hopper()
            await self.scene.wait(LOOK_S)

    def lapse_s(self) -> float:
        """How long the first tap is forgotten: in one load of so many, and then longer than any house allows."""
        chance = self.scene.lapse_chance
        return self.rng.uniform(*LAPSE_S) if chance and self.rng.random() < chance else 0.0

    def _hear(self, row: Row) -> None:
        if row.type in ("AlertRaised", "AlertEscalated") and self.staff_id in row.body["asked"]:
            alert = self.scene.watch.alerts.get(row.body["alert"])
            if alert is not None:
                self._rung[alert.number] = alert
                self._has_rung.set()

    async def _answer_pager(self) -> None:
        while True:
            await self._has_rung.wait()
            alert = min(self._rung.values(), key=lambda each: (each.level, each.number))
            del self._rung[alert.number]
            if not self._rung:
                self._has_rung.clear()
            if self.member.pager and self._is_mine(alert):
                await self._come(alert)

    def _is_mine(self, alert: StandingAlert) -> bool:
        """It stands, and nobody who can do the same as oneself has taken it."""
        others = {
            person.staff_id
            for person in self.scene.cast.values()
            if isinstance(person, type(self)) and person is not self
        }
        return alert.number in self.scene.watch.alerts and alert.taken_by not in others

    async def _come(self, alert: StandingAlert) -> None:
        away_s = self._away_until_s - asyncio.get_running_loop().time()
        if away_s > 0:
            await asyncio.sleep(away_s)
        await self.dawdle(*REACT_S)
        if not self._is_mine(alert):
            return
        if self.rng.random() >= FORGET_CHANCE:
            await self.say("take-alert", alert=alert.number)
        await self.dawdle(*WALK_S)
        if alert.number not in self.scene.watch.alerts:
            return
        await self.tap()
        if alert.text not in self.answers:
            return  # seen; nothing for hands to do, and others may be waiting
        act: Answer = getattr(type(self), self.answers[alert.text])
        try:
            await act(self, alert)
        except CannotDo as why:
            self.scene.tell(f"{self.name} cannot: {why}")
        await self.until(lambda: alert.number not in self.scene.watch.alerts, CLEARED_WITHIN_S)

    # Ways to answer

    async def _confirm(self, alert: StandingAlert) -> None:
        """Seen to it: say so."""
        await self.dawdle(*WORK_S)
        await self.say("clear-alert", alert=alert.number)

    async def insist(self, act: str, **fields: object) -> Said:
        """Ask, do as the refusal says (tap the badge), and ask again. Raises `CannotDo`."""
        for _ in range(TRIES):
            said = await self.say(act, **fields)
            if said["answer"] == "accepted":
                return said
            if "tap" in said.get("next_step", ""):
                await self.tap()
            await self.scene.wait(3)  # what was just done may still be on its way
        mistakes = "; ".join(said.get("mistakes", ()))
        raise CannotDo(f"{act}: {said.get('text')} ({mistakes or said.get('next_step')})")


class Technician(OnCall):
    """Comes when a supervisor calls, with tools."""

    async def mend_part(self) -> None:
        """Come, and mend what is broken."""
        await self.dawdle(*WALK_S)
        await self.dawdle(*REPAIR_S)
        await self.do("mend")

    async def repair(self, stuck: list[str]) -> int:
        """At an open lid, the supervisor standing by: free the card, mend the part. Returns cards taken out."""
        await self.dawdle(*WALK_S)
        taken = 0
        for spot in stuck:
            taken += (await self.do("take-stuck", spot=spot, to=SPREAD, with_tools=True))["count"]
        await self.dawdle(*REPAIR_S)
        await self.do("mend")
        return taken


class Management(OnCall):
    """Room management: reports, decides, is told."""

    answers: ClassVar[Mapping[str, str]] = {
        "DAMAGED-UNREPORTED": "_report",
        "SORT-MISSING": "_decide",
        "SORT-EXTRA": "_decide",
        "SORT-FOREIGN": "_decide",
        "COUNT-LONG": "_have_counted",
    }

    async def _have_counted(self, alert: StandingAlert) -> None:
        """Nothing is touched; the floor supervisor counts, and enters it."""
        await self.scene.first(Supervisor).count_again(alert)

    async def _decide(self, alert: StandingAlert) -> None:
        """Look at what the sort has named, and say what is done about it (CSM-6)."""
        await self.dawdle(*HEAR_S)
        await self.insist("settle-sort", incident=int(alert.place), decision="decks withdrawn, surveillance looks")

    async def _report(self, alert: StandingAlert) -> None:
        """Report the damaged card to the inspection service, then say so (CSM-1)."""
        await self.dawdle(*HEAR_S)
        await self.say("acknowledge-report", incident=int(alert.place), reference=f"report {alert.number}")


class Supervisor(OnCall):
    """A floor supervisor."""

    answers: ClassVar[Mapping[str, str]] = {
        "JAM-EXIT": "_clear_jam",
        "JAM-CAROUSEL": "_clear_jam",
        "JAM-FEED": "_clear_jam",
        "JAM-OTHER": "_clear_jam",
        "EMPTY-LOOK": "_look_inside",
        "COUNT-DUE": "_look_inside",
        "CARD-DAMAGED": "_replace",
        "CARD-SUSPECT": "_look_at_suspect",
        "RULING-ASKED": "_rule",
        "COMPLAINT-HOLD": "_settle",
        "COMPLAINT-LATE": "_settle",
        "CALL-PRESSED": "_confirm",
        "BADGES-REFUSED": "_confirm",
        "DEVICE-FAULT": "_have_mended",
        "FEED-FAULT": "_have_mended",
        "DOUBLE-FEED": "_clear_fault",
        "COUNT-SHORT": "count_again",
    }
    skills: ClassVar[dict[str, str]] = OnCall.skills | {"exchange the machine": "exchange_machine"}

    async def _rule(self, alert: StandingAlert) -> None:
        """Read the advice, look at the table, and decide as it says."""
        await self.dawdle(*HEAR_S)
        await self.insist("decide-advice", number=int(alert.place), decision="as advised")

    async def _clear_jam(self, alert: StandingAlert) -> None:
        """Badge, lid, one question, close (CSM-2); what tools alone can free, the technician frees."""
        stuck = await self._open_lid()
        taken, left = 0, []
        for spot in stuck:
            await self.dawdle(*WORK_S)
            count = (await self.do("take-stuck", spot=spot, to=SPREAD))["count"]
            taken += count
            if not count:
                left.append(spot)
        if left:
            taken += await self._with_technician(left)
        await self._shut_lid(taken)

    async def _with_technician(self, stuck: list[str]) -> int:
        await self.insist("call-technician")
        technician = self.scene.first(Technician)
        working = asyncio.ensure_future(technician.repair(stuck))
        while not working.done():
            await self.tap()  # the technician works only while the supervisor's presence is proved
            await asyncio.wait({working}, timeout=TAP_AGAIN_S / self.scene.pace)
        work = "card freed with tools, guide straightened"
        await self.insist("technician-done", technician=technician.staff_id, work=work)
        return working.result()

    async def _open_lid(self) -> list[str]:
        """Ask for the lid, and lift it once it is free; what is seen to be stuck."""
        await self.insist("open-lid")
        for _ in range(LID_TRIES):
            try:
                stuck: list[str] = (await self.do("lift-lid"))["stuck"]
            except CannotDo:
                await self.scene.wait(1)
                continue
            return stuck
        raise CannotDo("the lid stays locked")

    async def _shut_lid(self, taken: int) -> None:
        """The one question, then push it shut."""
        await self.dawdle(*WORK_S)
        await self.insist("cards-taken-out", cards=taken, now="table")
        await self.do("shut-lid")

    async def _look_inside(self, alert: StandingAlert) -> None:
        """The machine cannot say what it holds: lift the lid, look, shut it, and enter what was seen."""
        await self._open_lid()
        await self.dawdle(*WORK_S)
        seen = await self.do("look-inside")
        await self._shut_lid(0)
        await self.insist("hand-count", place="machine", cards=seen["inside"])

    async def _replace(self, alert: StandingAlert) -> None:
        """The same card from the reserve deck; the damaged one into an envelope (CSM-1)."""
        seen = await self.scene.look()
        for spoiled in seen["spoiled"]:
            await self._exchange(spoiled["card"], spoiled["place"])

    async def _exchange(self, card: str, where: str) -> None:
        self.scene.envelopes += 1
        envelope = f"E-{self.scene.envelopes:03}"
        await self.dawdle(*WORK_S)
        await self.do("move", source=where, to=f"envelope {self.scene.envelopes}", card=card)
        await self.do("move", source=RESERVE, to=where, card=card)
        place = "tray" if where == TRAY else "table"
        await self.insist("replace-card", damaged=card, replacement=card, envelope=envelope, found_in=place)

    async def _look_at_suspect(self, alert: StandingAlert) -> None:
        """Take the card out at the lid and look: bent, it is replaced; sound, it lies with the round's cards.

        A quick dealer has drawn it already where the machine stopped late: it is looked for on the felt then.
        """
        await self._open_lid()
        await self.dawdle(*WORK_S)
        seen = await self.do("take-from-nose", to=SPREAD)
        await self._shut_lid(len(seen["cards"]))
        found = [(card, SPREAD) for card in seen["bent"]] or await self._bent_on_felt()
        for card, where in found:
            await self._exchange(card, where)
        if not found:
            await self.insist("dismiss-suspicion")

    async def _bent_on_felt(self) -> list[tuple[str, str]]:
        """Bent cards of the round, and in which hand each lies."""
        looked = await self.scene.look()
        return [
            (card, hand) for hand in looked["cards"] for card in (await self.do("look-through", source=hand))["bent"]
        ]

    async def _have_mended(self, alert: StandingAlert) -> None:
        """Call the technician, stand by, clear the fault by its name."""
        await self.scene.first(Technician).mend_part()
        await self._clear_fault(alert)

    async def _clear_fault(self, alert: StandingAlert) -> None:
        """Nothing is to be mended, or no more: clear the fault by its name."""
        await self.dawdle(*WORK_S)
        device, _, fault = alert.place.partition(":")
        await self.insist("clear-fault", device=device, fault=int(fault))

    async def count_again(self, alert: StandingAlert) -> None:
        """Look everywhere and have the machine count once more; then enter what lies where (CSM-6)."""
        if alert.place:
            return  # of an unload: the sort names them
        await self.dawdle(*HEAR_S)
        mark = self.scene.watch.last_seq
        await self.insist("count-all")
        await self.until(lambda: self.scene.watch.has("CountEnded", mark), CLEARED_WITHIN_S)
        counted = self._on_table(await self.scene.look())
        counted["machine"] = self.scene.watch.since(mark, "CountEnded")[-1].body["counted"]
        for place, cards in counted.items():
            if alert.number in self.scene.watch.alerts:
                await self.insist("hand-count", place=place, cards=cards)

    @staticmethod
    def _on_table(seen: Mapping[str, Any]) -> dict[str, int]:
        """How many cards lie where, as one sees them; those of a return lie in the hopper until they are counted in."""
        in_hopper = sum(machine["in hopper"] for machine in seen["machines"].values() if machine["in play"])
        in_play = sum(map(len, seen["cards"].values()))
        return {"table": seen["heaps"].get(SPREAD, 0) + in_play + in_hopper, "tray": seen["heaps"].get(TRAY, 0)}

    async def look_into_hopper(self) -> None:
        """A packet was counted short. What its hopper still holds goes in; it is empty: that is entered (CSM-5)."""
        await self.dawdle(*WORK_S)
        machines = (await self.scene.look())["machines"].values()
        if not any(machine["in hopper"] for machine in machines if machine["in play"]):
            await self.insist("hand-count", place="hopper", cards=0)

    async def exchange_machine(self, spare: str) -> None:
        """With room management: count the old machine out, set the spare in, and say that the round goes on."""
        manager = self.scene.first(Management)
        incidents = (await self.scene.watch.told("state"))["incidents"]["open"]
        await manager.tap()
        await self.dawdle(2, 6)
        await self.tap()
        await self.scene.wait(1)
        await self.insist("begin-swap", spare=spare, incident=max(int(number) for number in incidents))
        await self._open_lid()
        await self.dawdle(*REPAIR_S)
        count = (await self.do("empty-by-hand", to=ASIDE))["count"]
        await self._shut_lid(count)
        await self.insist("counted-out", cards=count)
        await self.do("exchange-machine", device=spare)

    async def _settle(self, alert: StandingAlert) -> None:
        """Hear the guest, look at the cards, decide (CSM-12)."""
        await self.dawdle(*HEAR_S)
        await self.insist("settle-complaint", complaint=int(alert.place), decision="the deal stands")
