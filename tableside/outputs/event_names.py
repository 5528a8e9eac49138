"""Every event of the engineers' log, with what it says. A test holds the code to this list, both ways.

The log is for engineers: nothing stands in it alone, what the house must know is in the journal.
"""

from __future__ import annotations

from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    # --- the process
    "daemon_started": "all tables that could be opened run",
    "daemon_stopped": "permits revoked, journals closed",
    "stop_late": "stopping took too long: the process ends as after a power cut, which loses nothing",
    "hang_up_ignored": "a console was closed, or a reload was asked for, which is not offered: restart instead",
    "daemon_failed": "a fault that nobody foresaw ends the process",
    "table_refused": "a table's journal cannot be opened; the other tables run",
    "hub_crashed": "a table's hub broke: its permits are revoked, its lamp is red and blinks, the other tables run",
    "journal_unavailable": "neither journal nor reserve can be written: permits revoked, requests refused, tried again",
    "journal_written_again": "the journal or reserve can be written again; for so many seconds all was locked",
    "task_crashed": "a driver's task broke and is made anew",
    "loop_late": "the event loop was late by more than a second",
    "space_changed": "a disk of the journals got low, full or gone, or has room again",
    "usb_looked": "which USB devices are plugged in that stand on no list; none where nothing follows",
    "numbers_not_kept": "the counter of device sessions cannot be written; numbers go on in memory",
    "trace_not_kept": "what went over the cables around an incident could not be written",
    "log_dropped": "so many lines were thrown away because nobody took them",
    "log_repeated": "so many repeats of a line were left out",
    # --- what a table asks and is asked
    "request_answered": "a request of a person or a system was accepted or refused",
    "command_intended": "a moving command is in the journal and goes out",
    "command_accepted": "the device has begun it",
    "command_refused": "the device does not do it",
    "command_finished": "it has ended, done or failed",
    "command_not_done": "it never ran and never will",
    "command_unknown": "nobody knows whether it was done: locked until a count or a person settles it",
    "command_settled": "an unknown outcome was settled",
    # --- the control socket
    "control_refused": "a process of another account wanted to connect",
    "control_full": "too many connections",
    "control_lost": "a connection ended in the middle",
    "control_failed": "a fault of ours ended a connection",
    "page_served": "the supervisor's page stands at this address",
    "metrics_served": "a monitoring system finds its numbers at this address",
    "metrics_port_taken": "another program has the port of `[metrics]`; it is tried again, the tables run",
    # --- other systems
    "cursors_not_kept": "where consumers stand cannot be written; after a restart they get again what they have",
    "cursors_unreadable": "where consumers stand cannot be read: they get everything again",
    "frame_left_at_broker": "a frame for a device, or as from one, is retained at the broker: dropped, its table told",
    "command_turned_away": "another system's command did not come before the table",
    # --- devices
    "driver_unverified": "no real device of this driver has been tried yet",
    "link_lost": "a device's link ended; the keeper tries again, silently",
    "link_back": "the link is back",
    "link_quarantined": "trying again soon cannot help: somebody must change the device or the configuration",
    "link_failed_unforeseen": "a fault that nobody foresaw ended a session",
    "notice_unknown": "a device told something of a kind that its driver does not know; it is kept raw",
    "order_refused": "a device refused a goal",
    "badge_unreadable": "a reader gave a card number that can be none",
    "scan_rejected": "a reader typed something that is no whole badge; what it was is not said",
    "cctalk_station_ready": "a coin acceptor of a bus answers and is set up, shut",
    "cctalk_station_lost": "a coin acceptor of a bus is away",
    "osdp_station_ready": "a station of a bus answers and is who it should be",
    "osdp_station_lost": "a station of a bus is away",
    "osdp_channel_lost": "a station's secure channel broke",
    "osdp_refused": "a station refused a command",
    "osdp_key_installed": "a station has taken its own key",
    "osdp_echo": "the cable plays our own bytes back, or no longer",
}
