"""Hosts of a PN532 that nobody here wrote, on a serial port of ours. Run in their own environments.

    pn532_readers.py adafruit|nfcpy PORT

Says what the chip is; then takes JSON lines {"read": NAME} and says which tag is read for each, or none.
"""

from __future__ import annotations

import json
import sys

import serial


def say(**what):
    print(json.dumps(what), flush=True)


def adafruit(port):
    from adafruit_pn532.uart import PN532_UART

    chip = PN532_UART(serial.Serial(port, 115200, timeout=0.2))
    say(chip=list(chip.firmware_version))

    def read():
        uid = chip.read_passive_target(timeout=0.5)
        return uid.hex() if uid is not None else None

    return read, lambda: say(slept=chip.power_down())


def nfcpy(port):
    import nfc.clf
    import nfc.clf.pn532
    import nfc.clf.transport

    device = nfc.clf.pn532.init(nfc.clf.transport.TTY(port))
    say(chip=device.chipset_name, line=device.chipset.diagnose("line"), baud=device.chipset.transport.baudrate)

    def read():
        target = device.sense_tta(nfc.clf.RemoteTarget("106A"))
        return target.sdd_res.hex() if target is not None else None

    def close():
        device.close()
        say(slept=True)

    return read, close


def main():
    read, close = {"adafruit": adafruit, "nfcpy": nfcpy}[sys.argv[1]](sys.argv[2])
    for line in sys.stdin:
        wanted = json.loads(line)
        if "read" not in wanted:
            break
        say(read=wanted["read"], uid=read())
    close()


main()
