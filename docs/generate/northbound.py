"""JSON Schemas and the AsyncAPI document of the northbound side, made from the message types."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from tableside.outputs.northbound.messages import (
    Acknowledged,
    BookmarkTold,
    Command,
    CommandAnswered,
    EventTold,
    LinkTold,
    PageTold,
    StateTold,
)
from tableside.outputs.northbound.topics import Topics

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Of the messages, not of the program that sends them.
DOCUMENT_VERSION = "1"
FOLDER = "docs/protocols/northbound"
# File name → type.
SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "link": LinkTold,
    "state": StateTold,
    "event": EventTold,
    "bookmark": BookmarkTold,
    "page": PageTold,
    "acknowledgement": Acknowledged,
    "command": Command,
    "command-answer": CommandAnswered,
}
_TOPICS = Topics("{prefix}", "{table}")
# Channel → address, what is on it, its schema, whether it is retained, whether the table sends it.
CHANNELS: dict[str, tuple[str, str, str, bool, bool]] = {
    "link": (_TOPICS.link, "whether the table is on-line; its will", "link", True, True),
    "state": (_TOPICS.state, "how the table stands", "state", True, True),
    "events": (_TOPICS.output("events", "{consumer}"), "rows of the journal", "event", False, True),
    "bookmarks": (_TOPICS.output("bookmarks", "{consumer}"), "where surveillance looks", "bookmark", False, True),
    "pages": (_TOPICS.output("pages", "{consumer}"), "alerts for pagers", "page", False, True),
    "acks": (_TOPICS.ack("{consumer}"), "what a consumer has kept", "acknowledgement", False, False),
    "commands": (_TOPICS.command("{client}"), "what a client asks", "command", False, False),
    "replies": (_TOPICS.reply("{client}"), "the answer to a command", "command-answer", False, True),
}


def schema(name: str) -> str:
    """One JSON Schema (2020-12), as a file's text."""
    made = msgspec.json.schema(SCHEMAS[name], schema_hook=anything)
    return text_of({"$schema": DIALECT, "$id": f"urn:tableside:northbound:{name}", **made})


def anything(_kind: type) -> dict[str, Any]:
    """The bodies of rows are as many as there are kinds of rows."""
    return {"description": "as the type of the row has it"}


def asyncapi() -> str:
    """The AsyncAPI 3.0 document, as a file's text."""
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for name, (address, said, of, is_retained, is_sent) in CHANNELS.items():
        parameters = [part[1:-1] for part in address.split("/") if part.startswith("{")]
        channels[name] = {
            "address": address,
            "description": said,
            "messages": {of: {"$ref": f"#/components/messages/{of}"}},
            "parameters": {part: {"description": _PARAMETERS[part]} for part in parameters},
        }
        operations[f"{'send' if is_sent else 'receive'}-{name}"] = {
            "action": "send" if is_sent else "receive",
            "channel": {"$ref": f"#/channels/{name}"},
            "bindings": {"mqtt": {"qos": 1, "retain": is_retained, "bindingVersion": "0.2.0"}},
        }
    operations["receive-commands"]["reply"] = {
        "address": {"location": "$message.header#/responseTopic"},
        "channel": {"$ref": "#/channels/replies"},
    }
    messages = {
        name: {"contentType": "application/json", "payload": {"$ref": f"{name}.schema.json"}} for name in SCHEMAS
    }
    return text_of(
        {
            "asyncapi": "3.0.0",
            "info": {"title": "Tableside northbound", "version": DOCUMENT_VERSION},
            "defaultContentType": "application/json",
            "channels": channels,
            "operations": operations,
            "components": {"messages": messages},
        }
    )


_PARAMETERS = {
    "prefix": "the path of the broker's address in the host's file",
    "table": "the table's name",
    "consumer": "a name of [[consumers]]",
    "client": "a name of [[clients]]",
}


def pages() -> dict[str, str]:
    """Every file that is made: its name from the root, and its text."""
    made = {f"{FOLDER}/{name}.schema.json": schema(name) for name in SCHEMAS}
    return {**made, f"{FOLDER}/asyncapi.json": asyncapi()}


def text_of(what: dict[str, Any]) -> str:
    """A document as a file's text."""
    return json.dumps(what, indent=2, ensure_ascii=False) + "\n"
