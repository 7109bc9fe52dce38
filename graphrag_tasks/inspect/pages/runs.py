"""Add files to the folder of documents, index them, and take files away, from the pages."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import count
from pathlib import Path, PurePosixPath
from threading import Lock

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import HTTPException
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ArtifactError, ConfigError, SnapshotError, SourceError
from graphrag_tasks.inspect.pages.changes import Fields, authorised_editor, go_to, read_form, refuse_foreign
from graphrag_tasks.inspect.pages.graph import Renderer
from graphrag_tasks.operations.background import BackgroundRun
from graphrag_tasks.operations.documents import Outcome, outcome
from graphrag_tasks.sources.labels import SIDECAR_SUFFIX, seems_access_file
from graphrag_tasks.sources.metadata import SUFFIX
from graphrag_tasks.sources.roots import is_passed_over, source_roots, unescaped
from graphrag_tasks.storage.files import Files
from graphrag_tasks.storage.snapshots.store import Store

log = logging.getLogger(__name__)

MOST_FILES = 1_000  # Most files of one upload; more are copied into the folder.
MOST_UPLOADED = 1_000_000_000  # Most bytes of one upload; it is held on the disk of temporary files before it is taken.
REMOVED = ".removed"  # Folder in that of the documents, which runs pass over, for files that were taken away.
_CLOSED = "Documents have access labels: who runs the server indexes, by graphrag-tasks index"
_LONGEST_NAME = 200  # Bytes of a file name, which file systems limit to 255.


class Runs:
    """The run that the pages started last, and the local folder that its documents lie in.

    Attributes:
        config: The settings of the store.
        folder: Takes uploaded files; None if no source is a folder on this disk.
        last: None before the first run.
    """

    def __init__(
        self, config: Config, config_file: Path | None,
        of_shards: Sequence[str], of_corpus: Sequence[str],
    ) -> None:  # fmt: skip
        self.config, self._config_file = config, config_file
        self._stages = (of_shards, of_corpus)
        self._lock = Lock()
        self.last: BackgroundRun | None = None
        self._roots = _local_folders(config.sources)
        self.folder = next(iter(self._roots.values()), None)
        self._store, self._before = Store(config.store), ""
        self._labelled = "", False  # a snapshot, and whether it has labels

    def why_closed(self) -> str:
        """Return why nobody may index here, or "".

        Where documents have labels, the page would name hidden documents: in what a run prints, and where it says that
        a file exists. An uploaded access file would give rights.
        """
        has_labels = self.config.access.enabled or self.config.pages.principals is not None
        current = self._store.current_id()
        if current and current != self._labelled[0]:
            self._labelled = current, self._has_labels(current)
        return _CLOSED if has_labels or (current and self._labelled[1]) else ""

    def _has_labels(self, snapshot_id: str) -> bool:
        """Tell whether documents of a snapshot, of any schema version, have labels, or may have."""
        folder = self._store.snapshot_folder(snapshot_id)
        try:
            documents = folder.read_any_version("documents", ["labels"])
        except ArtifactError:  # damaged: it is not known
            return True
        return any(labels.null_count < len(labels) for labels in documents.columns)

    def refuse_labels(self) -> None:
        """Refuse where documents have labels."""
        if why := self.why_closed():
            raise HTTPException(HTTPStatus.FORBIDDEN, why)

    def outcome(self) -> Outcome:
        """Return what the last run that ended well did."""
        before = None
        if self._before:
            with suppress(SnapshotError):  # it is of another release of this package
                before = self._store.open(self._before)
        return outcome(self._store.open(), before)

    def start(self, *, allow_mass_delete: bool = False) -> None:
        """Start a run."""
        with self._lock:
            if self.last and self.last.state == "running":
                why = "A run is on its way. Wait for its end, or cancel it"
                raise HTTPException(HTTPStatus.CONFLICT, why)
            given = ["--config", str(self._config_file)] if self._config_file else []
            given += ["--allow-mass-delete"] if allow_mass_delete else []
            arguments = [*given, "--", *self.config.sources]
            self._before = self._store.current_id() or ""
            self.last = BackgroundRun(self.config.store, arguments, *self._stages)

    def cancel(self) -> None:
        """End the run, if one is on its way."""
        if self.last:
            self.last.cancel()

    def take(self, files: Sequence[UploadFile], *, replace: bool) -> tuple[list[str], list[str]]:
        """Put uploaded files into the folder; return the names taken, and why others were not."""
        taken: list[str] = []
        refused: list[str] = []
        folder = self.folder or Path()  # without one the form is not shown
        for file in files if self.folder else ():
            name = PurePosixPath((file.filename or "").replace("\\", "/")).name
            why = self._why_not(name, file.size or 0, replace=replace)
            if why := why or _kept(file, folder / name):
                refused.append(f"{name or 'A file without a name'} {why}")
            else:
                taken.append(name)
        return taken, refused

    def _why_not(self, name: str, size: int, *, replace: bool) -> str:
        if not name or not name.isprintable() or len(os.fsencode(name)) > _LONGEST_NAME:
            return "has a name that cannot be used"
        if is_passed_over(name):
            return "is hidden, and would be passed over"
        if seems_access_file(name):
            return "is an access file: who runs the server puts it there"
        if size > (most := self.config.parse.max_bytes):
            return f"has {size:,} bytes, more than {most:,} (parse.max_bytes)"
        target = (self.folder or Path()) / name
        if target.is_dir() or target.is_symlink():
            return "has the name of a folder or a link"
        if target.exists() and not replace:
            return "is there already: tick “replace” to put this one in its place"
        return ""

    def path_of(self, uri: str) -> Path | None:
        """Return the file of a document in a local folder, or None."""
        source, _, below = uri.partition("/")
        root = self._roots.get(source)
        if root is None or not below:
            return None
        path = root / unescaped(below)
        try:
            is_inside = path.is_file() and path.resolve().is_relative_to(root.resolve())
        except (OSError, ValueError):  # a name that no file can have
            return None
        return path if is_inside else None

    def remove(self, uri: str) -> None:
        """Move a document's file and what is kept beside it into a hidden folder of the source.

        The next run drops it. A file of the same name that was moved before stays.
        """
        path, root = self.path_of(uri), self._roots.get(uri.partition("/")[0])
        if path is None or root is None:
            raise HTTPException(HTTPStatus.CONFLICT, f"{uri} lies in no folder of this disk")
        folder = (root / REMOVED / path.relative_to(root)).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            targets = (_numbered(folder / path.name, number) for number in count(1))
            target = next(one for one in targets if not one.exists())
            for suffix in (SIDECAR_SUFFIX, SUFFIX, ""):  # the document last: it can be found again
                beside = path.with_name(f"{path.name}{suffix}")
                if beside.is_file():
                    beside.replace(target.with_name(f"{target.name}{suffix}"))
        except OSError as error:
            why = f"{uri} cannot be moved: {error.strerror}"
            raise HTTPException(HTTPStatus.CONFLICT, why) from error


def _numbered(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem} ({number}){path.suffix}")


def _local_folders(sources: Sequence[str]) -> dict[str, Path]:
    """Return the sources that are folders of this disk; none if one of them is gone."""
    try:
        roots = source_roots(sources)
    except (ConfigError, SourceError) as error:  # the run tells it too
        log.warning("no files can be added here: %s", error)
        return {}
    folders = [(root, Files(root.uri)) for root in roots if root.file is None]
    return {root.name: Path(files.path()) for root, files in folders if files.is_local}


def _kept(file: UploadFile, target: Path) -> str:
    """Write an uploaded file, whole or not at all; return why it cannot be, or ""."""
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as written:
            shutil.copyfileobj(file.file, written)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        return f"cannot be written: {error.strerror}"
    return ""


class _Start(BaseModel):
    mass_delete: bool = False


class _Removed(BaseModel):
    uri: str = Field(min_length=1, max_length=5_000)


def add_runs(app: FastAPI, runs: Runs, html: Renderer) -> None:
    """Add the page that shows the run, and the routes that start, feed and cancel it."""
    may, is_open = Depends(authorised_editor), Depends(runs.refuse_labels)

    def page(
        request: Request, taken: Sequence[str] = (), refused: Sequence[str] = (), removed: str = ""
    ) -> HTMLResponse:
        run = runs.last
        state = run.state if run else ""  # once, as it may end meanwhile
        return html.page(
            request, "run", page="run", run=run, state=state, taken=taken, refused=refused,
            removed=removed, outcome=runs.outcome() if state == "done" else None,
            progress=run.progress() if run and state == "running" else None,
        )  # fmt: skip

    @app.get("/run", dependencies=[may, is_open])
    def show(request: Request) -> HTMLResponse:
        return page(request)

    @app.post("/run", dependencies=[may, is_open])
    def start(request: Request, fields: Fields) -> RedirectResponse:
        runs.start(allow_mass_delete=read_form(_Start, fields).mass_delete)
        return go_to(request, html, "/run")

    @app.post("/run/cancel", dependencies=[may, is_open, Depends(refuse_foreign)])
    def cancel(request: Request) -> RedirectResponse:
        runs.cancel()
        return go_to(request, html, "/run")

    @app.post("/run/remove", dependencies=[may, is_open])
    def remove(request: Request, fields: Fields) -> HTMLResponse:
        uri = read_form(_Removed, fields).uri
        runs.remove(uri)
        return page(request, removed=uri)

    @app.post("/run/files", dependencies=[may, is_open, Depends(refuse_foreign)])
    async def files(request: Request) -> HTMLResponse:
        _check_length(request)
        async with request.form(max_files=MOST_FILES) as form:
            return await run_in_threadpool(received, request, form)

    def received(request: Request, form: FormData) -> HTMLResponse:
        sent = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
        taken, refused = runs.take(sent, replace="replace" in form)
        if taken and not (runs.last and runs.last.state == "running"):
            runs.start()
        return page(request, taken, refused)


def _check_length(request: Request) -> None:
    """Refuse what is too long before it is read."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED, "Send files by the form of this page")
    if int(length) > MOST_UPLOADED:
        why = (
            f"More than {MOST_UPLOADED // 1_000_000:,} MB cannot be sent at once. Copy the files "
            "into the folder, then index"
        )
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
