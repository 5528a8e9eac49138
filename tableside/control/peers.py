"""Who is at the other end of the control socket, as the kernel says it (unix(7), SO_PEERCRED)."""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
# Linux 4.13; Python has no name for it. The same number on every architecture that a table host has.
_SO_PEERGROUPS = 59
_MAX_GROUPS = 1_024
_GROUP_BYTES = 4
_ROOT = 0


@dataclass(frozen=True, slots=True)
class Peer:
    """A process: its number and account, and every group of it."""

    pid: int
    uid: int
    groups: frozenset[int]


def peer_of(connection: socket.socket) -> Peer:
    """Who connected. Raises `OSError`."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, gid = _CREDENTIALS.unpack(raw)
    return Peer(pid, uid, frozenset({gid, *_other_groups(connection)}))


def is_allowed(peer: Peer, group: int | None) -> bool:
    """The daemon's own account, root, or a member of the configured group."""
    return peer.uid in (os.geteuid(), _ROOT) or (group is not None and group in peer.groups)


def _other_groups(connection: socket.socket) -> tuple[int, ...]:
    try:
        raw = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _MAX_GROUPS * _GROUP_BYTES)
    except OSError:  # an older kernel: the first group has to do
        return ()
    return struct.unpack(f"{len(raw) // _GROUP_BYTES}I", raw)
