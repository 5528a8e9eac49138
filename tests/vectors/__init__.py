"""Bytes written by hand from a specification, and the readers of these files."""
