"""The host itself: its clock, its memory, what the configuration needs beside the product, and how it is started."""

from __future__ import annotations

import ctypes
import datetime
import os
import socket
import stat
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from cryptography import x509

from firmware_bridge.links.mqtt_tls import Certificates
from tableside.doctor.symptoms import Symptom, Verdict, Ward, well

CONNECT_S = 3.0
# A certificate that ends is an outage with a date: a month is time to have a new one made.
ENDS_SOON = datetime.timedelta(days=30)
# `timex` of adjtimex(2) is 208 bytes on 64-bit Linux; only the returned state is read.
TIMEX_BYTES = 512
TIME_ERROR = 5


def packages(ward: Ward) -> Iterator[Symptom]:
    """What parts of the configuration need, is installed."""
    host = ward.host
    for part, is_asked, module, extra in (
        ("[page]", host.page is not None, "uvicorn", "web"),
        ("[metrics]", host.metrics is not None, "prometheus_client", "metrics"),
    ):
        if is_asked and find_spec(module) is None:
            yield Symptom(Verdict.WRONG, f"{part} needs {module}", f"pip install tableside[{extra}]")
        elif is_asked:
            yield well(f"{part} has what it needs")


def clock(ward: Ward) -> Iterator[Symptom]:
    """Times on the record are worth what the clock is; the journal marks its quality."""
    kept = ward.is_clock_kept()
    if kept is None:
        yield Symptom(Verdict.UNTOLD, "whether the clock is kept", "look at `timedatectl`")
    elif kept:
        yield well("the clock is kept by a time server")
    else:
        text = "nothing keeps the clock: the record's times may be wrong"
        yield Symptom(Verdict.WRONG, text, "set up chrony or systemd-timesyncd")


def memory(ward: Ward) -> Iterator[Symptom]:
    """A daemon that is swapped out renews no permits in time."""
    lines = (ward.text("/proc/swaps") or "").splitlines()[1:]
    if lines:
        text = f"memory may be swapped out to {', '.join(line.split()[0] for line in lines)}"
        yield Symptom(Verdict.ADVICE, text, "MemorySwapMax=0 in the unit, or no swap on a table's host")
    else:
        yield well("nothing is swapped out")


def control_socket(ward: Ward) -> Iterator[Symptom]:
    """Whether a daemon answers, and who may ask it."""
    path = ward.host.control_socket
    if not path.exists():
        yield Symptom(Verdict.ADVICE, f"no daemon has {path}", "start the service: `systemctl start tableside`")
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(CONNECT_S)
        try:
            probe.connect(str(path))
        except OSError as error:
            remedy = "start the service; a socket that was left is replaced"
            yield Symptom(Verdict.ADVICE, f"no daemon answers at {path}: {error.strerror or error}", remedy)
            return
    if path.stat().st_mode & stat.S_IWOTH:
        yield Symptom(Verdict.WRONG, f"anybody may ask the daemon at {path}", f"chmod o-rwx {path}")
    else:
        yield well(f"a daemon answers at {path}")


def broker(ward: Ward) -> Iterator[Symptom]:
    """The broker can be reached, and no certificate ends soon."""
    place = ward.host.broker
    if place is None:
        return
    try:
        socket.create_connection((place.host, place.port), CONNECT_S).close()
        yield well(f"the broker at {place.host}:{place.port} takes connections")
    except OSError as error:
        remedy = "start it, or look at the network; rows wait in the journal until it is back"
        yield Symptom(Verdict.WRONG, f"the broker at {place.host}:{place.port}: {error.strerror or error}", remedy)
    if place.certificates is None:
        return
    now = datetime.datetime.now(datetime.UTC)
    for table in ward.host.tables:
        files = Certificates.of(place.certificates, table.name)
        for why, remedy in files.objections():
            yield Symptom(Verdict.WRONG, why, remedy)
        for path in (files.authority, files.certificate):
            yield from certificate(path, now)


def certificate(path: Path, now: datetime.datetime) -> Iterator[Symptom]:
    """Until when a certificate is good."""
    try:
        ends = x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    except (OSError, ValueError):
        return  # not there is said already; no certificate at all is refused by the configuration's check
    left = ends - now
    if left < datetime.timedelta():
        yield Symptom(Verdict.WRONG, f"{path} has ended on {ends:%Y-%m-%d}", "have a new one made")
    elif left < ENDS_SOON:
        yield Symptom(Verdict.ADVICE, f"{path} ends on {ends:%Y-%m-%d}", "have a new one made before")
    else:
        yield well(f"{path} is good until {ends:%Y-%m-%d}")


def service(ward: Ward) -> Iterator[Symptom]:
    """The daemon comes back by itself: systemd has a unit of it, with a watchdog."""
    files = [
        file
        for folder in ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
        for file in ward.file(folder).glob("*.service")
        if "tableside run" in (ward.text(f"{folder}/{file.name}") or "")
    ]
    if not files:
        text = "no systemd unit starts `tableside run`"
        yield Symptom(Verdict.ADVICE, text, "docs/howto/service.md has one to copy")
    for file in files:
        unit = file.read_text("utf-8", "replace")
        missing = [line for line in ("Type=notify", "WatchdogSec=", "Restart=") if line not in unit]
        if missing:
            yield Symptom(Verdict.ADVICE, f"{file} lacks {', '.join(missing)}", "compare docs/howto/service.md")
        else:
            yield well(f"{file.name} starts the daemon and watches it")


def is_clock_kept() -> bool | None:
    """adjtimex(2): whether the kernel holds the clock to be synchronised; None where it cannot be asked."""
    try:
        timex = ctypes.create_string_buffer(TIMEX_BYTES)
        state = ctypes.CDLL(None, use_errno=True).adjtimex(timex)
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != TIME_ERROR


def account(_ward: Ward) -> Iterator[Symptom]:
    """The daemon needs no rights of root."""
    if os.geteuid() == 0:
        text = "this is root: what root may do says nothing of the daemon's account"
        yield Symptom(Verdict.ADVICE, text, "run it as the service does: `sudo -u tableside tableside doctor`")
    else:
        yield well("not root")
