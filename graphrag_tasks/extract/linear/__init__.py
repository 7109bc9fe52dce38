"""Extract frames from lines by patterns: facts that a dependency parse misses."""
