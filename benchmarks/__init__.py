"""What an event costs, how that grows, and what else costs the same: ``python -m benchmarks``."""
