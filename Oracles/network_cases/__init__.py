"""Cases of neural networks, by topic."""
