"""Whole days in virtual time: the scenario files, the simulated room and the daemon in one process."""
