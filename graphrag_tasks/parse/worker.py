"""The process that runs the readers: `python -m graphrag_tasks.parse.worker DESCRIPTOR`.

Started and killed by `isolation`. It reads requests from a socket that only its parent holds, answers each with one
message, and ends with its parent, on Linux even while it reads. Guards against hostile documents:

* while it reads one, the process may map `memory_bytes` in all (address space, Linux);
* opening a connection or starting a program fails, whatever a parser was made to try;
* if the machine runs out of memory, the kernel kills this process before its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.core.progress import mapped_bytes, release
from graphrag_tasks.parse.blocks import limit_cells
from graphrag_tasks.parse.isolation import READY, encode_error, encode_parsed
from graphrag_tasks.parse.limits import MAX_QUEUED, Allowance, Watch, allowance
from graphrag_tasks.parse.properties import with_said
from graphrag_tasks.parse.readers import Reader, load_readers
from graphrag_tasks.sources.encodings import given_encoding

_LINUX = sys.platform == "linux"
_LARGE = 100_000  # bytes of a document that is worth giving its memory back
_READING_SHARE = 0.8  # of a document's seconds, to read the pages of a PDF and join them
_PAGES_SHARE = 0.5  # of its memory, for pages; the rest is for joining them
_HUNG_UP = (EOFError, BrokenPipeError, ConnectionResetError)
_PR_SET_PDEATHSIG = 1  # of Linux's <sys/prctl.h>: a signal for when the parent ends
_OOM_SCORE_ADJ = Path("/proc/self/oom_score_adj")
_FIRST_TO_END = "1000"
_REFUSED_EVENTS = {
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pty.spawn"),
    *("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr"),
    *("socket.gethostbyname", "socket.sendto", "subprocess.Popen"),
}
_refusing = threading.Event()  # seen by every thread that a parser starts


def main(descriptor: int) -> None:
    """Answer requests until the parent closes the connection.

    Args:
        descriptor: Open socket to the parent. A request is a JSON object: `load` names readers to import; `read` is the
            media type of the document whose bytes come next, `config` its limits (`ParseConfig`), and `encoding` its
            configured encoding, or null.
    """
    _restrict_process()
    readers: dict[str, Reader] = {}
    own = 0
    with Connection(descriptor) as parent, contextlib.suppress(*_HUNG_UP):
        while True:
            request = json.loads(parent.recv_bytes())
            if "load" in request:
                try:
                    readers |= load_readers(request["load"])
                    parent.send_bytes(READY)
                except MissingDependencyError as error:
                    parent.send_bytes(encode_error(error))
                own = mapped_bytes()
            else:
                reader, data = readers[request["read"]], parent.recv_bytes()
                given_encoding.set(request["encoding"])
                config = ParseConfig(**request["config"])
                parent.send_bytes(_read(reader, request["read"], data, config, own))
                if len(data) > _LARGE:
                    release()


def _restrict_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_refuse)
    if _LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        with contextlib.suppress(OSError):  # a sandbox may hide it
            _OOM_SCORE_ADJ.write_text(_FIRST_TO_END)


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event in _REFUSED_EVENTS and _refusing.is_set():
        raise PermissionError(f"documents may not cause {event}")


def _read(reader: Reader, media_type: str, data: bytes, config: ParseConfig, own: int) -> bytes:
    seconds, bound = config.seconds_per_document, _memory_bound(config.memory_bytes, own)
    watch = Watch(MAX_QUEUED * seconds)
    for_pages = own + (bound - own) * _PAGES_SHARE
    allowance.set(Allowance(seconds * _READING_SHARE, for_pages, watch))
    try:
        with _restricted(bound):
            parsed = with_said(media_type, data, reader(data))
            return encode_parsed(limit_cells(parsed))
    except Exception as error:  # noqa: BLE001 - told to the parent, which makes a row of it
        return encode_error(error)


def _memory_bound(memory_bytes: int, own: int) -> int:
    """Return the memory that the process may map while it reads a document.

    Models may map more than the limit before the first document; then half of it is added to theirs.
    """
    bounds = [max(memory_bytes, own + memory_bytes // 2), resource.getrlimit(resource.RLIMIT_AS)[0]]
    return min(bound for bound in bounds if bound != resource.RLIM_INFINITY)


@contextlib.contextmanager
def _restricted(bound: int) -> Iterator[None]:
    """Block connections and programs, and limit mapped memory, inside the context."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if _LINUX:
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    _refusing.set()
    try:
        yield
    finally:
        _refusing.clear()
        if _LINUX:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    main(int(sys.argv[1]))
