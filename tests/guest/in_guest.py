"""What is checked within the emulated machine, as root, on Debian's kernel: our links and drivers on real ones.

Each check prints one line. Devices come from QEMU (an FT232, a keyboard) and from our own simulator, over USB/IP,
by the kernel's vhci-hcd.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from drivers.badges.keyboard_reader import KeyboardReader, TypingReaderSettings
from drivers.displays.showing import Showing
from drivers.displays.tdl_display import TdlDisplay
from drivers.events import (
    BadgeSeen,
    CardsIn,
    CommandAnswered,
    CommandEnded,
    DeviceLost,
    DeviceReady,
    DisplayShowed,
    Fact,
    Notice,
    PermitKind,
    ReaderLost,
    ReaderReady,
    Shown,
    Verb,
)
from drivers.registry import build_tdl
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links import usb_place, usbip_codec
from firmware_bridge.links.address import open_link
from simulator.side_client import ask

ROOT = Path(__file__).parents[2]
WORK = Path("/run/tmp")
SIDE = WORK / "side.sock"
VHCI = Path("/sys/devices/platform/vhci_hcd.0")
READY_FOR_KEYS = "GUEST READY FOR KEYS"
KEYED = "ab-0123456789"
LIMIT_S = 60.0
EPOCH = 0xA1B2C3D4
SHUFFLER, READER, SIGN = 3240, 3241, 3242
PLAN = f"""
[simulation]
pace = 20
side_channel = "{SIDE}"
[[decks]]
back = "red"
count = 1
[[devices]]
name = "shuffler"
kind = "shuffler"
serial_number = "000124"
address = "usb://1209:0001/000124?usbip=127.0.0.1:{SHUFFLER}"
[[devices]]
name = "reader"
kind = "badge reader that types"
keyboard = "de"
serial_number = "W1"
address = "usb://1209:0002/W1?usbip=127.0.0.1:{READER}"
[[devices]]
name = "sign"
kind = "display"
serial_number = "000888"
is_usb_serial = true
address = "usb://1209:0003/000888?usbip=127.0.0.1:{SIGN}"
"""
T = TypeVar("T", bound=Fact)


class Host:
    """Notes facts and acknowledges them; adopts a device that obeys nobody."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.driver: Any = None

    async def report(self, fact: Fact) -> None:
        self.facts.append(fact)
        if isinstance(fact, DeviceReady):
            if fact.epoch != EPOCH:
                self.driver.command(Verb.ADOPT, EPOCH, 1, 0)
            self.driver.resume_notices(fact.boot, 0)
        elif isinstance(fact, Notice):
            self.driver.acknowledge(fact.boot, fact.number)

    async def told(self, kind: type[T], count: int = 1) -> T:
        """The last of so many facts of a kind."""
        await until(lambda: len(self.of(kind)) >= count, lambda: f"{count} of {kind.__name__}; told: {self.facts[-5:]}")
        return self.of(kind)[-1]

    def of(self, kind: type[T]) -> list[T]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


