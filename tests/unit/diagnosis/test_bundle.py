"""The service file: everything that a maker needs, nobody's identity, no secret; whole or not at all."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import events
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.diagnosis import bundle
from tableside.diagnosis.bundle import Gathered, write_bundle
from tableside.diagnosis.redaction import LEFT_OUT, Redaction
from tableside.exit_codes import ExitCode
from tableside.house import House
from tableside.machine_requests import RecordMachine, Standing
from tests.support.config_files import Edit, write_config
from tests.support.session import open_table
from tests.support.table import HOUSE, PERSONS, WALL_START_NS, Table
from tests.support.written import written
from tests.unit.diagnosis.test_errors import cleared_jam
from tests.unit.diagnosis.test_statistics import story_of

# One of each kind, wherever such a thing may stand.
BADGE, PIN_HASH, PASSWORD, KEY = "26:00C0FFEE", "scrypt$15$8$3$42$feedbead", "hunter2", "B0" * 16
PLANTED = (
    Edit("host", 'badge = "26:00000140"', f'badge = "{BADGE}"\npin_hash = "{PIN_HASH}"'),
    Edit(
        "host",
        "[[staff]]",
        f'[[consumers]]\nname = "pager"\noutput = "pages"\nurl = "https://user:{PASSWORD}@pager.example/x"\n\n[[staff]]',
    ),
    Edit("table", 'model = "PD"', 'model = "PD"\nosdp_key_file = "reader.key"'),
)
SECRETS = (BADGE, PIN_HASH, "feedbead", PASSWORD, KEY, *(person.name for person in PERSONS), "Supervisor", "Manager")
STAFF = tuple(person.staff for person in PERSONS)


@pytest.fixture
def table() -> Table:
    """A day with people in it: a jam cleared, a note that names a person, a part that names another."""
    made = open_table()
    cleared_jam(made)
    note = "Teresa Technician asked Sara Supervisor; the 7♣ red was creased"
    assert made.ask(RecordMachine, by="T1", serial="000123", standing=Standing.IN_SERVICE, note=note).is_accepted
    made.notice(events.DeviceFaulted, fault=4, place=events.Place.FEED)
    return made


def parts_of(file: Path) -> dict[str, str]:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_no_planted_secret_and_no_person_leaves(table: Table, tmp_path: Path) -> None:
    config = write_config(tmp_path, *PLANTED)
    (tmp_path / "reader.key").write_text(KEY)
    traces = tmp_path / "run" / "traces" / "BJ 3" / "1"
    traces.mkdir(parents=True)
    (traces / "shuffler.trace").write_text('{"format":1}\n')
    file = tmp_path / "service.zip"
    gathered = Gathered(
        source="daemon",
        stories=(story_of(table),),
        until_ns=WALL_START_NS + table.now_ns,
        status={"host": "pit-1", "staff": "S1", "badge": BADGE},
        config=config,
        journals=tmp_path / "run",
    )
    contents = write_bundle(file, gathered)
    parts = parts_of(file)
    assert set(parts) == set(contents.parts)
    everything = "\n".join([*parts, *parts.values()])
    for secret in SECRETS:
        assert secret not in everything, secret
        assert json.dumps(secret)[1:-1] not in everything, secret
    for staff in STAFF:
        assert f'"{staff}"' not in everything, staff
        assert f" {staff}" not in everything, staff
    assert "7♣" not in everything
    assert json.dumps("♣")[1:-1] not in everything
    assert "technician 1" in parts["journal-BJ 3.jsonl"]
    assert "technician 1 asked floor supervisor 1; the a card" in everything
    assert json.loads(parts["config.json"])["host.toml"]["staff"] == "2 people"
    assert "traces/BJ 3/1/shuffler.trace" in parts
    assert contents.left_out == ()
    assert json.loads(parts["errors.json"])["standing"] == 1


def test_what_could_not_be_had_is_said(table: Table, tmp_path: Path) -> None:
    gathered = Gathered("journal", (story_of(table),), WALL_START_NS, None, None, None)
    contents = write_bundle(tmp_path / "service.zip", gathered)
    assert [said.partition(":")[0] for said in contents.left_out] == ["status.json", "config.json", "traces of BJ 3"]
    (tmp_path / "bad.toml").write_text("[host")
    gathered = Gathered("journal", (story_of(table),), WALL_START_NS, None, tmp_path / "bad.toml", None)
    assert any("config.json: " in said for said in write_bundle(tmp_path / "again.zip", gathered).left_out)


def test_it_is_whole_or_not_there(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle leaves nothing half done."""

    def interrupted(*_arguments: object) -> bytes:
        raise KeyboardInterrupt

    file = tmp_path / "service.zip"
    gathered = Gathered("journal", (story_of(table),), WALL_START_NS, None, None, None)
    with monkeypatch.context() as patched:
        patched.setattr(bundle, "_excerpt", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_bundle(file, gathered)
    assert list(tmp_path.iterdir()) == []
    file.write_text("mine")
    with pytest.raises(FileExistsError):
        write_bundle(file, gathered)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_the_command_refuses_what_it_would_write_over(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(written(table, tmp_path))
    file = tmp_path / "service.zip"
    command = ["diag", "bundle", str(file), "--recording", journal]
    assert run_command(tableside, command) == ExitCode.DONE
    assert "not in it: status.json" in capsys.readouterr().out
    assert file.stat().st_mode & 0o077 == 0
    assert run_command(tableside, command) == ExitCode.CANNOT_CREATE
    assert run_command(tableside, ["diag", "bundle", "x.tar", "--recording", journal]) == ExitCode.USAGE
    assert run_command(tableside, ["diag", "bundle", str(tmp_path / "no" / "x.zip"), "--recording", journal]) == (
        ExitCode.CANNOT_CREATE
    )


def test_a_person_has_one_name_in_the_whole_file() -> None:
    house: House = replace(HOUSE, persons=PERSONS)
    redaction = Redaction(house.persons)
    assert redaction.text("S1 and Sara Supervisor, then S2") == (
        "floor supervisor 1 and floor supervisor 1, then floor supervisor 2"
    )
    assert redaction.text("S12 is a part") == "S12 is a part"
    assert redaction.of({"badge": BADGE, "card": "26:00C0FFEE", "persons": [1, 2]}) == {
        "badge": LEFT_OUT,
        "card": LEFT_OUT,
        "persons": "2 people",
    }
    assert Redaction(()).text("nobody is known") == "nobody is known"
