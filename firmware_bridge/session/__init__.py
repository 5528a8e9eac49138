"""One connection: request and reply, notices, retry policy; the keeper makes the next one."""
