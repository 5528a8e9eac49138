"""The numbers of docs/protocols/tdl.md 14, once more by hand and not out of our codec: for a host not ours."""

from __future__ import annotations

HELLO, HELLO_REPLY, REQUEST, REPLY, NOTICE, NOTICE_ACK, PROGRESS = range(1, 8)
IDENTITY, OUTCOME, STATE, PERMIT, LAMP, FAULTS, METERS, PING, SHOW, CLEAR_FAULT, ARM = range(1, 12)
COUNT_ALL, EJECT_ALL, DEAL, SHUFFLE, RECOVER, SELF_TEST, COLLECT = range(0x40, 0x47)
ADOPT = 0x80
OK, STARTED, DONE, REFUSED, FAILED, INTERRUPTED, OLD, NEVER, BUSY = range(9)
DEALING, FEEDING, LID = 1, 2, 3
BOOTED, CARDS_OUT, CARDS_IN = 1, 2, 3
JAM, JAM_GONE, LID_OPENED, LID_CLOSED, FAULT, FAULT_GONE, LIT, BUFFER_LOW, BUFFER_NORMAL = range(0x10, 0x19)
PACKET_END, PERMIT_ENDED, SUSPECT, COMMAND_ENDED, TAMPER, LOST = range(0x19, 0x1F)
R_EPOCH, R_RUNS, R_PERMIT, R_UNVERIFIED, R_FAULT, R_LID, R_NO_CARDS, R_NO_ROOM, R_NOT_OFFERED = range(1, 10)
R_ARGUMENT, R_NOT_ARMED, R_NOT_SEALED, R_FULL, R_NOT_OPEN = range(10, 15)
E_TIME, E_REVOKED, E_NUMBER, E_FAULT, E_LID, E_FULL = range(1, 7)
F_MEMORY = 8  # the fault
F_LOST, F_UNVERIFIED, F_RUNS, F_OTHER_HOST = 1, 2, 4, 8


# What the rules of tdl.cddl are called.
REPLIES = {
    IDENTITY: "identity",
    OUTCOME: "outcome",
    STATE: "state",
    PERMIT: "permit",
    LAMP: "lamp",
    FAULTS: "faults",
    METERS: "meters",
    SHOW: "show",
    CLEAR_FAULT: "clear-fault",
    ARM: "arm",
    COUNT_ALL: "count-all",
    EJECT_ALL: "eject-all",
    RECOVER: "recover",
    SELF_TEST: "self-test",
    ADOPT: "adopt",
}
NOTICES = {
    BOOTED: "booted",
    CARDS_OUT: "cards-out",
    CARDS_IN: "cards-in",
    JAM: "jam",
    JAM_GONE: "jam-gone",
    LID_OPENED: "lid-opened",
    LID_CLOSED: "lid-closed",
    FAULT: "fault",
    FAULT_GONE: "fault-gone",
    LIT: "lamp",
    BUFFER_LOW: "buffer-low",
    BUFFER_NORMAL: "buffer-normal",
    PACKET_END: "packet-end",
    PERMIT_ENDED: "permit-ended",
    SUSPECT: "suspect-card",
    COMMAND_ENDED: "command-ended",
    TAMPER: "tamper",
    LOST: "notices-lost",
}
