"""Parse in a separate process, so that a bad document harms only itself.

A worker process (`worker`) imports its readers once and reads one document after another. A worker that hangs, crashes
or runs out of memory is killed, which costs only the current document.

It is a plain subprocess: `multiprocessing` can start neither from a daemonic process, as Celery's are, nor from a
script without a main guard.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError, MissingDependencyError, TransientError
from graphrag_tasks.core.progress import mapped_bytes
from graphrag_tasks.parse.blocks import Block, Box, ParsedDocument, Title
from graphrag_tasks.parse.limits import MAX_QUEUED, Watch
from graphrag_tasks.parse.readers import IN_PROCESS, load_readers, readers_for
from graphrag_tasks.parse.tables import Table
from graphrag_tasks.sources.encodings import Guess, given_encoding

READY = b"ready"  # The answer when readers are imported; anything else is an encoded error.


def encode_parsed(parsed: ParsedDocument) -> bytes:
    """Encode a parsed document."""
    return json.dumps(vars(parsed), default=vars).encode("ascii")


def encode_error(error: BaseException) -> bytes:
    """Encode the error of a document or of a start."""
    trace = ""
    if isinstance(error, MemoryError):
        what = "reading the document takes more memory than is allowed"
        hint = "Split the file, or raise parse.memory_bytes"
        error = DocumentError("out_of_memory", what, hint=hint)
    elif isinstance(error, RecursionError):
        what = "its elements are nested too deep to be read"
        error = DocumentError("broken", what, hint="Save the document without its layout")
    elif not isinstance(error, DocumentError | MissingDependencyError):
        trace = "".join(traceback.format_exception(error))
        error = parse_failed(error)
    code = error.code if isinstance(error, DocumentError) else "missing"
    message = {"code": code, "what": error.what, "hint": error.hint, "trace": trace}
    return json.dumps(message).encode("ascii")


def parse_failed(error: BaseException, uri: str = "") -> DocumentError:
    """Return a `parse_failed` error for an unexpected exception of a reader."""
    what = f"the parser raised {type(error).__name__}: {error}"
    hint = "Open the file in its own application and save it again, or leave it out"
    return DocumentError("parse_failed", what, uri, hint)


def decode(answer: bytes) -> ParsedDocument:
    """Decode a worker's answer."""
    message = json.loads(answer)
    if "code" in message:
        _raise(**message)
    message["blocks"] = [_block(**block) for block in message["blocks"]]
    message["title"] = Title(*message["title"]) if message["title"] else None
    message["encoding"] = Guess(*message["encoding"]) if message["encoding"] else None
    return ParsedDocument(**message)


def _block(box: Any, table: Any, **rest: Any) -> Block:  # noqa: ANN401
    return Block(**rest, box=Box(*box) if box else None, table=_table(**table) if table else None)


def _table(headers: dict[str, str], origin: list[int] | None, **rest: Any) -> Table:  # noqa: ANN401
    by_column = {int(column): text for column, text in headers.items()}
    return Table(headers=by_column, origin=(origin[0], origin[1]) if origin else None, **rest)


def _raise(code: str, what: str, hint: str, trace: str) -> None:
    if code == "missing":
        raise MissingDependencyError(what, "parse", hint)
    error = DocumentError(code, what, hint=hint)
    if trace:
        error.add_note(trace)
    raise error


START_SECONDS = 300  # Limit for a new worker's imports: seconds as a rule, minutes from a cold disk.

_LEAST_WAIT = 0.01  # seconds
_MAX_GROWTH = 0.25  # of a document's memory, beyond which its worker is replaced
_HUNG_UP = (EOFError, OSError)  # the latter when it ends in the middle of an answer
_FATAL = ("timeout", "out_of_memory", "crashed")
_idle: dict[int, _Worker] = {}
"""The idle worker kept for the next `Parser` of this process, by process id, so that forks have none."""


