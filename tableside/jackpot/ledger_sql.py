"""The ledger's statements, the same text for SQLite and PostgreSQL (both take `$1`)."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What an entry is."""

    TERMS = "terms"  # settings that a table was given, for the next start
    START = "start"
    CHIPS = "chips"
    HIT = "hit"  # gives near-simultaneous wins their order
    CLAIM = "claim"
    SETTLED = "settled"


# `shown` and `hidden` in parts: ten-thousandths of the smallest unit. `jackpot`: its name, with its level where it is
# not the main one. `about`: chips, settings, or a hit as it stands since.
TABLES = (
    """CREATE TABLE IF NOT EXISTS jackpot_entries (
  seq {serial}, id TEXT NOT NULL UNIQUE, jackpot TEXT NOT NULL, from_table TEXT NOT NULL, kind TEXT NOT NULL,
  shown BIGINT NOT NULL, hidden BIGINT NOT NULL, about TEXT NOT NULL,
  at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)""",
    "CREATE INDEX IF NOT EXISTS jackpot_entries_of ON jackpot_entries (jackpot, seq)",
    "CREATE INDEX IF NOT EXISTS jackpot_entries_rare ON jackpot_entries (jackpot, kind, seq) WHERE kind <> 'chips'",
    """CREATE TABLE IF NOT EXISTS jackpot_closings (
  seq {serial}, jackpot TEXT NOT NULL, up_to BIGINT NOT NULL, shown BIGINT NOT NULL, hidden BIGINT NOT NULL,
  started BIGINT NOT NULL, contributed BIGINT NOT NULL, taken BIGINT NOT NULL,
  at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)""",
)

ENTER = """INSERT INTO jackpot_entries (id, jackpot, from_table, kind, shown, hidden, about)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING seq"""
ENTRY = "SELECT from_table, kind, shown, hidden, about FROM jackpot_entries WHERE id = $1"
# `kind <> 'chips'` says nothing new, but lets both databases see that the index of the rare kinds will do.
LAST_START = """SELECT seq, about FROM jackpot_entries WHERE jackpot = $1 AND kind = 'start' AND kind <> 'chips'
ORDER BY seq DESC LIMIT 1"""
START_BEFORE = """SELECT about FROM jackpot_entries
WHERE jackpot = $1 AND kind = 'start' AND kind <> 'chips' AND seq < $2 ORDER BY seq DESC LIMIT 1"""
TERMS = """SELECT about FROM jackpot_entries WHERE jackpot = $1 AND kind = 'terms' AND kind <> 'chips' ORDER BY seq"""
LAST_CLAIM = """SELECT about FROM jackpot_entries WHERE jackpot = $1 AND kind = 'claim' AND kind <> 'chips'
AND substr(id, 1, length($2)) = $2 ORDER BY seq DESC LIMIT 1"""
ORDER = """SELECT COUNT(*) FROM jackpot_entries WHERE jackpot = $1 AND kind = 'hit' AND kind <> 'chips'
AND seq <= (SELECT seq FROM jackpot_entries WHERE id = $2)"""
PENDING = """SELECT COUNT(CASE WHEN kind = 'hit' THEN 1 END) - COUNT(CASE WHEN kind = 'settled' THEN 1 END)
FROM jackpot_entries WHERE jackpot = $1 AND kind IN ('hit', 'settled') AND kind <> 'chips'"""

_LAST = """SELECT up_to, shown, hidden, started, contributed, taken FROM jackpot_closings WHERE jackpot = $1
UNION ALL SELECT 0, 0, 0, 0, 0, 0 ORDER BY up_to DESC LIMIT 1"""
_SUMS = """last.shown + COALESCE(SUM(entry.shown), 0), last.hidden + COALESCE(SUM(entry.hidden), 0),
last.started + COALESCE(SUM(CASE WHEN entry.kind = 'start' THEN entry.shown END), 0),
last.contributed + COALESCE(SUM(CASE WHEN entry.kind = 'chips' THEN entry.shown END), 0),
last.taken - COALESCE(SUM(CASE WHEN entry.kind = 'claim' THEN entry.shown END), 0)"""
_FROM = f"""FROM ({_LAST}) AS last
LEFT JOIN jackpot_entries AS entry ON entry.jackpot = $1 AND entry.seq > last.up_to
GROUP BY last.up_to, last.shown, last.hidden, last.started, last.contributed, last.taken"""
SUMS = f"SELECT {_SUMS}, COUNT(entry.seq) {_FROM}"
CLOSE = f"""INSERT INTO jackpot_closings (jackpot, up_to, shown, hidden, started, contributed, taken)
SELECT $1, COALESCE(MAX(entry.seq), last.up_to), {_SUMS} {_FROM} RETURNING seq"""
