"""Memory of a process: mapped address space, reading of mapped files, returning freed memory."""

from __future__ import annotations

import ctypes
import mmap
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray

INDEX_BYTES, SEARCH_BYTES = 4_500_000_000, 3_000_000_000
"""Address space that a run and a search need: with less, libraries abort the process.

Measured on the example corpus by `ulimit -v`: a run ended by a signal with 4.0 GB and not with 4.5,
a search with 2.5 GB and not with 3.0.
"""


def require_address_space(needed: int, what: str) -> None:
    """Check that this process's address space limit suffices."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < needed:
        raise ConfigError(
            f"the process may map {limit / 1e9:.1f} GB, and {what} needs {needed / 1e9:.1f} GB",
            "memory",
            "Raise the limit of address space (ulimit -v, LimitAS of systemd)",
        )


def release() -> None:
    """Return freed memory to the system (glibc only); takes some milliseconds.

    Freed arrays leave holes in the heap that are returned only on request: 45 MB after 24 shards of 250 KB.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def mapped_bytes(process: int | str = "self") -> int:
    """Return the address space of a process, by id; 0 if unknown."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[0])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()


def read_at_random(values: NDArray[Any]) -> None:
    """Tell the system that few rows of a mapped array are read, far apart.

    It reads 128 kB around each page otherwise, and with arrays larger than the memory that pushes out what is needed
    again.
    """
    if hasattr(mmap, "MADV_RANDOM"):
        start = values.ctypes.data // mmap.PAGESIZE * mmap.PAGESIZE
        length = values.ctypes.data + values.nbytes - start
        advise = ctypes.CDLL(None).madvise  # it is advice: where it fails, nothing is lost
        advise(ctypes.c_void_p(start), ctypes.c_size_t(length), mmap.MADV_RANDOM)
