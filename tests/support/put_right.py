"""All that people and devices do to put a table right, in the order in which one would: the way out of every stop."""

from __future__ import annotations

from drivers import card_events, events
from drivers.events import Outcome, Place
from tableside import devices, inputs, manual_requests, requests
from tableside.card_account import MACHINE
from tableside.commands import Stage
from tableside.procedures import left_behind
from tableside.requests import SortedDecks
from tableside.state import TableState
from tableside.unknown_outcomes import numbers
from tests.support.samples import RED_7
from tests.support.table import Table

ROUNDS = 5  # one thing put right may show the next: a count after a jam, a second count after a first


def table_at(state: TableState, now_ns: int) -> Table:
    """A table of the tests that goes on from a state; its devices' notices go on from the last ones told."""
    table = Table()
    table.state, table.now_ns, table.decided, table.given = state, now_ns, [], []
    table._notices = {name: device.notice for name, device in state.devices.known.items()}
    return table


def put_right(table: Table) -> None:
    """Ends when nothing stands, or when nobody can do more."""
    table.give(inputs.SpaceEnough())
    table.give(inputs.JournalRestored(rows=1))
    _show_again(table)
    _light_again(table)
    _prove_again(table)
    for _ in range(ROUNDS):
        _connect(table)
        _let_the_machine_end(table)
        _look_inside(table)
        _say_what_it_was(table)
        _end_manual_operation(table)
        _let_the_machine_end(table)
        _count_by_hand(table)
        table.wait(20)  # a count that did not run to its end is tried again
        if not table.state.locks.standing:
            return


def _end_manual_operation(table: Table) -> None:
    """Every line that is written on the form is entered; room management says so."""
    manual = table.state.procedures.manual
    if manual.form:
        table.ask(manual_requests.EndManual, by="M1", lines=len(manual.entered))


def _machine(table: Table) -> str:
    return table.state.devices.in_use or table.state.house.shuffler


def _connect(table: Table) -> None:
    house = table.state.house
    for name in filter(None, (house.shuffler, house.switch_box, *house.spare_shufflers)):
        known = table.state.devices.known.get(name)
        is_trusted = known is not None and known.is_connected and known.epoch in (0, table.state.house.epoch)
        if is_trusted and f"deal:wrong device {name}" not in table.state.locks.standing:
            continue
        is_machine = name == _machine(table)
        content = max(0, table.state.account.at(MACHINE)) if is_machine else 0
        known = known or devices.DeviceLevels()
        table.ready(
            name,
            boot=max(1, known.boot),
            highest_number=known.last_command,
            content=None if name == "switches" else content,
            areas=None if name == "switches" else (0, 0, content),
            meter_in=known.meter_in,
            meter_out=known.meter_out,
            newest_notice=known.notice,
            oldest_notice=known.notice + 1,
            serial=known.serial or {"shuffler": "000123", "spare": "000124"}.get(name, "000500"),
        )
    for reader in table.state.house.readers:
        table.reader_ready(reader)
    _hear_again(table)


def _hear_again(table: Table) -> None:
    """The shoe is on its line, and its errors were cancelled there; readers of cards answer."""
    if shoe := table.state.house.shoe:
        table.give(card_events.CardReaderReady(device=shoe, model="SHOE"))
        for code in table.state.procedures.shoe.errors:
            table.give(card_events.ShoeErrorEnded(device=shoe, code=code))
    for reader in table.state.house.card_readers:
        known = table.state.devices.known.get(reader)
        if known is None or not known.is_connected:
            table.ready(reader, content=None, areas=None, is_path_clear=None, is_lid_open=None)


def _show_again(table: Table) -> None:
    """Each display is switched off and on, and shows what it shall."""
    for display in table.state.house.displays:
        table.give(events.DisplayLost(device=display.name, why="switched off and on"))
        table.give(events.DisplayReady(device=display.name, model="ALPHA", firmware="1044"))
        if (goal := table.state.displays.goal) is not None:
            table.give(events.DisplayShowed(device=display.name, version=goal.version, what=goal.what))


def _prove_again(table: Table) -> None:
    """Each machine has firmware of the list again, and proves it."""
    for port in table.state.house.others:
        table.give(events.FirmwarePortReady(device=port, model="CSM-SIM"))
        table.give(
            events.FirmwareTold(
                device=port,
                of="shuffler",
                maker="EXAMPLE",
                model="CSM-SIM",
                version="2.1",
                is_listed=True,
                differences=(),
                key="AA" * 20,
                components=(("main", "B" * 40),),
            )
        )


def _light_again(table: Table) -> None:
    """Each warning lamp is switched off and on, and shows what it shall."""
    for lamp in table.state.house.lamps:
        table.give(events.LampLost(device=lamp, why="switched off and on"))
        table.give(events.LampReady(device=lamp, model="blink(1)"))
        colour, pattern = table.state.lamps[lamp]
        table.give(events.LampShowed(device=lamp, colour=colour, pattern=pattern))