@asynccontextmanager
async def running(host: Host, driver: Any) -> Any:
    host.driver = driver
    task = asyncio.create_task(driver.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def tdl(name: str, address: str, serial: str, model: str, host: Host) -> Any:
    around = Surroundings(host.report, lambda: open_link(address), iter(range(1, 1000)).__next__, EPOCH)
    return build_tdl(name, TdlSettings("device", address, serial, model), around)


async def moves_a_card(address: str, serial: str) -> Host:
    """Count an empty machine, then let it feed: its meter tells of cards that went in."""
    host = Host()
    driver = tdl("tdl-continuous-shuffler", address, serial, "CSM-SIM", host)
    async with running(host, driver):
        await host.told(CommandAnswered)
        driver.command(Verb.COUNT_ALL, EPOCH, 2, None)
        await host.told(CommandEnded)
        driver.permit(PermitKind.FEED, 20_000, 5)
        await host.told(CardsIn)
    return host


def attach(port: int, vhci_port: int) -> None:
    """What `usbip attach` does: import over TCP, then hand the connection to the kernel."""
    with socket.create_connection(("127.0.0.1", port)) as stream:
        stream.sendall(usbip_codec.import_request("1-1"))
        answer = b""
        while len(answer) < usbip_codec.OP_BYTES + usbip_codec.DEVICE_BYTES:
            chunk = stream.recv(4096)
            assert chunk, f"refused: {answer.hex()}"
            answer += chunk
        device = usbip_codec.read_device(answer[usbip_codec.OP_BYTES :])
        told = f"{vhci_port} {stream.fileno()} {device.bus << 16 | device.address} {int(device.speed)}"
        (VHCI / "attach").write_text(told)


def detach(vhci_port: int) -> None:
    (VHCI / "detach").write_text(str(vhci_port))


def plugged(vendor: int, product: int) -> usb_place.Plugged | None:
    found = [each for each in usb_place.plugged_in() if (each.vendor, each.product) == (vendor, product)]
    return found[0] if found else None


async def until(is_so: Callable[[], Any], what: str | Callable[[], str]) -> Any:
    end_s = time.monotonic() + LIMIT_S
    while not (found := is_so()):
        assert time.monotonic() < end_s, f"waited for {what if isinstance(what, str) else what()}"
        await asyncio.sleep(0.05)
    return found


def kernel_driver(device: usb_place.Plugged) -> str | None:
    link = usb_place.SYSFS / f"{device.port}:1.0" / "driver"
    return Path(os.readlink(link)).name if link.exists() else None


def hands(**deed: object) -> None:
    done = ask(SIDE, {"act": "person", "deed": deed})
    assert not done.get("refused"), done


async def ftdi() -> None:
    """The kernel's ftdi_sio: a card moves over /dev/ttyUSB0, in a simulator outside of this machine."""
    await until(Path("/dev/ttyUSB0").exists, "/dev/ttyUSB0")
    await moves_a_card("serial:///dev/ttyUSB0?baud=115200", "000123")


async def libusb() -> None:
    """Real libusb on vhci-hcd: a card moves over bulk endpoints; unplugged, it is back under another address."""
    hands(does="move", source="cabinet", to="spread")
    hands(does="lay-in-hopper", source="spread", cards=10)
    attach(SHUFFLER, 0)
    first = await until(lambda: plugged(0x1209, 1), "the shuffler on the bus")
    await moves_a_card("usb://1209:0001/000124", "000124")
    host = Host()
    async with running(host, tdl("tdl-continuous-shuffler", "usb://1209:0001/000124", "000124", "CSM-SIM", host)):
        await host.told(DeviceReady)
        detach(0)
        await host.told(DeviceLost, 2)  # once at the start
        await until(lambda: plugged(0x1209, 1) is None, "the shuffler to leave the bus")
        attach(SHUFFLER, 0)
        await host.told(DeviceReady, 2)
        again = plugged(0x1209, 1)
        assert again is not None
        assert again.address != first.address, (first, again)


async def display() -> None:
    """The kernel's cdc-acm: an amount is shown over /dev/ttyACM0."""
    attach(SIGN, 1)
    await until(Path("/dev/ttyACM0").exists, "/dev/ttyACM0")
    host = Host()
    driver = tdl("tdl-display", "serial:///dev/ttyACM0", "000888", "SIGN-SIM", host)
    assert isinstance(driver, TdlDisplay)
    async with running(host, driver):
        await host.told(CommandAnswered)
        driver.show(Showing(7, Shown.AMOUNT, 123456, "EUR"))
        assert (await host.told(DisplayShowed)).what is Shown.AMOUNT
        assert "EUR 1,234.56" in str(ask(SIDE, {"act": "look"}))
    detach(1)  # before its server ends: the kernel would wait for it


def typing(address: str, serial: str, keyboard: str, characters: int, host: Host) -> KeyboardReader:
    settings = TypingReaderSettings("device", address, serial, keyboard, characters)
    return KeyboardReader(settings, lambda: open_link(address), host.report, random.Random(1))


async def keyboard_reader() -> None:
    """Our reader under the kernel's usbhid, which steps back while we have it and gets it again."""
    attach(READER, 2)
    device = await until(lambda: plugged(0x1209, 2), "the reader on the bus")
    await until(lambda: kernel_driver(device) == "usbhid", "usbhid to take the reader")
    host = Host()
    async with running(host, typing("usb://1209:0002/W1", "W1", "de", 8, host)):
        await host.told(ReaderReady)
        assert kernel_driver(device) == "usbfs", kernel_driver(device)
        hands(does="tap", badge="64:3030303230313430", reader="reader")
        assert (await host.told(BadgeSeen)).badge == "64:3030303230313430"
    await until(lambda: kernel_driver(device) == "usbhid", "usbhid to have the reader again")
    detach(2)


async def emulated_keyboard() -> None:
    """QEMU's usb-kbd: keys that are pressed outside arrive as one badge; none of ours is behind it."""
    device = await until(lambda: plugged(0x0627, 1), "the keyboard on the bus")
    await until(lambda: kernel_driver(device) == "usbhid", "usbhid to take the keyboard")
    host = Host()
    address = f"usb://0627:0001/{device.serial}"
    async with running(host, typing(address, device.serial, "us", len(KEYED), host)):
        await host.told(ReaderReady)
        print(READY_FOR_KEYS, flush=True)
        assert bytes.fromhex((await host.told(BadgeSeen)).badge.partition(":")[2]) == KEYED.encode()
        assert len([fact for fact in host.facts if isinstance(fact, ReaderLost)]) == 1


CHECKS: dict[str, Callable[[], Awaitable[None]]] = {
    "a card over ftdi_sio": ftdi,
    "a card over libusb and vhci-hcd, unplugged and back": libusb,
    "an amount over cdc-acm": display,
    "a typed badge from under usbhid": keyboard_reader,
    "keys of usb-kbd": emulated_keyboard,
}


def main() -> None:
    plan = WORK / "plan.toml"
    plan.write_text(PLAN, "utf-8")
    simulator = subprocess.Popen([sys.executable, "-m", "simulator", "serve", str(plan)], cwd=ROOT)
    try:
        asyncio.run(until(SIDE.exists, "the simulator"))
        for name, check in CHECKS.items():
            try:
                asyncio.run(check())
            except BaseException as error:
                traceback.print_exc(file=sys.stdout)
                print(f"CHECK {name}: {type(error).__name__}: {error}".splitlines()[0], flush=True)
            else:
                print(f"CHECK {name}: ok", flush=True)
    finally:
        for port in range(3):
            with suppress(OSError):  # it is not attached
                detach(port)
        simulator.terminate()
        simulator.wait(LIMIT_S)


if __name__ == "__main__":
    main()
