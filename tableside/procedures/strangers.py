"""What nobody of this house has put there: a USB device that stands on no list, a command that lies at the broker.

Neither is used. People are told, because somebody was at the host, or misuses the broker.
"""

from __future__ import annotations

from enum import StrEnum

from tableside import alerts
from tableside.inputs import CommandTurnedAway, UsbStrangers
from tableside.tables import Procedure, Row, Turn

STRANGE_USB = "USB-STRANGE"
USB_KIND = len("1209:0001")  # what fits into a text; the row has the whole name
LEFT_AT_BROKER = "COMMAND-RETAINED"
RETAINED = "retained"


class StrangerState(StrEnum):
    """Strangers have no states of their own: an alert stands for each."""

    ANY = "any"


def _plugged_in(turn: Turn, what: UsbStrangers) -> None:
    """One that has gone needs nobody any more. One that a person has looked at is told again if it comes again."""
    for alert in tuple(turn.state.alerts.standing.values()):
        if alert.text == STRANGE_USB and alert.place not in what.devices:
            alerts.clear_alert(turn, STRANGE_USB, alert.place, by="host", why="unplugged, or on the list now")
    for device in what.new:
        alerts.raise_alert(turn, STRANGE_USB, device, device=device[:USB_KIND])


def _is_retained(_turn: Turn, what: CommandTurnedAway) -> bool:
    return what.why == RETAINED


def _left_at_broker(turn: Turn, what: CommandTurnedAway) -> None:
    """BR-037: refused already; an alert for each topic, however often it comes."""
    alerts.raise_alert(turn, LEFT_AT_BROKER, what.topic)


A = StrangerState.ANY
PROCEDURE = Procedure(
    name="strangers",
    rule="CSM-8",
    states=StrangerState,
    read=lambda _state, _what: StrangerState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, UsbStrangers, None, _plugged_in, said="strange USB devices"),
        Row(A, CommandTurnedAway, None, _left_at_broker, _is_retained, said="it lies at the broker"),
        Row(A, CommandTurnedAway, None, said="turned away, and answered"),
    ),
    next_step={A: "find who has put it there"},
)
