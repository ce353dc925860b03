"""Recorded single-operator programs: `variants` lists them, `recording` exports, runs and writes them."""
