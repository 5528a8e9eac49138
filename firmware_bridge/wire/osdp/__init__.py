"""OSDP v2 (SIA OSDP, IEC 60839-11-5): frames, messages and secure channel of badge readers (docs/protocols/osdp.md)."""
