"""The ledger's statements, the same text for SQLite and PostgreSQL (both take `$1`)."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What an entry is."""

    START = "start"
    CHIPS = "chips"
    CLAIM = "claim"
    PAID = "paid"
    RETURNED = "returned"


# `shown` and `hidden` in parts: ten-thousandths of the smallest unit. `about`: a claim's payout, or what is settled.
TABLES = (
    """CREATE TABLE IF NOT EXISTS jackpot_entries (
  seq {serial}, id TEXT NOT NULL UNIQUE, jackpot TEXT NOT NULL, from_table TEXT NOT NULL, kind TEXT NOT NULL,
  shown BIGINT NOT NULL, hidden BIGINT NOT NULL, about TEXT NOT NULL,
  at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)""",
    "CREATE INDEX IF NOT EXISTS jackpot_entries_of ON jackpot_entries (jackpot, seq)",
    """CREATE TABLE IF NOT EXISTS jackpot_closings (
  seq {serial}, jackpot TEXT NOT NULL, up_to BIGINT NOT NULL, shown BIGINT NOT NULL, hidden BIGINT NOT NULL,
  at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)""",
)

ENTER = """INSERT INTO jackpot_entries (id, jackpot, from_table, kind, shown, hidden, about)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING seq"""
ENTRY = "SELECT from_table, kind, shown, hidden FROM jackpot_entries WHERE id = $1"
# What was claimed in one hit, and how each was settled.
HIT_OF = """SELECT claimed.about, settled.kind FROM jackpot_entries AS claimed
LEFT JOIN jackpot_entries AS settled ON settled.id = claimed.id || '/settled'
WHERE claimed.kind = 'claim' AND substr(claimed.id, 1, length($1) + 1) = $1 || '/' ORDER BY claimed.seq"""
PENDING = """SELECT id FROM jackpot_entries AS claimed WHERE jackpot = $1 AND kind = 'claim' AND NOT EXISTS (
  SELECT 1 FROM jackpot_entries AS settled WHERE settled.id = claimed.id || '/settled') ORDER BY seq"""

_LAST = """SELECT up_to, shown, hidden FROM jackpot_closings WHERE jackpot = $1
UNION ALL SELECT 0, 0, 0 ORDER BY up_to DESC LIMIT 1"""
SUMS = f"""SELECT last.shown + COALESCE(SUM(entry.shown), 0), last.hidden + COALESCE(SUM(entry.hidden), 0)
FROM ({_LAST}) AS last LEFT JOIN jackpot_entries AS entry ON entry.jackpot = $1 AND entry.seq > last.up_to
GROUP BY last.shown, last.hidden"""
CLOSE = f"""INSERT INTO jackpot_closings (jackpot, up_to, shown, hidden)
SELECT $1, COALESCE(MAX(entry.seq), last.up_to),
  last.shown + COALESCE(SUM(entry.shown), 0), last.hidden + COALESCE(SUM(entry.hidden), 0)
FROM ({_LAST}) AS last LEFT JOIN jackpot_entries AS entry ON entry.jackpot = $1 AND entry.seq > last.up_to
GROUP BY last.up_to, last.shown, last.hidden RETURNING seq"""
