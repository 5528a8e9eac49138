"""How long to wait before the next connection: a clamped table with full jitter.

A table, not a power: a formula that grows without bound overflowed in the field after twenty hours without a
device, and reconnecting stopped without a word (Home Assistant 21014).
"""

from __future__ import annotations

import random

# A cable of one's own (serial, USB, TCP to one device): nobody else is hurt by quick tries, and a device that comes
# back is in service within 5 s (BR-021).
OWN_CABLE_S = (0.25, 0.5, 1.0, 2.0, 4.0)

# A broker is shared by the tables of a room: after its restart 200 of them come back, and no second may see more
# than a tenth of them (BR-046); so already the first wait is spread over 30 s.
SHARED_BROKER_S = (30.0, 45.0, 60.0)

# A wrong device stays wrong until a person changes it; one look a minute notices that soon enough.
QUARANTINE_S = 60.0

_STEPS = max(len(OWN_CABLE_S), len(SHARED_BROKER_S))

_SHARED_SCHEMES = ("mqtt", "mqtts")


def table_for(address: str) -> tuple[float, ...]:
    """The table of waits, in seconds, that suits the kind of cable that an address names."""
    scheme = address.partition(":")[0]
    return SHARED_BROKER_S if scheme in _SHARED_SCHEMES else OWN_CABLE_S


class Backoff:
    """The waits of one keeper. `jitter` is seeded in tests; each keeper has its own."""

    def __init__(self, table_s: tuple[float, ...], jitter: random.Random) -> None:
        if not table_s or min(table_s) <= 0:
            raise ValueError(f"back-off refused: {table_s}; waits are above 0 s, and there is at least one")
        self._table_s = table_s
        self._jitter = jitter
        self._step = 0

    def next_s(self, *, is_link_fault: bool = True) -> float:
        """Seconds to wait now: anything up to the table's entry; later ones are longer, the last repeats.

        A device that does not answer on a sound link (`is_link_fault` False) is no reason to spare a broker.
        """
        table_s = self._table_s if is_link_fault else OWN_CABLE_S
        longest_s = table_s[min(self._step, len(table_s) - 1)]
        self._step = min(self._step + 1, _STEPS)
        return self._jitter.uniform(0.0, longest_s)

    def quarantine_s(self) -> float:
        """Seconds to wait after a permanent fault: between half of QUARANTINE_S and all of it."""
        return self._jitter.uniform(QUARANTINE_S / 2, QUARANTINE_S)

    def reset(self) -> None:
        """The link was stable: the next loss begins with the shortest waits."""
        self._step = 0
