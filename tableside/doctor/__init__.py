"""Whether a host is fit to run its tables: looked at before a table opens, changed only by who reads it."""
