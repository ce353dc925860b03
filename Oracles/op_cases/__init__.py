"""Recorded single-operator programs: `variants` says which, `recording` exports, runs and writes them."""
