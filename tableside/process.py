"""The daemon as a process: configuration, lock, directories, signals, and the code it ends with."""

from __future__ import annotations

import asyncio
import grp
import os
import signal
from contextlib import ExitStack
from functools import partial
from typing import NoReturn

import structlog

from firmware_bridge.clock import SuspendAwareLoop, SystemClock
from firmware_bridge.links.address import open_link
from firmware_bridge.links.address_kinds import Surroundings
from firmware_bridge.links.apart import run_apart
from tableside.config import HostConfig
from tableside.configuration.shape import Page
from tableside.control.server import ControlServer, SocketRefused
from tableside.daemon import Daemon, Run
from tableside.exit_codes import ExitCode
from tableside.ground import Ground, compare_pin_apart, write_apart, write_file_apart
from tableside.journal.writer import JournalWriter
from tableside.key_file import KeyRefused, Keys, keys_in
from tableside.left_behind import LeftBehind
from tableside.lock_file import FILE as LOCK_FILE
from tableside.lock_file import Held, LockFile
from tableside.outputs.log import configure_log
from tableside.outputs.log_writer import LogWriter
from tableside.outputs.northbound.broker import Access, Connection, OpenBroker
from tableside.outputs.northbound.http import post
from tableside.service_manager import READY, STOPPING, ServiceManager, service_manager
from tableside.session_numbers import FILE as NUMBERS_FILE
from tableside.session_numbers import NumbersRefused, SessionNumbers
from tableside.version import VERSION

# The daemon is gone within 5 s of SIGTERM; what is not closed by then is as safe as after a power cut.
STOP_LIMIT_S = 4.5
NUMBERS_PERIOD_S = 30.0
NUMBERS_LIMIT_S = 10.0
FOLDER_MODE = 0o700  # people's names and sealed cards stand in there

_log = structlog.get_logger("daemon")


