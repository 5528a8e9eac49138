"""ccTalk: frames with checksum or CRC, commands to coin acceptors, their replies (docs/protocols/cctalk.md). Pure."""
