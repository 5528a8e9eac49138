"""What goes over the broker is what the JSON Schemas and the AsyncAPI document say: real traffic, both ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from docs.generate.northbound import CHANNELS, SCHEMAS
from tableside.requests import CallSupervisor, ClearAlert, StopPlay
from tests.support.twin_broker import Sent, TwinBroker
from tests.unit.outputs.test_northbound import BASE, away, consumer_of, eventually
from tests.unit.outputs.test_northbound_commands import Asked

FOLDER = Path(__file__).parents[3] / "docs" / "protocols" / "northbound"


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return loaded


VALIDATORS = {name: Draft202012Validator(load(f"{name}.schema.json")) for name in SCHEMAS}
# The level of a topic that says what is on it, behind prefix and table → schema.
OF_LEVEL = {address.split("/")[2]: of for address, _, of, _, _ in CHANNELS.values()}


def test_schemas_are_schemas_and_refuse_what_is_wrong() -> None:
    for name, validator in VALIDATORS.items():
        Draft202012Validator.check_schema(load(f"{name}.schema.json"))
        assert not validator.is_valid({})
    sound = {"id": "c1", "command": "stop", "issued": "2026-01-31T20:15:00Z", "expires": "2026-01-31T20:15:20Z"}
    command = VALIDATORS["command"]
    assert command.is_valid(sound)
    for change in ({"command": "deal"}, {"id": "a:b"}, {"force": True}, {"issued": "now"}, {"alert": 1.5}):
        assert not command.is_valid({**sound, **change})


def test_the_asyncapi_document_leads_to_every_schema() -> None:
    document = load("asyncapi.json")
    assert document["asyncapi"] == "3.0.0"
    refs = [message["payload"]["$ref"] for message in document["components"]["messages"].values()]
    assert sorted(refs) == sorted(path.name for path in FOLDER.glob("*.schema.json"))
    for operation in document["operations"].values():
        channel = document["channels"][operation["channel"]["$ref"].removeprefix("#/channels/")]
        for message in channel["messages"].values():
            assert message["$ref"].removeprefix("#/components/messages/") in document["components"]["messages"]
        assert operation["bindings"]["mqtt"]["qos"] == 1


@pytest.mark.virtual_time
async def test_real_traffic_is_as_the_documents_say(tmp_path: Path) -> None:
    broker, seen = TwinBroker(), set[str]()

    def check(sent: Sent) -> None:
        level = sent.topic.removeprefix(f"{BASE}/").split("/")[0]
        if level == "check":
            return
        of = OF_LEVEL[level]
        VALIDATORS[of].validate(sent.body)
        assert sent.is_retained == (level in ("link", "state")), sent.topic
        seen.add(of)

    broker.listeners.append(check)
    for name, output in (("store", "events"), ("eyes", "bookmarks"), ("pager", "pages")):
        consumer_of(broker, name, output)
    async with away(tmp_path, broker) as house:
        await eventually(lambda: f"{BASE}/state" in broker.retained, 60)
        page = Asked(house, broker)
        assert (await page.ask())["answer"] == "accepted"
        assert (await page.ask())["refusal"] == "repeated"
        await house.table.ask(CallSupervisor(id="x"))
        await house.table.ask(StopPlay(id="s", why="look"))
        (number,) = (one.number for one in house.table.state.alerts.standing.values() if one.text == "CALL-PRESSED")
        await house.table.ask(ClearAlert(id="y", by="S-1", alert=number))
        await eventually(lambda: house.health()["behind_rows"] == 0, 60)
        await eventually(lambda: house.health("eyes")["behind_rows"] == 0, 60)
    assert seen == set(SCHEMAS)
