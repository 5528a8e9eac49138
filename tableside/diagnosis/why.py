"""Why a device is away: from the port to its identity, step by step, and the first one that fails is the answer. Pure.

The first line names one cause, or two together where no byte tells them apart: a device without power and a cable that
is out look the same from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tableside.diagnosis.buses import HEARS_ITSELF, SETTING, answering
from tableside.diagnosis.evidence import NO_PAGE_OPEN, Evidence
from tableside.diagnosis.speech import ANGEL_EYE
from tableside.diagnosis.strangers import frames_of, is_starting, stranger


class Step(StrEnum):
    """In the order in which they are walked."""

    PORT = "port"
    OUR_BYTES = "our bytes"
    THEIR_BYTES = "their bytes"
    FRAMES = "frames"
    ADDRESS = "address"
    KEY = "key"
    IDENTITY = "identity"


class Cause(StrEnum):
    """What can be wrong."""

    NOTHING = "nothing is wrong"
    NO_POWER_OR_CABLE = "no power or no cable"
    ADAPTER = "adapter dead or unplugged"
    NETWORK = "nobody at its network address"
    RIGHTS = "rights"
    PORT_TAKEN = "port taken"
    STUCK = "the cable takes nothing"
    ECHO = "echo"
    WIRES_CROSSED = "wires crossed"
    STILL_BOOTING = "still booting"
    OTHER_DEVICE = "other device"
    SPEED = "speed or format"
    ADDRESS = "address"
    KEY = "key"
    OTHER_HOST = "other host"
    VERSION = "version"
    NO_PAGE = "no page is open"
    UNKNOWN = "not known"


# Whether a card is stuck in it the link does not say.
SEE_ALERTS = "what stands at the table: tableside alerts"


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` is what people read first; `walked` what each step before it has shown."""

    step: Step | None
    named_cause: Cause
    line: str
    next_step: str
    walked: tuple[tuple[Step, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Failed:
    named_cause: Cause
    text: str
    next_step: str


# What a step shows: that it holds, in words, or what is wrong.
_Shown = str | _Failed


def why(evidence: Evidence) -> Finding:
    """The first step that fails."""
    walked: list[tuple[Step, str]] = []
    if evidence.is_connected and not _is_only_listened_to(evidence):
        return Finding(
            None, Cause.NOTHING, f"{evidence.device}: {Cause.NOTHING} with its link: it is connected", SEE_ALERTS
        )
    for step, look in _WALK:
        shown = look(evidence)
        if isinstance(shown, _Failed):
            line = f"{evidence.device}: {shown.named_cause}: {shown.text}"
            return Finding(step, shown.named_cause, line, shown.next_step, tuple(walked))
        walked.append((step, shown))
    said = evidence.why_away or "nobody has said why"
    line = f"{evidence.device}: {Cause.UNKNOWN}: {said}"
    return Finding(None, Cause.UNKNOWN, line, "look at what goes over its cable: diag trace", tuple(walked))


def _is_only_listened_to(evidence: Evidence) -> bool:
    """Its port is open, and nothing else has shown yet that it is there: its bytes have to."""
    return evidence.profile in ONLY_LISTENED_TO and not frames_of(evidence.profile, evidence.theirs)


def _port(evidence: Evidence) -> _Shown:
    why_away = evidence.why_away
    match evidence.ended_by:
        case kind if kind == NO_PAGE_OPEN:
            step = f"open {evidence.address} in the browser on the wall; whether it runs there at all, its screen shows"
            return _Failed(Cause.NO_PAGE, "the daemon serves it, and no browser has it open", step)
        case "refused" if _is_page(evidence.address):
            step = "end what serves something else there, or name another address in the table's file"
            return _Failed(Cause.PORT_TAKEN, f"the page cannot be served: {why_away}", step)
        case "absent" if _is_on_network(evidence.address):
            step = "see that the terminal server or broker runs, its network, and the address"
            return _Failed(Cause.NETWORK, why_away, step)
        case "absent":
            return _Failed(Cause.ADAPTER, why_away, "plug the adapter in anew; another one if it stays away")
        case "forbidden":
            return _Failed(Cause.RIGHTS, why_away, "let the daemon's account use the port, as it says")
        case "busy":
            return _Failed(Cause.PORT_TAKEN, why_away, "end who holds it, or ask that one")
        case "refused":
            return _Failed(Cause.ADAPTER, why_away, "see that the address names a port, then exchange the adapter")
        case "link_lost" if not evidence.heard:
            return _Failed(
                Cause.ADAPTER, f"the port ended by itself: {why_away}", "exchange the adapter or its USB port"
            )
    return f"{evidence.address} is open"


def _is_page(address: str) -> bool:
    return address.startswith("http:")


def _is_on_network(address: str) -> bool:
    return not address.startswith(("serial:", "usb:"))


def _our_bytes(evidence: Evidence) -> _Shown:
    if evidence.ended_by == "stuck":
        return _Failed(Cause.STUCK, evidence.why_away, "switch flow control off at the device; exchange the adapter")
    if not evidence.sent:
        return "we have said nothing yet: nothing has to be asked of it"
    return f"{len(evidence.sent)} bytes went out"


def _their_bytes(evidence: Evidence) -> _Shown:
    heard = evidence.theirs
    if not heard and evidence.other_speed is not None:
        text = f"it answers at {evidence.other_speed} baud, and not at the speed of its address"
        return _Failed(Cause.SPEED, text, f"write ?baud={evidence.other_speed} into its address")
    if not heard and evidence.other_station is not None:
        return _other_station(evidence)
    if not heard and evidence.profile in ONLY_LISTENED_TO:
        text = "not one byte came, and it is not asked: no power, no cable, or nobody uses it now"
        return _Failed(Cause.UNKNOWN, text, "use it (draw a card) and ask again; else its power, then the cable")
    if not heard:
        text = f"not one byte came in answer to {len(evidence.sent)}"
        if evidence.heard:
            text = f"the adapter echoes our {len(evidence.heard)} bytes, and not one more came"
        step = "see that it is switched on, then the cable at both ends; then speed and address in the configuration"
        return _Failed(Cause.NO_POWER_OR_CABLE, text, step)
    if evidence.profile not in HEARS_ITSELF and _is_echo(evidence.sent, heard):
        text = f"all {len(heard)} bytes that came are our own"
        return _Failed(Cause.ECHO, text, "switch the adapter's echo off; where a loop-back plug is in, take it out")
    return f"{len(heard)} bytes came in"


def _frames(evidence: Evidence) -> _Shown:
    heard = evidence.theirs
    if frames := frames_of(evidence.profile, heard):
        return f"{frames} whole messages among them"
    if set(heard) == {0}:
        text = "nothing but breaks: the line rests at the wrong level, so A and B (or plus and minus) are swapped"
        return _Failed(Cause.WIRES_CROSSED, text, "swap the two wires at one end")
    if is_starting(heard):
        return _Failed(
            Cause.STILL_BOOTING, _quoted(heard), "wait until it has started; if it never ends, call its maker"
        )
    if name := stranger(heard, evidence.profile):
        text = f"{name} is on this cable, and {evidence.profile} is to be spoken there"
        return _Failed(Cause.OTHER_DEVICE, text, "connect the right device, or correct driver and address")
    if evidence.other_speed is not None:
        text = f"it answers at {evidence.other_speed} baud, and not at the speed of its address"
        return _Failed(Cause.SPEED, text, f"write ?baud={evidence.other_speed} into its address")
    if evidence.profile not in _READ_WHOLE:
        text = f"{len(heard)} bytes came and none of them makes a message: {heard[:12].hex(' ')}"
        return _Failed(Cause.SPEED, text, "see speed and format (such as 7E1) in its address, and at the device")
    return "they are reports of a USB device: whole by themselves"


def _address(evidence: Evidence) -> _Shown:
    ours = evidence.station
    if ours is None:
        return "it is the one that we speak to"
    is_there = ours in answering(evidence.profile, evidence.theirs)
    # Whoever answered to no use is asked again only a minute later: his driver's word counts for more than the bytes.
    if evidence.ended_by in _SAYS_NOTHING and not is_there:
        return _other_station(evidence)
    return f"station {ours} answers"


def _other_station(evidence: Evidence) -> _Failed:
    ours = evidence.station
    if evidence.other_station is None:
        text = f"others answer on this bus, and station {ours} does not"
        step = f"see its power; then whether it is set to address {ours}"
    else:
        text = f"station {evidence.other_station} answers, and {ours} is configured"
        setting = SETTING[evidence.profile]
        step = f"write {setting} = {evidence.other_station} unless that is its neighbour, or set the device to {ours}"
    return _Failed(Cause.ADDRESS, text, step)


def _key(evidence: Evidence) -> _Shown:
    if evidence.ended_by in ("wrong_key", "needs_key", "not_securable", "channel_broken"):
        return _Failed(
            Cause.KEY, evidence.why_away, "put the key of this device into the file that osdp_key_file names"
        )
    return "none, or the right one"


def _identity(evidence: Evidence) -> _Shown:
    match evidence.ended_by:
        case "wrong_device":
            return _Failed(Cause.OTHER_DEVICE, evidence.why_away, "connect the right one, or correct the configuration")
        case "wrong_version":
            return _Failed(Cause.VERSION, evidence.why_away, "update the device or this software")
        case "other_host":
            return _Failed(Cause.OTHER_HOST, evidence.why_away, "stop the other host")
    return f"{evidence.model} {evidence.serial}"


# Who speaks when it is used and is never asked.
ONLY_LISTENED_TO = frozenset({ANGEL_EYE})
# How a station is away of which its driver knows no more than that nothing came.
_SAYS_NOTHING = frozenset({"", "silent"})
# Messages of these are whole by themselves: their cable carries reports.
_READ_WHOLE = frozenset({"keyboard", "blink1"})
_WALK: tuple[tuple[Step, Callable[[Evidence], _Shown]], ...] = (
    (Step.PORT, _port),
    (Step.OUR_BYTES, _our_bytes),
    (Step.THEIR_BYTES, _their_bytes),
    (Step.FRAMES, _frames),
    (Step.ADDRESS, _address),
    (Step.KEY, _key),
    (Step.IDENTITY, _identity),
)


def _is_echo(sent: bytes, heard: bytes) -> bool:
    """Everything that came is what we said: the last of it may still be on its way, the first may have been missed."""
    return len(heard) >= 4 and heard in sent


def _quoted(heard: bytes) -> str:
    """What a starting device prints, its last line."""
    lines = [line for line in heard.decode("ascii", "replace").split("\n") if line.strip()]
    return f"it prints “{lines[-1].strip()[:60]}” and no message yet"
