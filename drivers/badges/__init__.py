"""One plain class a device model."""
