"""Each look at the host, on hosts that are well and that are not: files of the kernel's laid out as it lays them."""

from __future__ import annotations

import datetime
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tableside.doctor import cables, disks, host
from tableside.doctor.looks import LOOKS, examine
from tableside.doctor.symptoms import Look, Symptom, Verdict, Ward
from tests.support.certificates import Authority
from tests.support.config_files import Edit
from tests.support.simulated_host import host_in

SHUFFLER = "/dev/serial/by-id/shuffler"
MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 22 0:25 / /tmp rw,nosuid - tmpfs tmpfs rw
31 22 0:26 / /srv/with\\040blank rw - nfs4 server:/x rw
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("root", "house"):
        (tmp_path / name).mkdir()
    return tmp_path


def lay(ward: Ward, path: str, text: str = "") -> Path:
    file = ward.file(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def ward_of(folder: Path, *edits: Edit, kept: bool | None = None) -> Ward:
    return Ward(host_in(folder / "house", *edits), folder / "root", lambda: kept)


def found(look: Look, ward: Ward) -> list[tuple[Verdict, str]]:
    return [(symptom.verdict, symptom.what) for symptom in look(ward)]


def worst(symptoms: Iterator[Symptom]) -> Verdict:
    order = [Verdict.WRONG, Verdict.UNTOLD, Verdict.ADVICE, Verdict.WELL]
    return min((symptom.verdict for symptom in symptoms), key=order.index)


def test_every_finding_that_is_not_well_has_a_remedy(folder: Path) -> None:
    for name, symptom in examine(ward_of(folder)):
        assert symptom.what, name
        assert bool(symptom.remedy) is (symptom.verdict is not Verdict.WELL), symptom


def test_a_look_that_breaks_is_told_and_the_others_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_ward: Ward) -> Iterator[Symptom]:
        raise PermissionError("no")
        yield  # a generator, as each look is

    monkeypatch.setitem(LOOKS, "clock", broken)  # type: ignore[misc] # a table that nobody else writes
    names = {name: symptom.verdict for name, symptom in examine(ward_of(folder))}
    assert names["clock"] is Verdict.UNTOLD
    assert "daemon" in names


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/var/lib/tableside", "ext4"), ("/tmp/x", "tmpfs"), ("/srv/with blank/x", "nfs4"), ("/tmpx", "ext4")],
)
def test_the_nearest_mount_says_on_what_a_path_lies(path: str, kind: str) -> None:
    assert disks.file_system_of(Path(path), MOUNTS) == kind


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [("ext4", Verdict.WELL), ("tmpfs", Verdict.WRONG), ("nfs4", Verdict.WRONG), ("", Verdict.UNTOLD)],
)
def test_a_file_system_that_forgets_is_wrong(folder: Path, kind: str, verdict: Verdict) -> None:
    ward = ward_of(folder)
    if kind:
        lay(ward, "/proc/self/mountinfo", f"22 1 8:1 / / rw - {kind} source rw\n")
    assert worst(disks.file_systems(ward)) is verdict


def test_folders_that_others_may_look_into(folder: Path) -> None:
    ward = ward_of(folder)
    journals = ward.host.journal_directory
    assert worst(disks.folders(ward)) is Verdict.ADVICE  # not there yet
    for path in (journals, ward.host.reserve_directory):
        path.mkdir(mode=0o700, exist_ok=True)
    assert worst(disks.folders(ward)) is Verdict.WELL
    journals.chmod(0o755)
    assert found(disks.folders, ward)[0][0] is Verdict.ADVICE


@pytest.mark.parametrize(("kept", "verdict"), [(True, Verdict.WELL), (False, Verdict.WRONG), (None, Verdict.UNTOLD)])
def test_the_clock(folder: Path, kept: bool | None, verdict: Verdict) -> None:
    assert worst(host.clock(ward_of(folder, kept=kept))) is verdict


def test_this_kernel_says_whether_its_clock_is_kept() -> None:
    assert host.is_clock_kept() in (True, False)


def test_swap(folder: Path) -> None:
    ward = ward_of(folder)
    lay(ward, "/proc/swaps", "Filename Type Size Used Priority\n")
    assert worst(host.memory(ward)) is Verdict.WELL
    lay(ward, "/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n")
    assert found(host.memory, ward) == [(Verdict.ADVICE, "memory may be swapped out to /dev/sda2")]


def test_a_port_that_is_not_there_and_one_that_is(folder: Path) -> None:
    ward = ward_of(folder)
    assert "is not there" in found(cables.ports, ward)[0][1]
    lay(ward, SHUFFLER)
    assert found(cables.ports, ward)[0] == (Verdict.WELL, f"shuffler of BJ-1: {SHUFFLER}")


