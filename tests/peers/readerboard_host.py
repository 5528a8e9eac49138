"""The PyPI package `readerboard` 0.7.0 as a sign's host: its HTTP service, asked over HTTP. Run in its own environment.

    readerboard_host.py SIGN_PORT HTTP_PORT STATE_FILE

Takes JSON lines {"method", "path", "body"} and says each answer; first it says that it listens.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import urllib.error
import urllib.request

import uvicorn
from readerboard.api.app import create_app
from readerboard.config import Settings

KEY = "test-key"


def say(**what):
    print(json.dumps(what), flush=True)


def ask(port, method, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        data=json.dumps(body).encode() if body is not None else None,
        method=method,
        headers={"X-API-Key": KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def main():
    sign, http, state = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    settings = Settings(
        serial_url=f"socket://127.0.0.1:{sign}",
        host="127.0.0.1",
        port=http,
        api_key=KEY,
        state_path=state,
        log_file=None,
        settle_delays_enabled=False,
    )
    server = uvicorn.Server(uvicorn.Config(create_app(settings), host="127.0.0.1", port=http, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    say(listening=True)
    for line in sys.stdin:
        wanted = json.loads(line)
        status, text = ask(http, wanted["method"], wanted["path"], wanted.get("body"))
        say(answered=wanted["path"], status=status, text=text)


main()
