"""Documents made from the journal alone: what was done, by whom, when, and which rows prove it. Pure."""