def test_a_port_that_another_program_holds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ward = ward_of(folder)
    lay(ward, SHUFFLER)
    monkeypatch.setattr(cables, "holder_of", lambda _node: "minicom (process 7)")
    assert found(cables.ports, ward)[0][0] is Verdict.WRONG


def test_a_port_that_this_account_may_not_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ward = ward_of(folder)
    lay(ward, SHUFFLER).chmod(0)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root, as in CI, may open everything
    assert found(cables.ports, ward)[0][0] is Verdict.WRONG


@pytest.mark.parametrize(("told", "verdict"), [("16", Verdict.ADVICE), ("1", Verdict.WELL)])
def test_an_adapter_that_keeps_bytes_back(folder: Path, told: str, verdict: Verdict) -> None:
    ward = ward_of(folder)
    lay(ward, "/dev/ttyUSB3")
    link = ward.file(SHUFFLER)
    link.parent.mkdir(parents=True)
    link.symlink_to(ward.file("/dev/ttyUSB3"))
    lay(ward, "/sys/bus/usb-serial/devices/ttyUSB3/latency_timer", f"{told}\n")
    assert worst(cables.latency(ward)) is verdict


def test_programs_that_grab_ports(folder: Path) -> None:
    ward = ward_of(folder)
    assert worst(cables.grabbers(ward)) is Verdict.WELL
    lay(ward, "/proc/77/comm", "ModemManager\n")
    assert worst(cables.grabbers(ward)) is Verdict.WRONG
    lay(ward, "/etc/udev/rules.d/60-tableside.rules", 'ENV{ID_MM_DEVICE_IGNORE}="1"\n')
    assert worst(cables.grabbers(ward)) is Verdict.WELL


USB = Edit("table", 'address = "serial:///dev/serial/by-id/switches?baud=115200"', 'address = "usb://1234:abcd/000777"')


@pytest.mark.parametrize(("control", "verdict"), [("on", Verdict.WELL), ("auto", Verdict.ADVICE)])
def test_a_usb_device_that_may_be_put_to_sleep(folder: Path, control: str, verdict: Verdict) -> None:
    ward = ward_of(folder, USB)
    assert worst(cables.plugged(ward)) is Verdict.WRONG  # nothing is plugged in
    device = "/sys/bus/usb/devices/1-1.4"
    for name, text in (("idVendor", "1234"), ("idProduct", "abcd"), ("serial", "000777"), ("power/control", control)):
        lay(ward, f"{device}/{name}", f"{text}\n")
    assert worst(cables.plugged(ward)) is verdict


def test_a_unit_and_what_it_lacks(folder: Path) -> None:
    ward = ward_of(folder)
    assert worst(host.service(ward)) is Verdict.ADVICE
    unit = "/etc/systemd/system/tableside.service"
    lay(ward, unit, "[Service]\nExecStart=/usr/local/bin/tableside run\nType=notify\n")
    assert "lacks WatchdogSec=, Restart=" in found(host.service, ward)[0][1]
    text = (Path(__file__).parents[3] / "docs" / "howto" / "tableside.service").read_text("utf-8")
    lay(ward, unit, text)
    assert worst(host.service(ward)) is Verdict.WELL


@pytest.mark.parametrize(("days", "verdict"), [(-40, Verdict.WELL), (0, Verdict.ADVICE), (3, Verdict.WRONG)])
def test_a_certificate_that_ends(folder: Path, days: int, verdict: Verdict) -> None:
    made = Authority(folder / "certificates")  # good for two days
    now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    assert worst(host.certificate(made.folder / "ca.crt", now)) is verdict


def test_a_broker_that_takes_connections_and_one_that_does_not(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        broker = f'[broker]\naddress = "mqtt://127.0.0.1:{port}/house"\n\n[[sections]]'
        ward = ward_of(folder, Edit("host", "[[sections]]", broker))
        assert worst(host.broker(ward)) is Verdict.WELL
    assert worst(host.broker(ward)) is Verdict.WRONG


def test_the_daemons_socket(folder: Path) -> None:
    ward = ward_of(folder)
    path = ward.host.control_socket
    assert "no daemon has" in found(host.control_socket, ward)[0][1]
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert "no daemon answers" in found(host.control_socket, ward)[0][1]
        listener.listen()
        path.chmod(0o600)
        assert worst(host.control_socket(ward)) is Verdict.WELL
        path.chmod(0o666)
        assert worst(host.control_socket(ward)) is Verdict.WRONG
