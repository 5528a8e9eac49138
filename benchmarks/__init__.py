"""Figures against peers: `make bench`. A ratio, never a timed test: both sides interleaved in one run."""
