"""Scorers of public benchmarks: `python -m benchmarks.scoring NAME`."""
