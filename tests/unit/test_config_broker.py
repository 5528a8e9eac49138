"""BR-068 for what tables tell others: every mistake in broker, consumers, clients, HTTP outputs, devices on MQTT."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.links.mqtt_address import MqttsAddress
from tableside.config import ConfigRefused, check, load_host
from tableside.configuration.addresses import read_address
from tests.support.certificates import Authority
from tests.support.config_files import Edit, write_config

SOUND = """
[broker]
address = "mqtts://broker.house:8883/house/pit-1"
certificates = "certificates"

[[consumers]]
name = "store"
output = "events"

[[consumers]]
name = "pager"
output = "pages"
url = "https://pager.house/page"

[[clients]]
name = "page"
speaks_for = ["S-1"]
"""

# What is broken, what stands instead, the key that is named, the line of SOUND that is shown, words of the message.
BROKEN: list[tuple[str, str, str, str, str, list[str]]] = [
    ("typo in the heading", "[broker]", "[brokers]", "brokers", "[brokers]", ['Did you mean "broker"?']),
    ("typo in a key", "certificates =", "certificats =", "broker.certificats", "certificats =", ['"certificates"']),
    (
        "no address",
        'address = "mqtts://broker.house:8883/house/pit-1"\n',
        "",
        "broker.address",
        "[broker]",
        ["missing"],
    ),
    ("unknown scheme", "mqtts://", "mqtss://", "broker.address", "address =", ["did you mean mqtts?", "mqtts://HOST"]),
    ("no prefix", "8883/house/pit-1", "8883", "broker.address", "address =", ["a prefix follows the host"]),
    ("wildcard in the prefix", "house/pit-1", "house/+", "broker.address", "address =", ["without + and #"]),
    ("the broker's own topics", "/house/pit-1", "/$SYS/pit-1", "broker.address", "address =", ["without $"]),
    ("no port", ":8883", ":eighty", "broker.address", "address =", ["from 1 to 65535"]),
    ("a password", "mqtts://broker", "mqtts://me:pw@broker", "broker.address", "address =", ["passwords do not stand"]),
    ("plain with certificates", "mqtts://", "mqtt://", "broker.certificates", "certificates =", ["without mqtts"]),
    (
        "no certificates",
        'certificates = "certificates"\n',
        "",
        "broker.certificates",
        "[broker]",
        ["own certificate"],
    ),
    ("folder that is not there", '"certificates"', '"certs"', "broker.certificates", "certificates =", ["ca.crt"]),
    ("number for a folder", '"certificates"', "7", "broker.certificates", "certificates =", ["in quotes"]),
    ("unknown output", '"events"', '"event"', "consumers[0].output", "output =", ['"events"', "bookmarks", "pages"]),
    ("no output", 'output = "events"\n', "", "consumers[0].output", "[[consumers]]", ["missing"]),
    ("name with a slash", '"store"', '"st/ore"', "consumers[0].name", "name =", ["1 to 16 letters"]),
    ("consumer named twice", '"pager"', '"store"', "consumers[1].name", 'name = "store"\noutput = "pages"', ["once"]),
    ("typo in a consumer", "url =", "uri =", "consumers[1].uri", "uri =", ['"url"']),
    ("no scheme in a url", "https://pager", "pager", "consumers[1].url", "url =", ["https://"]),
    ("ftp in a url", "https://", "ftp://", "consumers[1].url", "url =", ["no address to post to"]),
    ("no host in a url", "pager.house/page", "/page", "consumers[1].url", "url =", ["no address to post to"]),
    ("a password in a url", "https://", "https://me:pw@", "consumers[1].url", "url =", ["no address to post to"]),
    ("port 0 in a url", "pager.house/", "pager.house:0/", "consumers[1].url", "url =", ["no address to post to"]),
    ("port in words in a url", "pager.house/", "pager.house:x/", "consumers[1].url", "url =", ["to post to"]),
    ("a blank in a url", "/page", "/pa ge", "consumers[1].url", "url =", ["no address to post to"]),
    ("nobody of that id", '["S-1"]', '["S-9"]', "clients[0].speaks_for[0]", '"S-9"', ["nobody of [[staff]]", "S-1"]),
    ("text for a list", '["S-1"]', '"S-1"', "clients[0].speaks_for", "speaks_for", ["list"]),
    (
        "client named twice",
        'speaks_for = ["S-1"]',
        'speaks_for = ["S-1"]\n\n[[clients]]\nname = "page"',
        "clients[1].name",
        'name = "page"',
        ["each name once"],
    ),
    ("typo in a client", "speaks_for", "speak_for", "clients[0].speak_for", "speak_for", ['"speaks_for"']),
]


def files(folder: Path, *edits: Edit, names: tuple[str, ...] = ("BJ-1",)) -> Path:
    """The sound files with a broker, certificates, and whatever is broken in them."""
    authority = Authority(folder / "certificates")
    for name in names:
        authority.issue(name)
    return write_config(folder, *edits)


def test_what_is_sound_has_no_mistake(tmp_path: Path) -> None:
    assert check(files(tmp_path, Edit("host", "", SOUND))) == []


@pytest.mark.parametrize(
    ("old", "new", "key", "place", "words"), [case[1:] for case in BROKEN], ids=[c[0] for c in BROKEN]
)
def test_each_mistake_is_named_with_its_line_and_remedy(
    tmp_path: Path, old: str, new: str, key: str, place: str, words: list[str]
) -> None:
    assert old in SOUND
    path = files(tmp_path, Edit("host", "", SOUND.replace(old, new, 1)))
    mistakes = {mistake.key: mistake for mistake in check(path)}
    assert key in mistakes, [str(mistake) for mistake in mistakes.values()]
    mistake = mistakes[key]
    assert mistake.is_refused
    assert mistake.allowed
    lines = path.read_text("utf-8").split("\n")
    assert place in "\n".join(lines[mistake.line - 1 :])[: len(place) + 40]
    for word in words:
        assert word in str(mistake)
    with pytest.raises(ConfigRefused, match=f"{key.split('[')[0]}"):
        load_host(path)


def test_all_of_them_come_in_one_run(tmp_path: Path) -> None:
    text = SOUND
    for old, new in (("mqtts://", "mqtss://"), ('"events"', '"event"'), ("https://", "ftp://"), ('["S-1"]', '["S-9"]')):
        text = text.replace(old, new, 1)
    keys = {mistake.key for mistake in check(files(tmp_path, Edit("host", "", text)))}
    assert {"broker.address", "consumers[0].output", "consumers[1].url", "clients[0].speaks_for[0]"} <= keys


def test_without_a_broker_only_what_has_a_url_has_a_way(tmp_path: Path) -> None:
    text = SOUND[SOUND.index("[[consumers]]") :]
    keys = {mistake.key for mistake in check(files(tmp_path, Edit("host", "", text)))}
    assert keys == {"consumers[0].url", "clients[0].name"}


def test_keys_that_others_can_read_are_told_with_what_to_do(tmp_path: Path) -> None:
    path = files(tmp_path, Edit("host", "", SOUND))
    (tmp_path / "certificates" / "BJ-1.key").chmod(0o644)
    (mistake,) = check(path)
    assert mistake.key == "broker.certificates"
    assert "can be read by others (mode 0644)" in mistake.problem
    assert "chmod 600" in mistake.allowed


def test_a_table_without_a_certificate_of_its_own_is_told_before_it_tries(tmp_path: Path) -> None:
    """Told at its name, in the table's own file: the host's file does not know it."""
    mistakes = check(files(tmp_path, Edit("host", "", SOUND), names=()))
    assert {(mistake.file.name, mistake.key) for mistake in mistakes} == {("table.toml", "table.name")}
    assert [mistake.problem.rsplit("/", 1)[-1] for mistake in mistakes] == [
        "BJ-1.crt is not there",
        "BJ-1.key is not there",
    ]


@pytest.mark.parametrize(("old", "new"), [('"store"', '"BJ-1"'), ('name = "page"', 'name = "BJ-1"')])
def test_a_table_is_called_like_nobody_else_at_the_broker(tmp_path: Path, old: str, new: str) -> None:
    """Rights go by name: whoever has a table's name could write its topics."""
    (mistake,) = check(files(tmp_path, Edit("host", "", SOUND.replace(old, new, 1))))
    assert (mistake.file.name, mistake.key) == ("table.toml", "table.name")
    assert "no consumer and no client" in mistake.allowed


