"""Which kinds of people there are."""

from __future__ import annotations

from .baccarat_dealer import BaccaratDealer
from .dealer import Dealer
from .people import Person
from .staff import Management, Supervisor, Technician

KINDS: dict[str, type[Person]] = {
    "dealer": Dealer,
    "baccarat dealer": BaccaratDealer,
    "supervisor": Supervisor,
    "technician": Technician,
    "room management": Management,
    "somebody": Person,
}
