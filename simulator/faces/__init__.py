"""Wire faces: each speaks one protocol for one world. Sans I/O: bytes in, bytes out, times given."""
