"""A badge reader that speaks OSDP: one station of a bus. What it tells becomes facts; prompts are goals.

Whose badge it is, is not the driver's work: it says which badge was seen, and how.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NoReturn

import structlog

from drivers.badges.badge_id import BadgeUnreadable, badge_id
from drivers.badges.keypad import Keypad
from drivers.badges.resting import Change, RestingBadges
from drivers.device import Report
from drivers.events import BadgeSeen, CodeKeyed, ReaderLost, ReaderReady, ReaderTroubled, SightingKind
from firmware_bridge.session.osdp import (
    CardShown,
    CommandRefused,
    KeysKeyed,
    OsdpBus,
    StationLost,
    StationNotice,
    StationProfile,
    StationReady,
    StatusTold,
)
from firmware_bridge.wire.osdp.codes import Capability, LedColour, PermanentLed, TemporaryLed, TextMode, Tone
from firmware_bridge.wire.osdp.commands import LedPattern, LedRecord, SetLed, ShowText, SoundBuzzer
from firmware_bridge.wire.osdp.replies import FormattedCard, RawCard
from firmware_bridge.wire.osdp.secure import BaseKey

# The prompt's light and text end by themselves when nobody renews them: a reader must not ask when we are dead.
PROMPT_LASTS_S = 60
PROMPT_RENEWED_S = 20.0
# What the light asks of a person, where there is a display. A reader shows ASCII only, so the table's languages cannot
# all be had; the words are those on the reader's own housing as a rule.
PROMPT_TEXT = "TAP BADGE"
# A text is taken back by blanks over it: when they end, the reader shows its own text again, which we do not know.
TEXT_BLANKED_S = 1
# A beep that comes later than this belongs to nothing any more.
BEEP_WITHIN_S = 2.0
_BEEP_TENTHS = 1
_TENTHS_PER_S = 10
_BEEPS_MAX = 255
# While a badge rests, and its two seconds are over, but too few polls were clean: look again after so long.
_LOOK_AGAIN_S = 0.2
_BITS_PER_CHARACTER = 8

_SIGHTINGS = {
    Change.ARRIVED: SightingKind.TAP,
    Change.HELD: SightingKind.HELD_FROM,
    Change.TAKEN_AWAY: SightingKind.HELD_TO,
}

_log = structlog.get_logger("badge_reader")


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """One reader of the configuration.

    `serial` is the number of PDID as eight hex digits, or empty (any). `key` None is the plain channel.
    `is_reversed`: this model sends a card's last byte first. `is_simulated`: OSDP cannot say so itself.
    """

    name: str
    address: int
    serial: str = ""
    key: BaseKey | None = None
    is_install_mode: bool = False
    is_reversed: bool = False
    is_simulated: bool = False

    def profile(self) -> StationProfile:
        """Its station. Raises ValueError where address or serial cannot be."""
        serial = int(self.serial, 16) if self.serial else None
        return StationProfile(self.address, self.key, self.is_install_mode, serial)


class OsdpBadgeReader:
    """One reader. A `BadgeReader` of `drivers.device`; its bus runs beside it."""

    def __init__(self, settings: ReaderSettings, bus: OsdpBus, report: Report) -> None:
        self.name = settings.name
        self.unreadable = 0  # cards whose number could not be one
        self.keypad = Keypad()
        self._settings = settings
        self._bus = bus
        self._report = report
        self._resting = RestingBadges()
        self._ready: ReaderReady | None = None  # as last reported; None while it is lost
        self._troubles: frozenset[str] = frozenset()  # as last told by the reader
        self._is_amber = False
        self._has_led = True
        self._has_beeper = True
        self._has_display = False
        self._renew_at_s = 0.0
        self._woken = asyncio.Event()
        self.why_away = ""  # as its bus said it last, for the technician; empty while it is connected, and before
        self.ended_by = ""  # its kind in a word, as `Loss` has it
        bus.add(settings.profile(), self._hear)

    @property
    def is_connected(self) -> bool:
        """It answers, and is who it should be."""
        return self._ready is not None

    async def run(self) -> NoReturn:
        """Watch resting badges and keep the prompt alight, until cancelled. The bus is run by its owner."""
        # Run anew after a fault of ours, it may be connected: its bus, which runs by itself, says nothing twice.
        await self._report(self._ready or ReaderLost(device=self.name, why="not connected since the start"))
        while True:
            await self._sleep()
            for badge, change in self._resting.gone(self._clean_polls(), self._now_s()):
                await self._report(BadgeSeen(device=self.name, badge=badge, kind=_SIGHTINGS[change]))
            if self._is_amber and self._now_s() >= self._renew_at_s:
                self._show()

    def prompt(self, *, is_amber: bool, beeps: int) -> None:
        """LED amber and, on a display, what is asked for (a tap), or both back to normal; so many beeps now."""
        is_changed, self._is_amber = is_amber is not self._is_amber, is_amber
        if self._ready is None:
            return  # shown when it is back, if it is still wanted; a late beep is none
        if is_changed:
            self._show()
        if beeps > 0 and self._has_beeper:
            sound = SoundBuzzer(0, Tone.DEFAULT, _BEEP_TENTHS, _BEEP_TENTHS, min(beeps, _BEEPS_MAX))
            self._bus.wish(self._settings.address, sound, within_s=BEEP_WITHIN_S)
        if is_amber:
            self._bus.expect_tap(self._settings.address)

    # --- what the station says ----------------------------------------------------------------------------

    async def _hear(self, notice: StationNotice) -> None:
        match notice:
            case StationReady():
                await self._is_ready(notice)
            case StationLost():
                await self._is_lost(notice)
            case CardShown():
                await self._card(notice)
            case KeysKeyed():
                for code in self.keypad.pressed(notice.keys, self._now_s()):
                    await self._report(CodeKeyed(device=self.name, code=code))
            case StatusTold():
                await self._status(notice)
            case CommandRefused():
                self._does_without(notice)

    async def _is_ready(self, notice: StationReady) -> None:
        identity, offered = notice.identity, notice.capabilities
        self._has_led = not offered.records or offered.level(Capability.LED) > 0
        self._has_beeper = not offered.records or offered.level(Capability.BUZZER) > 0
        self._has_display = offered.level(Capability.TEXT) > 0
        ready = ReaderReady(
            device=self.name,
            vendor=identity.vendor.hex().upper(),
            model=f"{identity.model}.{identity.version}",
            serial=f"{identity.serial:08X}",
            firmware=".".join(map(str, identity.firmware)),
            is_secure=notice.is_secure,
            is_simulated=self._settings.is_simulated or self._bus.is_simulated,
        )
        self.why_away = self.ended_by = ""
        if ready != self._ready:
            self._ready = ready
            await self._report(ready)
        if self._is_amber:
            self._show()  # the goal of now; whatever it showed before its set-up is not known

    async def _is_lost(self, notice: StationLost) -> None:
        self._ready = None
        self.why_away, self.ended_by = notice.text, notice.loss.value
        self._resting.forget()  # *held* ends with the reader; the table knows that from the fact
        self.keypad.forget()
        silent_ms = round(notice.silent_s * 1_000)
        await self._report(ReaderLost(device=self.name, why=notice.text, silent_ms=silent_ms))

    async def _card(self, notice: CardShown) -> None:
        try:
            badge = _badge(notice.card, is_reversed=self._settings.is_reversed)
        except BadgeUnreadable as unreadable:
            self.unreadable += 1
            _log.warning("badge_unreadable", device=self.name, why=str(unreadable))
            return
        for seen, change in self._resting.seen(badge, self._clean_polls(), self._now_s()):
            await self._report(BadgeSeen(device=self.name, badge=seen, kind=_SIGHTINGS[change]))
        self._woken.set()

    async def _status(self, notice: StatusTold) -> None:
        """What has begun since it last told; what stands over a loss is told once."""
        troubles = {"cover opened": notice.is_tampered, "supply failing": notice.is_power_failing}
        standing = frozenset(what for what, is_so in troubles.items() if is_so)
        begun, self._troubles = standing - self._troubles, standing
        for what in sorted(begun):
            await self._report(ReaderTroubled(device=self.name, what=what))

    def _does_without(self, refused: CommandRefused) -> None:
        """The reader has no lamp, beeper or display after all: not asked again before its next set-up."""
        if isinstance(refused.command, SetLed):
            self._has_led = False
        elif isinstance(refused.command, SoundBuzzer):
            self._has_beeper = False
        elif isinstance(refused.command, ShowText):
            self._has_display = False

    # --- inside -------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Amber and what it asks, over whatever the reader shows by itself, or no longer."""
        self._renew_at_s = self._now_s() + PROMPT_RENEWED_S
        self._woken.set()
        if self._ready is None:
            return
        if self._has_led:
            self._bus.wish(self._settings.address, _AMBER if self._is_amber else _NORMAL)
        if self._has_display:
            self._bus.wish(self._settings.address, _ASKING if self._is_amber else _BLANK)

    async def _sleep(self) -> None:
        """Until a badge may have gone, the prompt wants renewing, or something was changed."""
        times = [at for at in (self._resting.look_at_s(), self._renew_at_s if self._is_amber else None) if at]
        loop = asyncio.get_running_loop()
        earliest_s = loop.time() + _LOOK_AGAIN_S
        timer = loop.call_at(max(min(times), earliest_s), self._woken.set) if times else None
        try:
            await self._woken.wait()
        finally:
            if timer is not None:
                timer.cancel()
            self._woken.clear()

    def _clean_polls(self) -> int:
        return self._bus.station_counts(self._settings.address).clean_polls

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()


def _badge(card: RawCard | FormattedCard, *, is_reversed: bool) -> str:
    if isinstance(card, RawCard):
        return badge_id(card.bits, card.data, is_reversed=is_reversed)
    characters = card.characters[::-1] if card.is_backward else card.characters
    return badge_id(len(characters) * _BITS_PER_CHARACTER, characters)


def _led(code: TemporaryLed, colour: LedColour, tenths: int) -> SetLed:
    pattern = LedPattern(on_tenths=1, on_colour=colour, off_colour=colour)
    return SetLed((LedRecord(0, 0, code, pattern, tenths, PermanentLed.KEEP, LedPattern()),))


def _text(text: str, for_s: int) -> ShowText:
    return ShowText(reader=0, mode=TextMode.TEMPORARY, time_s=for_s, row=1, column=1, text=text)


_AMBER = _led(TemporaryLed.SET, LedColour.AMBER, PROMPT_LASTS_S * _TENTHS_PER_S)
_NORMAL = _led(TemporaryLed.CANCEL, LedColour.BLACK, 0)
_ASKING = _text(PROMPT_TEXT, PROMPT_LASTS_S)
_BLANK = _text(" " * len(PROMPT_TEXT), TEXT_BLANKED_S)
