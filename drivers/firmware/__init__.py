"""Proof of firmware: what a machine says that it runs, against the list of what it may run."""
