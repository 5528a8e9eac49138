"""The table's switch box: lamp, lid contact, discard tray, the dealer's keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .cards import Pile
from .happenings import (
    BoxHappening,
    BoxSpot,
    Breach,
    DealerKey,
    KeyPressed,
    LampChanged,
    LidMoved,
    Tampered,
    TrayRead,
    Trouble,
    TroubleBegan,
    TroubleGone,
)
from .lamp import DARK, Light
from .optics import BLINDING_MARGIN, WEAK_MARGIN
from .waking import earliest

MS = 1_000_000
# A contact counts when it has been closed for so long (TDL 12: 20 to 50 ms).
DEBOUNCE_NS = 30 * MS
# A tray is told when nothing has moved in it for so long (TDL 8.6).
TRAY_STEADY_NS = 200 * MS
# A worn contact opens and closes again within one press (assumed).
BOUNCE_NS = 60 * MS
# A finger stays on a key (assumed).
PRESS_NS = 120 * MS
# A discard tray holds the cards of some rounds (assumed: two decks).
TRAY_CAPACITY = 104


@dataclass(slots=True)
class _Contact:
    """One closing of a key: from, until, and whether it was told."""

    key: DealerKey
    down_ns: int
    up_ns: int

    @property
    def told_ns(self) -> int:
        return self.down_ns + DEBOUNCE_NS

    @property
    def is_firm(self) -> bool:
        return self.up_ns >= self.told_ns


class SwitchBox:
    """`is_lid_open` is the contact at the shuffler's lid; `tray` the pile that its sensor looks at."""

    def __init__(self, name: str, tray: Pile, is_lid_open: Callable[[], bool]) -> None:
        self.name = name
        self.tray = tray
        self.is_powered = False
        self.margin = 1.0
        self.worn_keys: set[DealerKey] = set()
        self.is_lamp_burnt = False
        self.shown_light = DARK
        self._contact = is_lid_open
        self._lid_was_open = False
        self._happenings: list[BoxHappening] = []
        self._troubles: set[Trouble] = set()
        # Since the world began: faults found, presses told.
        self.found: Counter[Trouble] = Counter()
        self.presses: Counter[DealerKey] = Counter()
        self._contacts: list[_Contact] = []
        self._read = 0
        self._lay = 0
        self._moved_ns: int | None = None
        self._now_ns = 0

    # Power and lamp

    def power_on(self) -> None:
        """Boot: lamp off; what lies in the tray and how the lid stands is taken as it is."""
        self.is_powered = True
        self.shown_light = DARK
        self._lid_was_open = self._contact()
        self._read = self._lay = self._seen()
        self._moved_ns = None
        self._contacts.clear()
        self._troubles.clear()
        self._happenings.clear()

    def power_off(self) -> None:
        self.is_powered = False

    def set_lamp(self, light: Light) -> None:
        """Light it otherwise."""
        if light != self.shown_light:
            self.shown_light = light
            self._tell(LampChanged(light))
        if light != DARK and self.is_lamp_burnt:
            self.begin_trouble(Trouble.LAMP)

    @property
    def visible_light(self) -> Light:
        """What eyes at the table see."""
        return self.shown_light if self.is_powered and not self.is_lamp_burnt else DARK

    # Hands

    def press(self, key: DealerKey, *, for_ns: int = PRESS_NS) -> None:
        """Press a key; too short a touch is none. A worn key closes twice."""
        if not self.is_powered:
            return
        self._contacts.append(_Contact(key, self._now_ns, self._now_ns + for_ns))
        if key in self.worn_keys:
            again_ns = self._now_ns + for_ns + BOUNCE_NS
            self._contacts.append(_Contact(key, again_ns, again_ns + for_ns))

    def tampered(self, what: Breach) -> None:
        """Somebody opened the cover or the port."""
        if self.is_powered:
            self._tell(Tampered(what))

    # What its face reads

    @property
    def lid_is_open(self) -> bool:
        return self._contact()

    @property
    def tray_cards(self) -> int:
        return self._read

    @property
    def tray_fill_percent(self) -> int:
        return min(100, 100 * self._read // TRAY_CAPACITY)

    def take_happenings(self) -> list[BoxHappening]:
        """What happened since the last call, in order."""
        happened, self._happenings = self._happenings, []
        return happened

    def begin_trouble(self, trouble: Trouble) -> None:
        """A fault is found; one that stands already stands once."""
        if trouble not in self._troubles:
            self._troubles.add(trouble)
            self.found[trouble] += 1
            self._tell(TroubleBegan(trouble, _spot(trouble)))

    def clear_trouble(self, trouble: Trouble) -> bool:
        """A person says it is mended. Only the memory's fault is cleared by hand here."""
        if trouble is Trouble.MEMORY:
            self._end_trouble(trouble)
        return trouble not in self._troubles

    def update(self, now_ns: int) -> int | None:
        """Look at every contact and sensor; returns when one of them will have been steady for long enough."""
        self._now_ns = now_ns
        if not self.is_powered:
            return None
        self._watch_parts()
        if self._contact() is not self._lid_was_open:
            self._lid_was_open = not self._lid_was_open
            self._tell(LidMoved(self._lid_was_open))
        return earliest(self._watch_keys(now_ns), self._watch_tray(now_ns))

    def _watch_keys(self, now_ns: int) -> int | None:
        for contact in tuple(self._contacts):
            if contact.told_ns <= now_ns or not contact.is_firm:
                self._contacts.remove(contact)
                if contact.is_firm:
                    self.presses[contact.key] += 1
                    self._tell(KeyPressed(contact.key))
        return min((contact.told_ns for contact in self._contacts), default=None)

    def _watch_tray(self, now_ns: int) -> int | None:
        seen = self._seen()
        if seen != self._lay:
            self._lay, self._moved_ns = seen, now_ns
        if self._moved_ns is None:
            return None
        if now_ns < self._moved_ns + TRAY_STEADY_NS:
            return self._moved_ns + TRAY_STEADY_NS
        self._moved_ns = None
        if self._lay != self._read:
            self._read = self._lay
            self._tell(TrayRead(self.tray_cards, self.tray_fill_percent))
        return None

    def _seen(self) -> int:
        """A blinded sensor goes on seeing what it saw last."""
        return len(self.tray) if self.margin >= BLINDING_MARGIN else self._lay

    def _watch_parts(self) -> None:
        if self.margin < WEAK_MARGIN:
            self.begin_trouble(Trouble.SENSOR_MARGIN)
        else:
            self._end_trouble(Trouble.SENSOR_MARGIN)
        if not self.is_lamp_burnt:
            self._end_trouble(Trouble.LAMP)

    def _end_trouble(self, trouble: Trouble) -> None:
        if trouble in self._troubles:
            self._troubles.remove(trouble)
            self._tell(TroubleGone(trouble, _spot(trouble)))

    def _tell(self, happening: BoxHappening) -> None:
        self._happenings.append(happening)


def _spot(trouble: Trouble) -> BoxSpot:
    return BoxSpot.TRAY if trouble is Trouble.SENSOR_MARGIN else BoxSpot.NOWHERE
