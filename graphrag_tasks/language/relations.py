"""Relations that say what kind of thing something is."""

from typing import Final

INCLUDES: Final = frozenset({"include", "comprise", "be such as"})
"""Relations whose tail is an example of their head."""
