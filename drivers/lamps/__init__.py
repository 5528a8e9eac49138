"""Warning lamps that stand by themselves: one file a model, one contract (`goal.py`)."""
