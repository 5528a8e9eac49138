"""Programs that nobody here wrote, in environments of their own, as the other end of our links."""
