"""Memory of a process: what it has mapped, and what it gives back to the system."""

from __future__ import annotations

import ctypes
import resource
from pathlib import Path

from graphrag_tasks.core.errors import ConfigError

INDEX_BYTES, SEARCH_BYTES = 4_500_000_000, 3_000_000_000
"""Address space that a run and a search need: with less, libraries of theirs end the process.

Measured on the example corpus by `ulimit -v`: a run ended by a signal with 4.0 GB and not with 4.5,
a search with 2.5 GB and not with 3.0.
"""


def require_address_space(needed: int, what: str) -> None:
    """Refuse to begin where a limit of this process is too low to get through.

    Raises:
        ConfigError: The process may map fewer bytes than `what` needs.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < needed:
        raise ConfigError(
            f"the process may map {limit / 1e9:.1f} GB, and {what} needs {needed / 1e9:.1f} GB",
            "memory",
            "Raise the limit of address space (ulimit -v, LimitAS of systemd)",
        )


def release() -> None:
    """Give freed memory that glibc keeps back to the system; takes some milliseconds.

    What is free between things that stay is given back only on request: 45 MB after 24 shards of
    250 KB. Does nothing where the C library is not glibc.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def mapped_bytes(process: int | str = "self") -> int:
    """Return the address space of a process, by its id; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[0])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()