class Parser:
    """Reads documents in a worker process; a context manager, which keeps its worker for the next.

    `media_types` are the expected types, whose readers are imported at once.
    """

    def __init__(self, media_types: Iterable[str], config: ParseConfig) -> None:
        self._readers = readers_for(config)
        known = sorted(set(media_types) & set(self._readers))
        wanted = {one: self._readers[one] for one in known}
        self._config = config
        self._local = load_readers({one: wanted.pop(one) for one in IN_PROCESS & wanted.keys()})
        self._isolated = wanted
        self._worker: _Worker | None = None

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, *_: object) -> None:
        # Linux ends a worker with the thread that started it: only the main one keeps workers.
        is_main = threading.current_thread() is threading.main_thread()
        if self._worker is not None and is_main and os.getpid() not in _idle:
            _idle[os.getpid()] = self._worker
            self._worker = None
        self._discard()

    def reads(self, media_type: str) -> bool:
        """Tell whether documents of this media type can be read."""
        return media_type in self._readers

    def read(self, media_type: str, data: bytes, encoding: str | None = None) -> ParsedDocument:
        """Read a document of a supported media type.

        `encoding` is what its text is set to be in; None: it is found.
        """
        reader = {media_type: self._readers[media_type]}
        if media_type in IN_PROCESS:
            self._local = load_readers(reader) | self._local
            before = given_encoding.set(encoding)
            try:
                return self._local[media_type](data)
            finally:
                given_encoding.reset(before)
        self._isolated |= reader
        try:
            return decode(self._ready().read(media_type, data, encoding, self._config))
        except DocumentError as error:
            if error.code in _FATAL:
                self._discard()
            raise
        except BaseException:  # interrupted: an answer may still come, and to no question
            self._discard()
            raise

    def _ready(self) -> _Worker:
        self._worker = self._worker or _idle.pop(os.getpid(), None)
        if self._worker is not None and not self._worker.fit(self._config.memory_bytes):
            self._discard()
        self._worker = self._worker or _Worker()
        self._worker.load(self._isolated)
        return self._worker

    def _discard(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


class _Worker:
    """A worker process, and the parent's end of its socket."""

    def __init__(self) -> None:
        self._loaded: dict[str, tuple[str, ...]] = {}
        self._own_bytes = 0
        self._connection, theirs = Pipe()
        with theirs:
            self._process = _spawn(theirs)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fit(self, memory_bytes: int) -> bool:
        grown = mapped_bytes(self._process.pid) - self._own_bytes
        return self.alive and grown <= _MAX_GROWTH * memory_bytes

    def load(self, readers: Mapping[str, tuple[str, ...]]) -> None:
        """Make the worker import readers that it lacks."""
        missing = dict(readers.items() - self._loaded.items())
        if not missing:
            return
        try:
            self._send({"load": missing})
            if not self._connection.poll(START_SECONDS):
                what = f"the parser process was not ready within {START_SECONDS} s"
                raise TransientError(what, "parse")
            answer = self._connection.recv_bytes()
        except _HUNG_UP as error:
            what = f"the parser process ended {self._ending()} before it was ready"
            raise TransientError(what, "parse") from error
        if answer != READY:
            decode(answer)
        self._loaded |= missing
        self._own_bytes = mapped_bytes(self._process.pid)

    def read(self, media_type: str, data: bytes, encoding: str | None, config: ParseConfig) -> bytes:
        """Send a document to a ready worker, and return the answer."""
        seconds = config.seconds_per_document
        try:
            about = {"encoding": encoding, "config": config.model_dump()}
            self._send({"read": media_type, **about})
            self._connection.send_bytes(data)
            if not self._answers(seconds):
                what = f"reading the document takes longer than the {seconds:g} s allowed"
                hint = "Split the file, or raise parse.seconds_per_document"
                raise DocumentError("timeout", what, hint=hint)
            return self._connection.recv_bytes()
        except _HUNG_UP as error:
            raise self._death() from error

    def _answers(self, seconds: float) -> bool:
        watch, left = Watch(MAX_QUEUED * seconds, self._process.pid), seconds
        while left > 0:
            if self._connection.poll(max(left, _LEAST_WAIT)):
                return True
            left = seconds - watch.seconds
        return False

    def _send(self, request: Mapping[str, object]) -> None:
        self._connection.send_bytes(json.dumps(request).encode("ascii"))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()

    def _death(self) -> DocumentError:
        ending = self._ending()
        if self._process.returncode == -signal.SIGKILL:
            what = "the system ended the parser process, as it does when memory runs out"
            hint = "Split the file, lower parse.memory_bytes, or give the machine more memory"
            return DocumentError("out_of_memory", what, hint=hint)
        hint = "Open the file in its own application and save it again, or leave it out"
        return DocumentError("crashed", f"the parser process ended {ending}", hint=hint)

    def _ending(self) -> str:
        code = self._process.wait()
        return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit status {code}"


def _spawn(theirs: Connection) -> subprocess.Popen[bytes]:
    """Start a worker with this process's module search path.

    Its standard streams are not shared, as an Airflow task talks to its supervisor there. It has no search path for
    programs, because Docling would start LibreOffice to draw shapes.
    """
    paths = [path or str(Path.cwd()) for path in sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PATH": ""}
    environment.pop("DOCLING_LIBREOFFICE_CMD", None)
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-P", "-m", "graphrag_tasks.parse.worker", str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        env=environment,
    )


@atexit.register
def _end_idle_worker() -> None:
    if worker := _idle.pop(os.getpid(), None):
        worker.kill()
