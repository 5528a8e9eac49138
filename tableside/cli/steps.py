"""The steps of the procedures under the names that people type: `tableside load begin`. No imports: help is quick."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, str] = {
    "play": "Stop play, let it go on, call the supervisor.",
    "table": "Open and close the table, its dealer and its section.",
    "load": "Load cards (CSM-5), card change, incident reload.",
    "round": "Rounds and what becomes of their cards (CSM-10, CSM-11).",
    "jackpot": "The jackpot: its bets, wins and prizes, what its displays show.",
    "advice": "Decide where the rules were advised on something that happened.",
    "complaint": "Complaints of patrons (CSM-12).",
    "jam": "Lid, jam, technician (CSM-2).",
    "damaged": "Damaged cards (CSM-1).",
    "count": "Counts of the machine and by hand.",
    "deck": "A batch shuffler: two decks in turn, packets, the stub (CSM-3, CSM-5).",
    "unload": "Closing: unload and sort (CSM-6).",
    "swap": "Exchange the machine.",
    "device": "Faults, unknown outcomes, letting in a device or a journal.",
    "incident": "Say what an incident was.",
    "alert": "Take, decline, clear alerts.",
    "presence": "The second way of proving presence.",
}

# Group → step → act. Every act stands here once (tested).
STEPS: Mapping[str, Mapping[str, str]] = {
    "play": {"stop": "stop-play", "call": "call-supervisor", "resume": "resume-play"},
    "table": {
        "open": "open-table",
        "shown": "confirm-shown",
        "mixed": "confirm-mixed",
        "hand-shuffled": "confirm-hand-shuffled",
        "prove-empty": "prove-empty",
        "announce-closing": "announce-closing",
        "close": "close-table",
        "dealer": "set-dealer",
        "section": "take-section",
    },
    "load": {
        "begin": "begin-load",
        "packet": "load-packet",
        "correct": "correct-packet",
        "card-change": "begin-card-change",
        "reload": "begin-incident-reload",
    },
    "round": {
        "end": "end-round",
        "hold-over": "hold-over",
        "count": "count-held-over",
        "rule": "rule-round",
        "open-cards": "open-cards",
        "lock-bets": "lock-bets",
    },
    "jackpot": {
        "show": "show-jackpot",
        "settle": "settle-chips",
        "mark": "mark-bets",
        "claim": "claim-jackpot",
        "pay": "pay-jackpot",
        "deny": "deny-jackpot",
    },
    "advice": {"decide": "decide-advice"},
    "complaint": {"raise": "raise-complaint", "settle": "settle-complaint"},
    "jam": {
        "open-lid": "open-lid",
        "taken-out": "cards-taken-out",
        "technician": "call-technician",
        "technician-done": "technician-done",
    },
    "damaged": {
        "report": "report-damaged",
        "replace": "replace-card",
        "dismiss": "dismiss-suspicion",
        "reported": "acknowledge-report",
    },
    "count": {"all": "count-all", "hand": "hand-count"},
    "deck": {
        "load": "load-deck",
        "shuffle": "shuffle-deck",
        "take-out": "take-out-deck",
        "packet": "deal-packet",
        "put-back": "put-back-cards",
        "collect": "collect-deck",
        "count": "count-deck",
        "replace": "replace-deck",
    },
    "unload": {"begin": "begin-unload", "sort": "enter-sort", "settle-sort": "settle-sort"},
    "swap": {"begin": "begin-swap", "counted-out": "counted-out"},
    "device": {
        "clear-fault": "clear-fault",
        "inspect": "inspect-device",
        "record": "record-machine",
        "settle": "settle-unknown",
        "adopt": "adopt-device",
        "accept-journal": "accept-journal",
    },
    "incident": {"settle": "settle-incident"},
    "alert": {"take": "take-alert", "seen": "acknowledge-alert", "decline": "decline-alert", "clear": "clear-alert"},
    "presence": {"show": "show-presence"},
}
