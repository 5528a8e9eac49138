"""Pure codecs: bytes in, messages out. No asyncio, threads, clock, logging or files."""