PRODUCTION = Edit("host", '"lab"', '"production"\nusb_allowed = []')


def test_production_speaks_to_nobody_in_plain(tmp_path: Path) -> None:
    text = SOUND.replace("mqtts://", "mqtt://").replace('certificates = "certificates"\n', "")
    text = text.replace("https://", "http://")
    keys = {mistake.key for mistake in check(files(tmp_path, PRODUCTION, Edit("host", "", text)))}
    assert {"broker.address", "consumers[1].url"} <= keys
    here = SOUND.replace("https://pager.house", "http://127.0.0.1:9")
    found = {mistake.key for mistake in check(files(tmp_path, PRODUCTION, Edit("host", "", here)))}
    assert "consumers[1].url" not in found, "what stays on this machine may go in plain"
    plain = Edit("table", "usb://1234:abcd/000777", "mqtt://broker.house/house/pit-1/BJ-1/devices/box")
    (told,) = [one for one in check(files(tmp_path, PRODUCTION, plain)) if one.key == "devices[1].address"]
    assert "is not encrypted" in told.problem
    assert "mqtts://" in told.allowed


def test_production_without_a_list_of_usb_devices_is_warned(tmp_path: Path) -> None:
    found = {one.key: one for one in check(write_config(tmp_path, Edit("host", '"lab"', '"production"')))}
    assert not found["host.usb_allowed"].is_refused
    assert "strange USB device" in found["host.usb_allowed"].problem


def device_at(query: str) -> Edit:
    address = f"mqtts://broker.house/house/pit-1/BJ-1/devices/box{query}"
    return Edit("table", "usb://1234:abcd/000777", address)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?certificates=certificates&name=BJ-1", []),
        ("", ["?certificates=FOLDER", "&name=NAME"]),
        ("?certificates=certificates&name=BJ-2", ["BJ-2.crt is not there", "BJ-2.key is not there"]),
        ("?certificates=nowhere&name=BJ-1", ["ca.crt is not there"]),
        ("?certificate=certificates&name=BJ-1", ["did you mean certificates?"]),
    ],
)
def test_a_device_on_mqtt_in_tls_is_told_what_it_lacks(tmp_path: Path, query: str, words: list[str]) -> None:
    mistakes = check(files(tmp_path, device_at(query)))
    said = "\n".join(map(str, mistakes))
    assert {mistake.key for mistake in mistakes} == ({"devices[1].address"} if words else set())
    for word in words:
        assert word in said


def test_the_folder_of_certificates_counts_from_the_file_that_names_it(tmp_path: Path) -> None:
    (address,) = [
        device.address
        for device in load_host(files(tmp_path, device_at("?certificates=certificates&name=BJ-1"))).tables[0].devices
        if device.address.startswith("mqtts")
    ]
    parsed = read_address(address, Path("/nowhere")).parsed
    assert isinstance(parsed, MqttsAddress)
    assert parsed.files.key == tmp_path / "certificates" / "BJ-1.key"
