"""USB on a real kernel: Debian's, in an emulated machine (`make test-usb`). Not part of `make test`."""