class StartRefused(Exception):
    """The daemon cannot start: what is in the way, what to do, and the code to end with."""

    def __init__(self, code: ExitCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class StopLate(Exception):
    """Something does not let itself be stopped: the process ends without it, which is as safe as a power cut."""


def run_daemon(host: HostConfig) -> ExitCode:
    """Run until a signal ends it. Raises `StartRefused`."""
    clock = SystemClock()
    with ExitStack() as end:
        _make_folders(host)
        lock = LockFile(host.journal_directory / LOCK_FILE)
        try:
            lock.take(f"process {os.getpid()}, host {host.name}, control socket {host.control_socket}")
        except Held as held:
            raise StartRefused(ExitCode.HELD, f"{held}; stop that one first") from held
        end.callback(lock.release)
        try:
            keys = keys_in(host.journal_directory)
            numbers = SessionNumbers(host.journal_directory / NUMBERS_FILE)
        except (KeyRefused, NumbersRefused) as refusal:
            raise StartRefused(ExitCode.CANNOT_CREATE, str(refusal)) from refusal
        writer = LogWriter()
        end.callback(writer.close)
        repeats = configure_log(host.log_level, writer, clock)
        with asyncio.Runner(loop_factory=SuspendAwareLoop) as runner:
            code = runner.run(_main(host, clock, numbers, keys, writer))
        if left_out := repeats.left_out():
            _log.info("log_repeated", counts=left_out)
        return code


async def _main(
    host: HostConfig, clock: SystemClock, numbers: SessionNumbers, keys: Keys, writer: LogWriter
) -> ExitCode:
    journals, left_behind = JournalWriter(clock), LeftBehind()
    ground = Ground(
        clock=clock,
        open_journal=journals.open,
        connect=partial(open_link, surroundings=Surroundings(left_behind=left_behind.found)),
        next_session=numbers.next,
        compare_pin=compare_pin_apart,
        open_broker=_open_broker,
        write_file=write_file_apart,
        post=post,
        write=write_apart,
        left_behind=left_behind,
        digest_key=keys.digest,
        seal_key=keys.seal,
    )
    daemon = Daemon(host, ground, VERSION)
    try:
        await daemon.open()
        if not daemon.tables:
            raise StartRefused(ExitCode.CANNOT_CREATE, "\n".join(daemon.refused.values()))
        group = None if host.control_group is None else grp.getgrnam(host.control_group).gr_gid
        server = ControlServer(daemon.desk, host.control_socket, group)
        ended = _Ended()  # before anybody can see that we are there: what comes next may take a second
        try:
            await server.open()
        except SocketRefused as refusal:
            raise StartRefused(ExitCode.CANNOT_CREATE, str(refusal)) from refusal
        manager = service_manager(os.environ)
        beside: dict[str, Run] = {
            "control": server.run,
            "session numbers": lambda: _keep(numbers),
            "service manager": lambda: manager.run(daemon.is_well),
        }
        if host.metrics is not None:
            beside["metrics"] = _metrics(host.metrics.port, daemon)
        if host.page is not None:
            beside["page"] = _page(host.page, host, daemon, clock)
        try:
            return await _until_signal(daemon, beside, manager, ended)
        except StopLate:
            writer.close()
            os._exit(ExitCode.SOFTWARE)  # nothing is waited for, not even what a clean end of Python would wait for
    finally:
        await journals.close()


async def _open_broker(access: Access) -> Connection:
    """The MQTT library is loaded where a broker is configured: seven megabytes that no other daemon needs."""
    return await (await asyncio.to_thread(_mqtt_opener))(access)


def _mqtt_opener() -> OpenBroker:
    from tableside.outputs.northbound.mqtt_broker import open_mqtt_broker

    return open_mqtt_broker


class _Ended:
    """Whether, and by which signal: SIGTERM is the clean end of a service, Ctrl-C that of a console."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.by: list[int] = []
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end, number)
        # A closed console must not stop a table; and a new configuration is taken by a new start only.
        loop.add_signal_handler(signal.SIGHUP, lambda: _log.warning("hang_up_ignored"))

    def _end(self, number: int) -> None:
        self.by.append(number)
        self.stop.set()


async def _until_signal(daemon: Daemon, beside: dict[str, Run], manager: ServiceManager, ended: _Ended) -> ExitCode:
    running = asyncio.create_task(daemon.run(ended.stop, beside), name="daemon")
    stopping = asyncio.create_task(ended.stop.wait(), name="stop")
    manager.tell(READY)
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    manager.tell(STOPPING)
    stopping.cancel()
    done, _ = await asyncio.wait({running}, timeout=STOP_LIMIT_S)
    if not done:
        _log.error("stop_late", seconds=STOP_LIMIT_S, tasks=sorted(task.get_name() for task in asyncio.all_tasks()))
        raise StopLate
    if (error := running.exception()) is not None:
        _log.critical("daemon_failed", exc_info=error)
        return ExitCode.SOFTWARE
    return ExitCode.INTERRUPTED if ended.by[:1] == [signal.SIGINT] else ExitCode.DONE


def _page(page: Page, host: HostConfig, daemon: Daemon, clock: SystemClock) -> Run:
    """The supervisor's page; what it needs is loaded only where there is one."""
    try:
        from tableside.page.assembly import serve_page
    except ImportError as error:
        text = f"[page] needs what the extra `web` brings: pip install tableside[web] ({error})"
        raise StartRefused(ExitCode.CONFIG, text) from error
    return lambda: serve_page(page, host, daemon, clock)


def _metrics(port: int, daemon: Daemon) -> Run:
    """What a monitoring system reads; loaded only where one does."""
    try:
        from tableside.metrics.server import application, serve
    except ImportError as error:
        text = f"[metrics] needs what the extra `metrics` brings: pip install tableside[metrics] ({error})"
        raise StartRefused(ExitCode.CONFIG, text) from error
    return lambda: serve(application(daemon.desk.status, daemon.tables), port)


async def _keep(numbers: SessionNumbers) -> NoReturn:
    """Reserve session numbers before they run out."""
    while True:
        await asyncio.sleep(NUMBERS_PERIOD_S)
        if numbers.is_low:
            try:
                await numbers.refill(lambda act: run_apart(act, name="session numbers", timeout_s=NUMBERS_LIMIT_S))
            except (NumbersRefused, TimeoutError) as refusal:
                _log.warning("numbers_not_kept", why=str(refusal))


def _make_folders(host: HostConfig) -> None:
    for folder in (host.journal_directory, host.reserve_directory, host.control_socket.parent):
        try:
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        except OSError as error:
            text = f"the folder {folder} cannot be made: {error.strerror}"
            raise StartRefused(ExitCode.CANNOT_CREATE, text) from error
