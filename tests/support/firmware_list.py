"""A list of allowed firmware for the simulated machine, reckoned by hashlib and not by the simulator."""

from __future__ import annotations

import hashlib
import hmac

from simulator.world.firmware import Firmware

KEYS = ("00112233445566778899AABBCCDDEEFF00112233", "FFEEDDCCBBAA99887766554433221100FFEEDDCC")  # test keys


def digest(key: str, image: bytes) -> str:
    return hmac.new(bytes.fromhex(key), image, hashlib.sha1).hexdigest().upper()


def listing(firmware: Firmware, version: str = "2.1", keys: tuple[str, ...] = KEYS) -> str:
    """The text of a list on which this firmware stands, once for each key."""
    text = ""
    for key in keys:
        parts = ", ".join(f'"{part.name}" = "{digest(key, part.image)}"' for part in firmware.parts)
        text += (
            f'[[firmware]]\nmaker = "{firmware.maker}"\nmodel = "{firmware.model}"\nversion = "{version}"\n'
            f'approved_by = "a test"\nkey = "{key}"\ncomponents = {{ {parts} }}\n\n'
        )
    return text
