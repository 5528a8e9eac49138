"""What a power cut leaves of SQLite's files: every write, cut and sync is written down on its way to the disk.

The library's own file layer (its VFS) is copied and four of its calls are replaced, through ctypes, in the very
library that `sqlite3` uses; it goes on writing to real files. Afterwards `after_cut` makes the folder that a cut
at any moment could have left: what was synced is there, of the rest any sectors, in any order.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tableside.journal.disk import Disk

SECTOR_BYTES = 512
_OK = 0
_Open = ctypes.CFUNCTYPE(
    # The name goes on as the pointer it is: SQLite keeps it for as long as the file is open.
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_int),
)
_Delete = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_Write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_Truncate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_Sync = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
# sqlite3_io_methods: a version, then pointers; these are their places (xClose is 1).
_METHODS = 19
_WRITE, _TRUNCATE, _SYNC = 3, 4, 5


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", ctypes.c_void_p),
        ("delete", ctypes.c_void_p),
        ("others", ctypes.c_void_p * 14),
    )


@dataclass(slots=True)
class Event:
    """One thing done to one file: "write" (offset, data), "truncate" (size), "sync" or "delete"."""

    act: str
    name: str
    offset: int = 0
    data: bytes = b""


@dataclass(slots=True)
class DiskLog:
    """Everything that was done, in order."""

    events: list[Event] = field(default_factory=list)

    def after_cut(self, moment: int, folder: Path, chance: random.Random) -> None:
        """Make the files that a power cut after so many events may leave."""
        durable: dict[str, bytearray] = {}
        pending: dict[str, list[Event]] = {}
        for event in self.events[:moment]:
            if event.act == "delete":
                durable.pop(event.name, None)
                pending.pop(event.name, None)
            elif event.act == "sync":
                content = durable.setdefault(event.name, bytearray())
                for one in pending.pop(event.name, []):
                    _apply(one, content)
            else:
                pending.setdefault(event.name, []).append(event)
        for name, events in pending.items():
            content = durable.get(name, bytearray())
            for one in events:
                _apply_some(one, content, chance)
            if name in durable or chance.random() < 0.5:
                durable[name] = content
        for name, content in durable.items():
            (folder / name).write_bytes(content)


def _apply(event: Event, content: bytearray) -> None:
    if event.act == "truncate":
        del content[event.offset :]
        return
    if event.offset > len(content):
        content.extend(bytes(event.offset - len(content)))
    content[event.offset : event.offset + len(event.data)] = event.data


def _apply_some(event: Event, content: bytearray, chance: random.Random) -> None:
    if event.act == "truncate":
        if chance.random() < 0.5:
            _apply(event, content)
        return
    start, end = event.offset, event.offset + len(event.data)
    for sector in range(start // SECTOR_BYTES, (end + SECTOR_BYTES - 1) // SECTOR_BYTES):
        low, high = max(start, sector * SECTOR_BYTES), min(end, (sector + 1) * SECTOR_BYTES)
        if chance.random() < 0.5:
            _apply(Event("write", event.name, low, event.data[low - start : high - start]), content)


class LoggedDisk:
    """The reserve's disk, with its writes in the same log."""

    def __init__(self, disk: Disk, name: str, log: DiskLog) -> None:
        self._disk, self._name, self._log = disk, name, log
        self.size = disk.size
        self.read = disk.read
        self.close = disk.close
        log.events += [Event("write", name, 0, disk.read(0, disk.size)), Event("sync", name)]

    def write(self, offset: int, data: bytes) -> None:
        self._disk.write(offset, data)
        self._log.events.append(Event("write", self._name, offset, data))

    def sync(self) -> None:
        self._disk.sync()
        self._log.events.append(Event("sync", self._name))


class Unavailable(Exception):
    """This interpreter's SQLite does not let its file layer be replaced."""


def _function(pointer: int | None, kind: Any) -> Callable[..., int]:
    return ctypes.cast(pointer, kind)  # type: ignore[arg-type, return-value]  # ctypes' casts have no exact types


@contextmanager
def logged_sqlite(log: DiskLog) -> Iterator[None]:
    """Until the end, every connection that is opened writes its files' story into `log`."""
    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        find, register, unregister = (
            library.sqlite3_vfs_find,
            library.sqlite3_vfs_register,
            library.sqlite3_vfs_unregister,
        )
    except (AttributeError, OSError) as error:
        raise Unavailable(str(error)) from error
    find.restype = ctypes.POINTER(_Vfs)
    original = find(None).contents
    shim = _Shim(log, original)
    register(ctypes.byref(shim.vfs), 1)
    try:
        yield
    finally:
        unregister(ctypes.byref(shim.vfs))
        register(ctypes.byref(original), 1)


class _Shim:
    """The copied file layer; it must live as long as a connection that was opened through it."""

    _alive: list[_Shim] = []  # noqa: RUF012  # kept for ever: a connection may be closed late

    def __init__(self, log: DiskLog, original: _Vfs) -> None:
        self._log = log
        self._names: dict[int, str] = {}
        self._tables: dict[int, Any] = {}
        self._calls: list[Any] = []
        self._open_original = _function(original.open, _Open)
        self._delete_original = _function(original.delete, _Delete)
        self.vfs = _Vfs.from_buffer_copy(original)
        self.vfs.name = b"power-cut"
        self.vfs.next = None
        self.vfs.open = self._callback(_Open, self._open)
        self.vfs.delete = self._callback(_Delete, self._delete)
        self._alive.append(self)

    def _callback(self, kind: Any, call: Callable[..., int]) -> int | None:
        made = kind(call)
        self._calls.append(made)
        return ctypes.cast(made, ctypes.c_void_p).value

    def _open(self, vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        code = self._open_original(vfs, name, file, flags, out)
        if code == _OK and name is not None:
            self._names[file] = os.path.basename(ctypes.string_at(name).decode())
            methods = ctypes.c_void_p.from_address(file)
            assert methods.value is not None
            methods.value = ctypes.addressof(self._table(methods.value))
        return code

    def _table(self, methods: int) -> Any:
        if methods not in self._tables:
            table = (ctypes.c_void_p * _METHODS).from_buffer_copy((ctypes.c_void_p * _METHODS).from_address(methods))
            write = _function(table[_WRITE], _Write)
            truncate = _function(table[_TRUNCATE], _Truncate)
            sync = _function(table[_SYNC], _Sync)

            def on_write(file: int, data: int, size: int, at: int) -> int:
                event = Event("write", self._names[file], at, ctypes.string_at(data, size))
                return self._note(event, write(file, data, size, at))

            def on_truncate(file: int, size: int) -> int:
                return self._note(Event("truncate", self._names[file], size), truncate(file, size))

            def on_sync(file: int, flags: int) -> int:
                return self._note(Event("sync", self._names[file]), sync(file, flags))

            table[_WRITE] = self._callback(_Write, on_write)
            table[_TRUNCATE] = self._callback(_Truncate, on_truncate)
            table[_SYNC] = self._callback(_Sync, on_sync)
            self._tables[methods] = table
        return self._tables[methods]

    def _delete(self, vfs: int, name: bytes, sync_directory: int) -> int:
        return self._note(
            Event("delete", os.path.basename(name.decode())), self._delete_original(vfs, name, sync_directory)
        )

    def _note(self, event: Event, code: int) -> int:
        if code == _OK:
            self._log.events.append(event)
        return code
