"""Moving bytes: one file a kind of cable."""
