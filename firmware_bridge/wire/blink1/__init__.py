"""blink(1), a USB lamp with a watchdog of its own (docs/protocols/blink1.md)."""
