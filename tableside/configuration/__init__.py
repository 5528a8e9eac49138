"""The host's and the tables' TOML files: their shape, where each key stands, and what is wrong with them."""
