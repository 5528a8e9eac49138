"""Makes the parts of our documents that follow from the code. `make docs` writes them; a test holds them to it."""
