"""The shape of the two TOML files, as structs: one file a host, one a table.

Bounds that a single value must keep stand here, as annotations; what several values must keep together
(two devices on one port, a supervisor that nobody knows) stands in `host_rules` and `table_rules`.
"""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from drivers.displays.showing import LONGEST_WORD
from drivers.lamps.modbus_lamp import LampCoils
from drivers.shufflers.wiring import Wiring
from tableside.games.blackjack_settings import BlackjackSettings
from tableside.house import TableKind
from tableside.jackpot.settings import JackpotSettings
from tableside.people import StaffId, StaffMember

# A table's name becomes a file name, a topic and a word in a text that must stay short.
Name = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,15}\Z", description="1 to 16 letters, digits, _ -")]
PathText = Annotated[str, Meta(min_length=1)]
Text40 = Annotated[str, Meta(min_length=1, max_length=40)]
Colour = Annotated[str, Meta(pattern=r"\A[a-z]{2,12}\Z", description="a colour, 2 to 12 small letters")]
Seconds = Annotated[int, Meta(ge=1, le=86_400)]

Language = Literal["en", "pt_PT", "zh_Hant_MO"]

# One kind of USB device, or one of the kind by its serial number.
UsbName = Annotated[
    str, Meta(pattern=r"\A[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(/.+)?\Z", description="VID:PID or VID:PID/SERIAL")
]

# One daemon carries 1 to 32 tables: one hub each, one writer thread for all.
MAX_TABLES = 32


class Profile(StrEnum):
    """What a host is for: production refuses whatever is simulated, training is marked on every screen."""

    PRODUCTION = "production"
    TRAINING = "training"
    LAB = "lab"


class DeviceRole(StrEnum):
    """What a device is to its table."""

    SHUFFLER = "shuffler"
    SWITCH_BOX = "switch_box"
    BADGE_READER = "badge_reader"
    DISPLAY = "display"
    SHOE = "shoe"
    CARD_READER = "card_reader"
    LAMP = "lamp"
    CHIP_SLOTS = "chip_slots"
    FIRMWARE_PORT = "firmware_port"
    ANTENNA = "antenna"


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Some tables that one floor supervisor at a time answers for; the first named has it at the first start."""

    name: Name
    floor_supervisors: tuple[StaffId, ...] = ()  # none: room management has it
    neighbour: Name | None = None  # whose supervisor is next in line for an alert that nobody takes
    technician: StaffId | None = None  # who carries the technicians' pager; None: the supervisor calls one


class HostPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[host]` of a host's file. Paths count from the folder of the file that names them."""

    name: Name
    profile: Profile
    tables: Annotated[tuple[PathText, ...], Meta(min_length=1, max_length=MAX_TABLES)]
    journal_directory: PathText
    reserve_directory: PathText | None = None  # None: beside the journal; a second disk is better
    control_socket: PathText
    control_group: Text40 | None = None  # whose members may connect beside the daemon's own account; None: nobody
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    time_zone: Text40  # of the tz database; people see local time, the journal holds UTC
    gaming_day_starts: datetime.time = datetime.time(6)
    has_pit_manager: bool = False
    # USB devices that may be plugged in beside the tables' own; not given: nobody watches what is plugged in
    usb_allowed: tuple[UsbName, ...] | None = None
    room_management: Annotated[tuple[StaffId, ...], Meta(min_length=1)]


