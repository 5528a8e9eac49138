"""Simulated USB devices: one model of a device, reached in the process (pyusb's backend) or over USB/IP."""
