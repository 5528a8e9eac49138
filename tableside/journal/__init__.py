"""The house's record: one append-only, hash-chained SQLite file a table; bodies are opaque bytes here."""
