"""Speed and memory against references, one command each: `python -m benchmarks.NAME`."""
