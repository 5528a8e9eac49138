"""A seeded search through the whole system: people, hands, faults, crashes; checked after every step.

After the simulator that TigerBeetle is tested with: from one seed a story is made while it is played, in virtual time
and in one process; what must always hold is checked all along (safety), and in the end sensible people must be able
to bring the table back to play (liveness), whatever has happened. A failing story is shortened by itself.
"""
