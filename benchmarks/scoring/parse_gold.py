"""Documents with a reference: Markdown in the same folder tree, or the bookmarks of a PDF file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pypdfium2

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.sources.listing import MEDIA_TYPES

MANIFEST = "manifest.jsonl"
_GROUND_TRUTH = "groundtruth"
_MARKDOWN = ".md"


@dataclass(frozen=True)
class GoldDocument:
    """A document and its reference.

    Attributes:
        name: Path below the gold folder.
        path: The file.
        media_type: Its kind, a value of `sources.MEDIA_TYPES`.
        reference: The Markdown it is compared with.
    """

    name: str
    path: Path
    media_type: str
    reference: Path


def find_gold(folder: str | Path) -> list[GoldDocument]:
    """Return the documents below a folder that have a reference, by name.

    A document's reference is what `manifest.jsonl` in the folder says (`source`, `reference_md`: paths below the
    folder), or else the first of these that exists, for `a/b/NAME.ext`:

    * `NAME.ext.md`, then `NAME.md`, beside it;
    * a file of these names anywhere below `a/b/groundtruth`, then `a/groundtruth`, and so on up to
      the folder itself.

    Files inside a folder named `groundtruth…` are references, never documents, as is a Markdown file beside the
    document whose reference it is. Documents without a reference are left out.
    """
    root = Path(folder)
    if not root.is_dir():
        raise ConfigError("there is no such folder", str(root), "Name a folder with --gold")
    files = sorted(path for path in root.rglob("*") if path.is_file())
    truths = [path for path in files if _truth_folder(path, root)]
    named = _from_manifest(root)
    index: dict[tuple[Path, str], Path] = {}
    for path in truths:
        if top := _truth_folder(path, root):
            index.setdefault((top.parent, path.name), path)
    sources = sorted(set(files) - set(truths) - set(named.values()))
    pairs = [(path, named.get(path) or _reference(path, root, index)) for path in sources]
    used = {reference for _, reference in pairs}
    found = [
        GoldDocument(path.relative_to(root).as_posix(), path, MEDIA_TYPES[path.suffix.lower()], reference)
        for path, reference in pairs
        if reference and path not in used and path.suffix.lower() in MEDIA_TYPES
    ]
    if not found:
        hint = f"Put NAME.ext.md beside NAME.ext, or into a folder {_GROUND_TRUTH} there"
        raise ConfigError("no document has a reference", str(root), hint)
    return found


def bookmarks(data: bytes) -> list[tuple[int, str]]:
    """Return the level, from 1, and the title of each bookmark of a PDF file, in order."""
    document = pypdfium2.PdfDocument(data)
    try:
        return [(item.level + 1, item.get_title().strip()) for item in document.get_toc()]
    finally:
        document.close()


def without_bookmarks(data: bytes) -> bytes:
    """Return a PDF file of the same pages alone, so that no parser can look its headings up."""
    document = pypdfium2.PdfDocument(data)
    bare = pypdfium2.PdfDocument.new()
    try:
        bare.import_pages(document)
        file = io.BytesIO()
        bare.save(file)
        return file.getvalue()
    finally:
        bare.close()
        document.close()


def _truth_folder(path: Path, root: Path) -> Path | None:
    """Return the outermost folder of references that a file lies in."""
    above = path.relative_to(root).parts[:-1]
    for depth, part in enumerate(above, 1):
        if part.startswith(_GROUND_TRUTH):
            return root.joinpath(*above[:depth])
    return None


def _from_manifest(root: Path) -> dict[Path, Path]:
    manifest = root / MANIFEST
    if not manifest.exists():
        return {}
    found = {}
    for number, line in enumerate(manifest.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else {}
            if "reference_md" in row:
                found[root / row["source"]] = root / row["reference_md"]
        except (ValueError, KeyError, TypeError) as error:
            where = f"{manifest}, line {number}"
            raise ConfigError(f"is no JSON object with a source ({error})", where) from error
    return found


def _reference(path: Path, root: Path, index: dict[tuple[Path, str], Path]) -> Path | None:
    return next(_candidates(path, root, index), None)


def _candidates(path: Path, root: Path, index: dict[tuple[Path, str], Path]) -> Iterator[Path]:
    names = [path.name + _MARKDOWN, path.stem + _MARKDOWN]
    for name in names:
        beside = path.with_name(name)
        if beside != path and beside.is_file():
            yield beside
    folders = [path.parent, *path.parent.parents]
    for name in names:
        for above in folders[: folders.index(root) + 1]:
            if (above, name) in index:
                yield index[above, name]
