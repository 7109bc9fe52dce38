"""Words of real files by our readers beside those of an independent reader of the format.

    python -m benchmarks.reader_words FOLDER...

The others are programs of the machine (pandoc, pdftotext) and the libraries openpyxl and python-pptx; a format whose
reader is missing is left out. Prints for each format the files, those that one of both could not read, and the shares
of the other's words (all, not only distinct ones) that are in our blocks: as they are, and within a word of ours or
over two of them, as where a space was lost or made. `--words` prints what is missing, by file.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import openpyxl
from pptx import Presentation

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.readers import READERS, load_readers
from graphrag_tasks.sources.listing import MEDIA_TYPES
from graphrag_tasks.sources.media_types import media_type_of

_WORD = re.compile(r"[^\W_]+(?:[.,'’:/–-][^\W_]+)*")
_PANDOC = {"docx": "docx", "epub": "epub", "html": "html", "md": "gfm+footnotes", "odt": "odt",
           "rst": "rst", "tex": "latex", "xml": "jats"}  # fmt: skip
_SECONDS = 120


def main() -> None:
    """Compare all files of the folders, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--words", action="store_true", help="print the words that are missing")
    options = parser.parse_args()
    totals: dict[str, Counter[str]] = {}
    for path in (path for folder in options.folders for path in sorted(folder.rglob("*"))):
        named = MEDIA_TYPES.get(path.suffix.lower(), "")
        if not path.is_file() or not named:
            continue
        data = path.read_bytes()
        media_type = media_type_of(data, named)
        counts = totals.setdefault(media_type, Counter())
        if (theirs := _theirs(media_type, path, data)) is None:
            continue
        counts["files"] += 1
        ours = _ours(media_type, data)
        if ours is None:
            counts["unread"] += 1
            continue
        missing, moved = _missing(theirs, ours)
        counts.update(words=theirs.total(), missing=missing.total(), moved=moved)
        if options.words and missing:
            print(path, missing.total(), "of", theirs.total(), dict(missing.most_common(30)))
    print("| format | files | unread | words | as they are | parted or joined | missing |")
    print("|---|---|---|---|---|---|---|")
    for media_type, counts in sorted(totals.items()):
        if words := counts["words"]:
            kept = 1 - (counts["missing"] + counts["moved"]) / words
            shares = (kept, counts["moved"] / words, counts["missing"] / words)
            told = " | ".join(f"{share:.4f}" for share in shares)
            print(f"| {media_type} | {counts['files']} | {counts['unread']} | {words} | {told} |")


def _ours(media_type: str, data: bytes) -> str | None:
    try:
        parsed = load_readers({media_type: READERS[media_type]})[media_type](data)
    except DocumentError:
        return None
    return "\n".join([parsed.title.text if parsed.title else "", *(b.text for b in parsed.blocks)])


def _missing(theirs: Counter[str], text: str) -> tuple[Counter[str], int]:
    """Return the words that we do not have, and how many of the rest are so only without blanks."""
    lacking = theirs - Counter(_words(text))
    packed = "".join(_WORD.findall(text)).lower()
    joined = re.sub(r"[\W_]+", "", packed)
    missing: Counter[str] = Counter()
    for word, count in lacking.items():
        if re.sub(r"[\W_]+", "", word) not in joined:
            missing[word] = count
    moved = sum(count for word, count in lacking.items() if word not in missing and word not in packed)
    return missing, moved


def _words(text: str) -> Iterator[str]:
    return (word.lower() for word in _WORD.findall(text))


def _theirs(media_type: str, path: Path, data: bytes) -> Counter[str] | None:
    """Return the words of a file by another reader; None where there is none, or it fails."""
    own: dict[str, Callable[[bytes], str]] = {"xlsx": _sheets, "pptx": _slides}
    try:
        if media_type in own:
            return Counter(_words(own[media_type](data)))
        if media_type == "pdf" and shutil.which("pdftotext"):
            return Counter(_words(_run("pdftotext", "-layout", str(path), "-")))
        if media_type in _PANDOC and shutil.which("pandoc"):
            form = ("--from", _PANDOC[media_type], "--to", "plain", "--wrap", "none")
            return Counter(_words(_run("pandoc", *form, str(path))))
    except (subprocess.SubprocessError, ValueError, KeyError, OSError, BadZipFile):
        return None
    return None


def _run(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    return ran.stdout.decode("utf-8", "replace")


def _sheets(data: bytes) -> str:
    book = openpyxl.load_workbook(BytesIO(data), data_only=True, read_only=True)
    rows = (row for sheet in book if sheet.sheet_state == "visible" for row in sheet.values)
    return "\n".join(str(value) for row in rows for value in row if isinstance(value, str))


def _slides(data: bytes) -> str:
    slides = Presentation(BytesIO(data)).slides
    shapes = (shape for slide in slides for shape in slide.shapes if shape.has_text_frame)
    return "\n".join(shape.text_frame.text for shape in shapes)


if __name__ == "__main__":
    main()
