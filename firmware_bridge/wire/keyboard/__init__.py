"""A keyboard's boot reports and the maps of its keys. Pure."""
