"""From the files to what decisions depend on: one `House` a table, with nothing in it that is secret."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

from drivers.registry import COLLECTING_SLOTS
from tableside import house
from tableside.config import HostConfig, TableConfig
from tableside.configuration.shape import Device, DeviceRole
from tableside.jurisdiction import Replaced, SecondLoad, load_jurisdiction
from tableside.people import StaffMember

NS_PER_S = 1_000_000_000
# Roles of which the table knows by name; devices of all others are its *others*.
_OF_THEIR_OWN = frozenset(
    {
        DeviceRole.SHUFFLER,
        DeviceRole.SWITCH_BOX,
        DeviceRole.BADGE_READER,
        DeviceRole.DISPLAY,
        DeviceRole.LAMP,
        DeviceRole.CHIP_SLOTS,
        DeviceRole.SHOE,
        DeviceRole.CARD_READER,
    }
)


def house_of(host: HostConfig, table: TableConfig, epoch: int) -> house.House:
    """What one table's state is given at the start of the daemon; `epoch` was made with its journal (TDL 4.2)."""
    settings = table.settings
    shufflers = table.devices_of(DeviceRole.SHUFFLER)
    in_service = next((device for device in shufflers if not device.is_spare), None)
    zone = ZoneInfo(host.time_zone)
    return house.House(
        table=table.name,
        profile=host.profile.value,
        section=_section(host, table),
        decks=tuple(house.DeckGroup(group.back, group.count, group.reserve) for group in table.decks),
        seats=table.seats,
        persons=tuple(_person(member, zone) for member in table.staff),
        shuffler=in_service.name if in_service is not None else "",
        kind=table.kind,
        shoe=_only(table, DeviceRole.SHOE),
        card_readers=tuple(device.name for device in table.devices_of(DeviceRole.CARD_READER)),
        face_up_antennas=tuple(one.name for one in table.devices_of(DeviceRole.ANTENNA) if one.lies_face_up),
        spare_shufflers=tuple(device.name for device in shufflers if device.is_spare),
        switch_box=_only(table, DeviceRole.SWITCH_BOX),
        readers=tuple(device.name for device in table.devices_of(DeviceRole.BADGE_READER)),
        others=tuple(device.name for device in table.devices if device.role not in _OF_THEIR_OWN),
        displays=tuple(_display(device) for device in table.devices_of(DeviceRole.DISPLAY)),
        chip_slots=tuple(_chip_slots(device) for device in table.devices_of(DeviceRole.CHIP_SLOTS)),
        chip_value=settings.jackpot_chip_value or 0,
        chip_currency=settings.jackpot_chip_currency or "",
        jackpot=table.jackpot,
        blackjack=table.blackjack,
        dealer_decides=settings.dealer_decides,
        jackpot_ledger="" if table.ledger is None else table.ledger.name,
        special_cards=_special_cards(table),
        lamps=tuple(device.name for device in table.devices_of(DeviceRole.LAMP)),
        jurisdiction=_jurisdiction(table),
        rounds_are_sensed=settings.round_end == "sensed",
        epoch=epoch,
        min_packets=settings.min_packets,
        max_packet_cards=settings.packet_limit_cards,
        machine_capacity_cards=_capacity(in_service),
        presence_s=settings.presence_s,
        presence_approved_by=settings.presence_approved_by or "",
        presence_lapsed_class_2_s=table.alerts.presence_lapsed_class_2_s,
        presence_lapsed_class_1_s=table.alerts.presence_lapsed_class_1_s,
        lid_open_alert_s=settings.lid_open_alert_s,
        jam_advice_count=settings.jam_advice_count,
        jam_advice_minutes=settings.jam_advice_window_min,
        device_silent_s=table.alerts.device_silent_s,
        held_over_alert_rounds=table.alerts.held_over_rounds,
        class_1_neighbour_s=table.alerts.class_1_neighbour_s,
        class_1_management_s=table.alerts.class_1_management_s,
        class_2_neighbour_s=table.alerts.class_2_neighbour_s,
        maintenance=tuple(
            house.Maintenance(one.what, one.model or "", one.after_cards or 0, one.after_hours or 0)
            for one in table.maintenance
        ),
        languages=table.languages,
        time_zone=host.time_zone,
    )


