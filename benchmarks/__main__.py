"""`python -m benchmarks [NAME …]`: the table of the README, measured here and now."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from benchmarks import (
    alpha_amount,
    blackjack_rounds,
    coin_bus,
    command_line,
    hub_day,
    idle_daemon,
    jackpot_shown,
    jam_alert,
    journal_rows,
    ledger,
    link_cost,
    northbound_event,
    reader_bus,
    request_reply,
    serial_round_trip,
    short_day,
    usb_round_trip,
)
from benchmarks.compare import Row

ALL: Mapping[str, Callable[[], list[Row]]] = {
    "serial": serial_round_trip.measure,
    "links": link_cost.measure,
    "request": request_reply.measure,
    "usb": usb_round_trip.measure,
    "jam": jam_alert.measure,
    "amount": alpha_amount.measure,
    "jackpot": jackpot_shown.measure,
    "coins": coin_bus.measure,
    "readers": reader_bus.measure,
    "journal": journal_rows.measure,
    "ledger": ledger.measure,
    "blackjack": blackjack_rounds.measure,
    "day": short_day.measure,
    "hub": hub_day.measure,
    "northbound": northbound_event.measure,
    "idle": idle_daemon.measure,
    "commands": command_line.measure,
}


def main() -> int:
    """Run the named ones, or all; unknown names are said, with what there is."""
    names = sys.argv[1:] or list(ALL)
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(ALL)}", file=sys.stderr)
        return 64
    for name in names:
        for row in ALL[name]():
            print(row.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