class Page(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[page]` of a host: the supervisor's page, on the loopback. Where the port is taken, the next free one."""

    port: Annotated[int, Meta(ge=1_024, le=65_000)] = 8_377
    sign_in_s: Annotated[int, Meta(ge=10, le=300)] = 60  # how long one tap says whose acts a screen sends
    second_language: Language | None = None  # each alert in this one too, unless a screen asks for another


class Metrics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[metrics]` of a host: numbers for Prometheus at this port of the loopback, which must be free."""

    port: Annotated[int, Meta(ge=1_024, le=65_000)] = 9_464


class Broker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[broker]` of a host: where its tables tell other systems, and hear them (docs/protocols/northbound.md)."""

    address: PathText  # mqtts://HOST:8883/PREFIX, or mqtt:// where nothing is at stake
    certificates: PathText | None = None  # folder with ca.crt, and TABLE.crt and TABLE.key for each table; mqtts only


class Consumer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[consumers]]`: a system that gets an output of every table, each message until it acknowledges it."""

    name: Name
    output: Literal["events", "bookmarks", "pages"]
    url: PathText | None = None  # by HTTP POST instead of the broker; any 2xx acknowledges


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[clients]]`: a system that may hold, stop and acknowledge; and take alerts for the staff it speaks for."""

    name: Name
    speaks_for: tuple[StaffId, ...] = ()


class HostFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file of a host."""

    host: HostPart
    sections: Annotated[tuple[Section, ...], Meta(min_length=1)]
    staff: tuple[StaffMember, ...] = ()  # known at every table of the host
    page: Page | None = None
    metrics: Metrics | None = None
    broker: Broker | None = None
    consumers: tuple[Consumer, ...] = ()
    clients: tuple[Client, ...] = ()


class DeckGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Decks of one back colour. Equal backs cannot be told apart by deck, so the colour is the unit."""

    back: Colour
    count: Annotated[int, Meta(ge=1, le=8)]
    reserve: Annotated[int, Meta(ge=0, le=6)] = 1  # decks kept to replace damaged cards (CSM-1)


class Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One device of a table. The address is a hint where to look; serial number and model say who it is."""

    name: Name
    role: DeviceRole
    driver: Text40
    address: PathText
    serial_number: Annotated[str, Meta(min_length=1, max_length=16)]
    model: Annotated[str, Meta(min_length=1, max_length=16)]
    is_spare: bool = False  # a shuffler that a machine swap may bring in
    is_simulated: bool = False  # for protocols in which a device cannot say so itself
    capacity_cards: Annotated[int, Meta(ge=52, le=1_000)] | None = None  # shufflers only
    # displays only: how many characters stand on it at once; the words that guests read must fit
    display_characters: Annotated[int, Meta(ge=LONGEST_WORD, le=80)] | None = None
    caption: Text40 | None = None  # signs: shown before the amount, on a page of its own
    sign_address: Annotated[str, Meta(pattern=r"\A[0-9A-F]{2}\Z", description="two hex digits")] | None = None
    # chip slots only: the seats that have one
    seats: Annotated[tuple[Annotated[int, Meta(ge=1, le=7)], ...], Meta(min_length=1, max_length=7)] | None = None
    # coin acceptors only: where on the bus, and which coin position is the chip
    cctalk_address: Annotated[int, Meta(ge=2, le=255)] | None = None
    chip_position: Annotated[int, Meta(ge=1, le=16)] | None = None
    osdp_address: Annotated[int, Meta(ge=0, le=126)] | None = None  # badge readers only
    is_reversed: bool = False  # badge readers only: this model sends a card's last byte first (BR-032)
    keyboard: Literal["us", "de", "pt"] | None = None  # readers that type only: which map their keys have (BR-030)
    badge_characters: Annotated[int, Meta(ge=1, le=32)] | None = None  # readers that type only: of each badge
    of: Name | None = None  # firmware ports only: the device whose firmware is proved there
    firmware_list: PathText | None = None  # firmware ports only: what that device may run
    place: Text40 | None = None  # antennas only: what the table calls the spot above it
    lies_face_up: bool = False  # antennas only: what lies above it lies open; no antenna can tell that by itself
    bcc_span: Literal["with-stx", "without-stx"] | None = None  # shoes only: what the check of a block covers
    osdp_key_file: PathText | None = None  # None: the plain channel, which production refuses
    wiring: Wiring | None = None  # a shuffler at an I/O board only: which terminal goes where
    coils: LampCoils | None = None  # a lamp at an I/O board only: the coil of each colour


