"""What a device can do: messages become facts, goals become requests. Knows no people and no storage."""
