"""Search modes: one module each, with a function `rank`."""