class SpecialCards(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[special_cards]` of a table where cards are dealt by hand: each of one colour on both sides (SHOE-1)."""

    cut: Colour
    warning: Colour


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[settings]` of a table: what the house chooses within the rules."""

    presence_s: Annotated[int, Meta(ge=10, le=180)] = 60  # how long one tap proves presence (CSM-5, CSM-6)
    presence_approved_by: Text40 | None = None  # the interval is the inspection service's to approve
    presence_approved_on: datetime.date | None = None
    min_packets: Annotated[int, Meta(ge=2, le=12)] = 2  # CSM-5: at least two
    packet_limit_cards: Annotated[int, Meta(ge=26, le=312)] = 104
    reinsert: Literal["before", "after"] | None = None  # against the next deal; None: as the jurisdiction says
    full_count_after_jam: bool | None = None  # None: as the jurisdiction says
    jam_advice_count: Annotated[int, Meta(ge=2, le=10)] = 3  # so many at one place: advise a swap
    jam_advice_window_min: Annotated[int, Meta(ge=5, le=480)] = 60
    lid_open_alert_s: Annotated[int, Meta(ge=10, le=600)] = 120
    round_end: Literal["told", "sensed"] = "told"  # by the dealer's DONE, or found by sensors where she has none
    dealer_decides: bool = True  # what an advice leaves to the dealer; False: the floor supervisor decides it all
    # JP-10, JP-2: what one jackpot chip is worth, in the smallest unit of its currency, and who approved that
    jackpot_chip_value: Annotated[int, Meta(ge=1, le=100_000_000)] | None = None
    jackpot_chip_currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z", description="three capitals")] | None = None
    jackpot_approved_by: Text40 | None = None
    jackpot_approved_on: datetime.date | None = None


class AlertTimes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[alerts]` of a table: after how long an alert goes to the next person."""

    class_1_neighbour_s: Seconds = 30  # not taken: neighbour, and pit manager where there is one
    class_1_management_s: Seconds = 120
    class_2_neighbour_s: Seconds = 300
    presence_lapsed_class_2_s: Seconds = 60
    presence_lapsed_class_1_s: Seconds = 600
    device_silent_s: Annotated[int, Meta(ge=8, le=600)] = 8  # link losses below 8 s are lines, not alerts
    held_over_rounds: Annotated[int, Meta(ge=1, le=20)] = 3


class Jackpot(JackpotSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[jackpot]` of a table: what it is set to; and for linked tables where its ledger is, under which name there."""

    ledger: PathText | None = None  # postgresql://USER@HOST/DATABASE or sqlite:PATH; None: the table's own
    ledger_name: Name | None = None
    ledger_password_file: PathText | None = None  # only the daemon's account may read it


class TablePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[table]` of a table's file."""

    name: Name
    section: Name
    jurisdiction: Annotated[str, Meta(pattern=r"\A[a-z]{2}\Z", description="two small letters")] = "pt"
    languages: Annotated[tuple[Language, ...], Meta(min_length=1, max_length=3)]
    tag_register: PathText | None = None  # what each tag is (docs/protocols/pn532.md §4); antennas need it
    kind: TableKind = TableKind.SHUFFLER
    # BJ-1: 6 or 7 with a shuffler (table_rules); baccarat is played at tables of up to 14
    seats: Annotated[int, Meta(ge=1, le=14)]


class Maintenance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[maintenance]]` of a table: after how many cards or hours something is due. What is done is recorded."""

    what: Text40  # a part as technicians record it, "cleaning", or "cards": the set in play
    model: Annotated[str, Meta(min_length=1, max_length=16)] | None = None  # None: every machine of the table
    after_cards: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    after_hours: Annotated[int, Meta(ge=1, le=100_000)] | None = None


class TableFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file of a table."""

    table: TablePart
    decks: Annotated[tuple[DeckGroup, ...], Meta(min_length=1)]
    devices: Annotated[tuple[Device, ...], Meta(min_length=1)]
    staff: tuple[StaffMember, ...] = ()  # known at this table beside the host's
    jackpot: Jackpot | None = None  # JP-1: optional
    blackjack: BlackjackSettings | None = None  # hands are followed there; None: cards are counted only
    special_cards: SpecialCards | None = None  # SHOE-1: where cards may be dealt by hand
    settings: Settings = Settings()
    alerts: AlertTimes = AlertTimes()
    maintenance: tuple[Maintenance, ...] = ()
