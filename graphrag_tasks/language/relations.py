"""Relations that state the kind of a thing."""

from typing import Final

INCLUDES: Final = frozenset({"include", "comprise", "be such as"})  # Relations whose tail is an example of their head.
