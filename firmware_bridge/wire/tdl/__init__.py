"""The Table Device Link: frames, bodies, codes (docs/protocols/tdl.md). Pure: bytes in, messages out."""
