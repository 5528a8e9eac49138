"""Where a page is served: `http://HOST:PORT`, and nothing else in it."""

from __future__ import annotations

from urllib.parse import urlsplit

FORM = "http://HOST:PORT"


class PageAddressRefused(ValueError):
    """No address at which a page can be served; says why."""


def parse_page_address(text: str) -> tuple[str, int]:
    """Host and port. Raises PageAddressRefused."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as mistake:
        raise PageAddressRefused(f'"{text}": {mistake}') from mistake
    if parts.scheme != "http" or not host or not port or f"http://{parts.netloc}" != text or "@" in parts.netloc:
        raise PageAddressRefused(f'"{text}" is not {FORM}')
    return host, port
