"""Serial ports and USB devices of the tables: who may open them, who else does, and what lets them fall asleep."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.links.address import parse_address
from firmware_bridge.links.address_kinds import SerialAddress, UsbAddress
from firmware_bridge.links.holder import holder_of, rights_of
from tableside.doctor.symptoms import Symptom, Verdict, Ward, well

# Programs of common systems that open every new serial port, or take some adapters for a braille display.
GRABBERS = {"ModemManager": "ID_MM_DEVICE_IGNORE", "brltty": "a rule that leaves the adapter out, or no brltty"}
RULES = "/etc/udev/rules.d"
# FTDI's chips keep single bytes back for so long (their driver guide's default is 16): a ping and its answer take
# twice that, where the line itself takes one.
LATENCY_MOST_MS = 1


def _serial(ward: Ward) -> Iterator[tuple[str, SerialAddress]]:
    for table in ward.host.tables:
        for device in table.devices:
            if isinstance(parsed := parse_address(device.address), SerialAddress):
                yield f"{device.name} of {table.name}", parsed


def _usb(ward: Ward) -> Iterator[tuple[str, UsbAddress]]:
    for table in ward.host.tables:
        for device in table.devices:
            if isinstance(parsed := parse_address(device.address), UsbAddress) and parsed.server is None:
                yield f"{device.name} of {table.name}", parsed


def ports(ward: Ward) -> Iterator[Symptom]:
    """Every serial port is there, may be opened, and is held by nobody but the daemon."""
    for name, address in _serial(ward):
        node = str(ward.file(address.node))
        if not Path(node).exists():
            yield Symptom(
                Verdict.WRONG, f"{name}: {address.node} is not there", "plug it in; compare /dev/serial/by-id"
            )
        elif not os.access(node, os.R_OK | os.W_OK):
            yield Symptom(Verdict.WRONG, f"{name}: this account may not open {address.node}", rights_of(node))
        elif (holder := holder_of(node)) is not None and "tableside" not in holder and "python" not in holder:
            yield Symptom(
                Verdict.WRONG, f"{name}: {holder} has {address.node} open", "end that program, or its service"
            )
        elif address.advice is not None:
            yield Symptom(Verdict.ADVICE, f"{name}: {address.advice}", "write that name into the table's file")
        else:
            yield well(f"{name}: {address.node}")


def latency(ward: Ward) -> Iterator[Symptom]:
    """How long an FTDI adapter keeps single bytes back."""
    for name, address in _serial(ward):
        port = os.path.basename(os.path.realpath(ward.file(address.node)))
        told = ward.text(f"/sys/bus/usb-serial/devices/{port}/latency_timer")
        if told is None or not told.isdecimal():
            continue
        if int(told) > LATENCY_MOST_MS:
            text = f"{name}: its adapter keeps bytes back for {told} ms"
            remedy = f'a udev rule: SUBSYSTEM=="usb-serial", ATTR{{latency_timer}}="{LATENCY_MOST_MS}"'
            yield Symptom(Verdict.ADVICE, text, remedy)
        else:
            yield well(f"{name}: its adapter passes bytes on after {told} ms")


def plugged(ward: Ward) -> Iterator[Symptom]:
    """Every USB device is plugged in, and the kernel does not put it to sleep (BR-018)."""
    for name, address in _usb(ward):
        found = [folder for folder in ward.file("/sys/bus/usb/devices").glob("*") if _is_it(ward, folder, address)]
        kind = f"{address.vendor:04x}:{address.product:04x}"
        if not found:
            yield Symptom(Verdict.WRONG, f"{name}: no {kind} is plugged in", "plug it in; compare with `lsusb`")
            continue
        control = _read(found[0] / "power" / "control")
        if control == "auto":
            text = f"{name}: the kernel may put it to sleep"
            yield Symptom(Verdict.ADVICE, text, f"the udev rule of 60-tableside.rules for {kind}, then plug in anew")
        else:
            yield well(f"{name}: {kind} is plugged in")


def grabbers(ward: Ward) -> Iterator[Symptom]:
    """Programs that write to serial ports on their own account; only where there is such a port."""
    if not any(_serial(ward)):
        return
    running = {_read(file) for file in ward.file("/proc").glob("[0-9]*/comm")}
    rules = "\n".join(_read(file) for file in ward.file(RULES).glob("*.rules"))
    for program, remedy in GRABBERS.items():
        if program not in running:
            continue
        if remedy in rules:
            yield well(f"{program} runs, and a rule keeps it away")
        else:
            text = f"{program} runs: it opens serial ports and writes to them"
            yield Symptom(Verdict.WRONG, text, f"60-tableside.rules in {RULES} ({remedy})")
    if not running & set(GRABBERS):
        yield well("no program that grabs serial ports runs")


def _is_it(ward: Ward, folder: Path, address: UsbAddress) -> bool:
    kind = (_read(folder / "idVendor"), _read(folder / "idProduct"))
    if kind != (f"{address.vendor:04x}", f"{address.product:04x}"):
        return False
    return folder.name == address.port if address.port else _read(folder / "serial") == address.serial


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
