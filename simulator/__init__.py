"""Pretend devices and people. Shares only bytes with the product: imports wire, links and clock."""