def _let_the_machine_end(table: Table) -> None:
    """It ends what runs, and tells what it holds, as the account has it."""
    for command in tuple(table.state.commands.open.values()):
        if command.stage is not Stage.UNKNOWN:
            table.notice(events.CommandEnded, command.device, command=command.number, outcome=Outcome.DONE, moved=0)
    if not _machine(table):
        return
    known = table.state.devices.known[_machine(table)]
    content = max(0, table.state.account.at(MACHINE))
    levels = {"meter_in": known.meter_in, "meter_out": known.meter_out, "is_lid_open": known.is_lid_open}
    for _ in range(2):
        table.give(
            events.LevelsRead(
                device=_machine(table),
                boot=known.boot,
                content=content,
                areas=(0, 0, content),
                is_path_clear=True,
                **levels,  # type: ignore[arg-type]  # fields are checked by name
            )
        )


def _look_inside(table: Table) -> None:
    """The supervisor opens the lid, frees the path, answers for the cards, shuts it; named faults let go."""
    machine = _machine(table)
    for device in table.state.devices.known:
        table.ask(requests.InspectDevice, device=device, finding="looked at, in order")
    if not machine:
        return
    table.wait(2)
    table.tap("S1")
    table.ask(requests.OpenLid)
    table.notice(events.LidOpened, machine)
    table.ask(requests.OpenLid)
    for place in Place:
        table.notice(events.JamGone, machine, place=place)
    table.ask(requests.CardsTakenOut, cards=0, now="table")
    table.notice(events.LidClosed, machine)
    table.ask(requests.CardsTakenOut, cards=0, now="table")
    for fault, place in _faults(table, machine):
        table.ask(requests.ClearFault, device=machine, fault=fault)
        table.notice(events.DeviceFaultGone, machine, fault=fault, place=place)


def _say_what_it_was(table: Table) -> None:
    table.ask(requests.TechnicianDone, work="looked at", technician="T1")
    table.ask(requests.ResumePlay)
    table.ask(requests.DismissSuspicion)
    table.ask(requests.SettleChips, seats=(), finding="looked into")
    table.ask(requests.ReplaceCard, damaged=RED_7, envelope="E-1", replacement=RED_7, found_in="table")
    table.ask(requests.AcceptJournal, by="T1", second_way=("T1", "M1"), why="looked at")
    for name in table.state.devices.known:
        for number in numbers(table.state, name):
            table.ask(requests.SettleUnknown, device=name, command=number, moved=0)
    for number in tuple(table.state.incidents.open):
        table.ask(requests.SettleIncident, by="M1", incident=int(number), finding="looked at")
        table.ask(requests.SettleSort, by="M1", incident=int(number), decision="sealed")
        table.ask(requests.AcknowledgeReport, by="M1", incident=int(number), reference="R-1")
    for lock in tuple(table.state.locks.standing.values()):
        if lock.reason.startswith("complaint "):
            complaint = int(lock.reason.removeprefix("complaint "))
            table.ask(requests.SettleComplaint, complaint=complaint, decision="counted again")
    if "jackpot bets:no more bets" in table.state.locks.standing:
        table.ask(requests.EndRound, by="D1")
    table.ask(requests.RuleRound, ruling="void")


def _count_by_hand(table: Table) -> None:
    for place in ("table", "tray", "machine", *left_behind.places(table.state)):
        table.ask(requests.HandCount, place=place, cards=max(0, table.state.account.at(place)))


def _faults(table: Table, machine: str) -> set[tuple[int, Place]]:
    """Faults that the machine tells, and those that it told before it was connected anew."""
    told = set(table.state.devices.known[machine].faults)
    named = {lock.reason.split(" ")[1] for lock in table.state.locks.standing.values() if lock.reason[:6] == "fault "}
    return told | {(int(fault), Place.CAROUSEL) for fault in named}


def clear_alerts(table: Table) -> None:
    """Beyond what frees the locks: what each alert that is left asks for, by whom it asks it."""
    for alert in tuple(table.state.alerts.standing.values()):
        table.ask(requests.ClearAlert, by="S1", alert=alert.number)
    if "PACKET-DIFFERS:" in table.state.alerts.standing:
        table.ask(requests.CorrectPacket, by="S1", cards=0)
    for number in tuple(table.state.procedures.complaints.open):
        table.ask(requests.SettleComplaint, complaint=int(number), decision="told the guest")
    for number in tuple(table.state.procedures.advised.open):
        table.wait(3)  # so that the tap is another sighting
        table.tap("S1")
        table.ask(requests.DecideAdvice, by="S1", number=int(number), decision="looked at")
    _empty_the_machine(table)
    if "COUNT-SHORT:unload count" in table.state.alerts.standing:
        table.ask(requests.EnterSort, by="D1", groups=(SortedDecks("red", 3), SortedDecks("blue", 3)))


def _empty_the_machine(table: Table) -> None:
    """Its cards are taken out; it is asked again what it holds, counts where hands were in it, and holds none."""
    named = [alert.place for alert in table.state.alerts.standing.values() if alert.text == "NOT-EMPTY"]
    for machine in named:
        table.ask(requests.ProveEmpty, by="S1")
        known = table.state.devices.known[machine]
        for _ in range(ROUNDS):
            for command in tuple(table.state.commands.open.values()):
                table.notice(events.CommandEnded, machine, command=command.number, outcome=Outcome.DONE, moved=0)
            table.give(
                events.LevelsRead(
                    device=machine,
                    boot=known.boot,
                    content=0,
                    areas=(0, 0, 0),
                    is_path_clear=True,
                    is_lid_open=False,
                    meter_in=known.meter_in,
                    meter_out=known.meter_out,
                )
            )
            _count_by_hand(table)
