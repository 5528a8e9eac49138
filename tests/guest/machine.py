"""The emulated machine: Debian's stock kernel, the host's own root read-only, a few modules, one console.

No KVM: software emulation takes some twenty seconds and works everywhere. The guest's root is the host's, so that the
project's environment runs there unchanged; only /run can be written to.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86 seabios",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "dpkg-deb": "dpkg",
    "apt-get": "apt",
}
LIBUSB = "libusb-1.0-0"
MODULES = (
    "virtio_pci",
    "9pnet_virtio",
    "9p",
    "xhci-pci",
    "usbhid",
    "hid-generic",
    "ftdi_sio",
    "cdc-acm",
    "vhci-hcd",
)
# So long the whole run may take, on a slow machine at its slowest.
LIMIT_S = 300

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
for m in $(cat /mod/order); do insmod /mod/$m || echo "CHECK module $m: failed"; done
mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro root /newroot || poweroff -f
mount -t proc p /newroot/proc; mount -t sysfs s /newroot/sys; mount --bind /dev /newroot/dev
mount -t tmpfs t /newroot/run; mkdir -p /newroot/dev/pts /newroot/run/tmp; mount -t devpts d /newroot/dev/pts
ip link set lo up
chroot /newroot /usr/bin/env HOME=/run/tmp TMPDIR=/run/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=@ROOT@ @COMMAND@
echo "GUEST ENDED $?"
poweroff -f
"""


class MachineAbsent(Exception):
    """The machine cannot be had here: says what is missing and how it is got."""


def what_is_missing() -> str:
    """Empty: nothing is."""
    lacking = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    return f"apt-get install {' '.join(lacking)}" if lacking else ""


def kernel_in(cache: Path) -> tuple[Path, Path]:
    """Kernel and folder of its modules, downloaded once (70 MB). Raises `MachineAbsent`."""
    kernel, modules = cache / "vmlinuz", cache / "modules"
    if not kernel.exists():
        cache.mkdir(parents=True, exist_ok=True)
        told = subprocess.run(
            ["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=False
        )
        found = re.search(r"Depends: (linux-image-\S+)", told.stdout)
        if found is None:
            raise MachineAbsent("no kernel linux-image-amd64 is offered by apt here")
        got = subprocess.run(
            ["apt-get", "download", "-q", found[1]], cwd=cache, capture_output=True, text=True, check=False
        )
        if got.returncode:
            raise MachineAbsent(f"the kernel {found[1]} could not be downloaded: {got.stderr.strip()[-200:]}")
        package = next(cache.glob("linux-image-*.deb"))
        subprocess.run(["dpkg-deb", "-x", str(package), str(cache / "unpacked")], check=True)
        shutil.move(next((cache / "unpacked" / "lib" / "modules").iterdir()), modules)
        shutil.move(next((cache / "unpacked" / "boot").glob("vmlinuz-*")), kernel)
        shutil.rmtree(cache / "unpacked")
        package.unlink()
    return kernel, modules


def initramfs(folder: Path, modules: Path, root: Path, command: Sequence[str]) -> Path:
    """What the kernel starts with: busybox, modules in their order, and the script above."""
    tree = folder / "initramfs"
    for name in ("bin", "mod", "proc", "sys", "dev", "newroot"):
        (tree / name).mkdir(parents=True)
    busybox = shutil.which("busybox")
    assert busybox is not None
    shutil.copy(busybox, tree / "bin" / "busybox")
    order = in_order(modules)
    for module in order:
        shutil.copy(module, tree / "mod" / module.name)
    (tree / "mod" / "order").write_text("\n".join(module.name for module in order), "utf-8")
    script = INIT.replace("@ROOT@", str(root)).replace("@COMMAND@", " ".join(command))
    (tree / "init").write_text(script, "utf-8")
    (tree / "init").chmod(0o755)
    image = folder / "initramfs.img"
    names = b"\n".join(str(path.relative_to(tree)).encode() for path in sorted(tree.rglob("*")))
    with image.open("wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, input=names, stdout=out, check=True)
    return image


def in_order(modules: Path) -> list[Path]:
    """The files of MODULES and of what they need, each after what it needs."""
    files = {path.name.partition(".ko")[0].replace("-", "_"): path for path in modules.rglob("*.ko")}
    builtin = {Path(line).stem.replace("-", "_") for line in (modules / "modules.builtin").read_text().split()}
    order: list[Path] = []

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name in builtin:
            return
        if name not in files:
            raise MachineAbsent(f"the kernel has no module {name}")
        needs = re.search(rb"depends=([^\0]*)\0", files[name].read_bytes())
        for needed in filter(None, needs[1].decode().split(",") if needs else ()):
            add(needed)
        if files[name] not in order:
            order.append(files[name])

    for name in MODULES:
        add(name)
    return order


def command_line(kernel: Path, image: Path, *, serial_far_end: int, monitor: Path) -> list[str]:
    """The machine. An FT232 whose far end is a TCP port of the host, a USB keyboard, a monitor to press its keys by."""
    return [
        "qemu-system-x86_64",
        *("-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "768", "-M", "pc", "-nodefaults", "-no-reboot"),
        *("-display", "none", "-serial", "stdio", "-kernel", str(kernel), "-initrd", str(image)),
        *("-append", "console=ttyS0 quiet panic=-1"),
        *("-fsdev", "local,id=r,path=/,security_model=none,readonly=on,multidevs=remap"),
        *("-device", "virtio-9p-pci,fsdev=r,mount_tag=root"),
        *("-qmp", f"unix:{monitor},server=on,wait=off"),
        *("-device", "qemu-xhci", "-device", "usb-kbd,id=kbd,serial=QEMUKBD"),
        *("-chardev", f"socket,id=far,host=127.0.0.1,port={serial_far_end}"),
        *("-device", "usb-serial,chardev=far,id=ftdi"),
    ]