def _only(table: TableConfig, role: DeviceRole) -> str:
    """The name of the one device of a role; empty where the table has none."""
    return next((device.name for device in table.devices_of(role)), "")


def _capacity(shuffler: Device | None) -> int:
    """Cards that the machine holds; no machine holds none."""
    if shuffler is None:
        return 0
    assert shuffler.capacity_cards is not None, "the check demands it of a shuffler"
    return shuffler.capacity_cards


def staff_by_badge(table: TableConfig) -> dict[str, str]:
    """Badge number to staff id: what the rim needs and the table's state must not know (badges.py)."""
    return {member.badge: member.staff_id for member in table.staff if member.badge}


def _section(host: HostConfig, table: TableConfig) -> house.Section:
    """Who answers for a section at the first start; hand-overs live in the journal."""
    sections = {section.name: section for section in host.sections}
    section = sections[table.section]
    beside = [each.name for each in host.tables if each.section == table.section]
    neighbour = sections[section.neighbour].floor_supervisors if section.neighbour else ()
    pit_managers = [person.staff_id for person in host.staff if house.Role.PIT_MANAGER in person.roles]
    return house.Section(
        name=section.name,
        supervisor=next(iter(section.floor_supervisors), ""),
        neighbour=next(iter(neighbour), ""),
        pit_manager=pit_managers[0] if host.has_pit_manager else "",
        room_management=host.room_management[0],
        technician=section.technician or "",
        rank=beside.index(table.name),
    )


def _display(device: Device) -> house.Display:
    assert device.display_characters is not None, "the check demands it of a display"
    return house.Display(name=device.name, driver=device.driver, characters=device.display_characters)


def _chip_slots(device: Device) -> house.ChipSlots:
    assert device.seats is not None, "the check demands it of chip slots"
    return house.ChipSlots(name=device.name, seats=device.seats, collects=device.driver in COLLECTING_SLOTS)


def _special_cards(table: TableConfig) -> house.SpecialCards | None:
    named = table.special_cards
    return None if named is None else house.SpecialCards(cut=named.cut, warning=named.warning)


def _jurisdiction(table: TableConfig) -> house.Jurisdiction:
    """The law of the place, with what the house has chosen within it."""
    law, settings = load_jurisdiction(table.jurisdiction), table.settings
    chosen = settings.full_count_after_jam
    return house.Jurisdiction(
        name=table.jurisdiction,
        damaged=Replaced(law.damaged_in_shuffler.value).value,
        deck_rules_adopted=law.deck_rules.value == "adopted",
        damaged_in_shoe=Replaced(law.damaged_in_shoe.value).value,
        reinsert=settings.reinsert or law.reinsert.value,
        full_count_after_jam=law.full_count_after_jam.value if chosen is None else chosen,
        bank_draws_soft_17=law.bank_draws_soft_17.value,
        swap_allowed=SecondLoad.SWAP in law.second_load.value,
        incident_reload_allowed=SecondLoad.INCIDENT in law.second_load.value,
    )


def _person(member: StaffMember, zone: ZoneInfo) -> house.Person:
    """A member of staff; days of validity begin and end at the house's midnight."""
    until = member.valid_until and member.valid_until + datetime.timedelta(days=1)
    return house.Person(
        staff=member.staff_id,
        name=member.name,
        roles=member.roles,
        valid_from_ns=_midnight_ns(member.valid_from, zone) if member.valid_from else None,
        valid_until_ns=_midnight_ns(until, zone) if until else None,
        is_revoked=member.is_revoked,
    )


def _midnight_ns(day: datetime.date, zone: ZoneInfo) -> int:
    """The beginning of a local day in UTC ns."""
    return int(datetime.datetime.combine(day, datetime.time(), zone).timestamp()) * NS_PER_S
