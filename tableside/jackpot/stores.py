"""Which database a ledger stands in. What a PostgreSQL needs is loaded only where there is one."""

from __future__ import annotations

from tableside.configuration.ledger import LedgerPlace
from tableside.jackpot.ledger import LedgerAway, Store
from tableside.jackpot.ledger_sqlite import SqliteStore


def new_store(place: LedgerPlace) -> Store:
    """A store that nobody has opened yet. Raises `LedgerAway`, where it cannot be tried at all."""
    if place.file is not None:
        return SqliteStore(place.file)
    try:
        from tableside.jackpot.ledger_postgres import PostgresStore
    except ImportError as error:
        text = f"PostgreSQL needs what the extra `ledger` brings: pip install tableside[ledger] ({error})"
        raise LedgerAway(text) from error
    return PostgresStore(place.address, place.password_file)
