"""Access files beside documents, and files that seem to be meant as such.

`report.pdf.access.yaml` is the access file of `report.pdf`. A file with a similar name (`report.pdf.access.yml`,
`report.access.yaml`, `report.pdf_access.yaml`, `report.pdf.acces.json`, or `.access.yaml` in the document's folder or
above) is not, but its author meant to restrict the document.

Names are compared in Unicode form NFC, as macOS uses another form. If several files differ only in that form, the
intended one is unknown, and all documents are hidden.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator

from graphrag_tasks.core.globs import nfc
from graphrag_tasks.sources.media_types import MEDIA_TYPES

SIDECAR_SUFFIX = ".access.yaml"  # Suffix of an access file's name, after the document's full name.

_SURE = re.compile(r"\.\s*access\s*\.\s*ya?ml\s*\Z", re.IGNORECASE)
_JOINED = re.compile(r"(?P<document>.*[^\s._-])[\s_-]+(?P<word>[a-z]+)\s*\.ya?ml\s*", re.IGNORECASE)
_WORD = "access"
_LIKE_THE_WORD = 0.83  # one letter too many, missing or another
_ENDINGS_OF_DOCUMENTS = frozenset(ending[1:] for ending, media_type in MEDIA_TYPES.items() if media_type != "txt")
"""File extensions of documents, except text extensions, which editors add."""


class AccessFiles:
    """The access files of a folder; `unused` are those without a document."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = set(files)
        self._exact: dict[str, str] = {}
        self._suspects: dict[str, list[str]] = {}
        named = sorted(file for file in self._files if document_of(file) is not None)
        documents = {_place(file): file for file in self._files if not is_access_file(file)}
        same = Counter(_place(file) for file in self._files if not is_access_file(file))
        same += Counter(_labelled(file) for file in named if is_access_file(file))
        for file in named:
            place = _labelled(file)
            if is_access_file(file) and place in documents and same[place] == 2:
                self._exact[documents[place]] = file
            else:
                self._suspects.setdefault(_key(file, document_of(file) or ""), []).append(file)
        suspected = {
            document: list(self._find_suspects(document)) for document in self._files if not is_access_file(document)
        }
        self._suspected = {document: found[0] for document, found in suspected.items() if found}
        self._suspicious = {file for found in suspected.values() for file in found}
        used = self._suspicious | {*self._exact.values()}
        self.unused = [one for one in named if is_surely_meant(one) and one not in used]

    def exact(self, document: str) -> str | None:
        """Return the access file of a document, or None."""
        return self._exact.get(document)

    def suspect(self, document: str) -> str | None:
        """Return a misnamed access file of a document, or None."""
        return self._suspected.get(document)

    def is_suspect(self, file: str) -> bool:
        """Tell whether a file seems to be a misnamed access file of some document."""
        return file in self._suspicious

    def _find_suspects(self, document: str) -> Iterator[str]:
        if not self._suspects:
            return
        exact = self._exact.get(document)
        names = [_key(document, posixpath.basename(document))]
        if exact is None:
            bare = posixpath.splitext(document)[0]
            names += [] if bare in self._files else [_key(bare, posixpath.basename(bare))]
            names += _folders(document)
        for name in names:
            for file in self._suspects.get(name, ()):
                is_copy = exact is not None and file.startswith(exact)  # as editors leave them
                if file != document and not is_copy:
                    yield file


def is_access_file(name: str) -> bool:
    """Tell whether a file is an access file, not a document."""
    return name.lower().endswith(SIDECAR_SUFFIX)


def is_surely_meant(name: str) -> bool:
    """Tell whether only an access file would have this name, misnamed or not."""
    base = posixpath.basename(name)
    joined = _JOINED.fullmatch(base)
    if joined and _is_like_the_word(joined["word"]):
        ending = posixpath.splitext(joined["document"])[1].removeprefix(".").lower()
        if ending in (*_ENDINGS_OF_DOCUMENTS, "txt"):
            return True
    return _SURE.search(base) is not None


def differ_in_form(one: str, other: str) -> bool:
    """Tell whether two names differ only in their Unicode form."""
    return one != other and nfc(one) == nfc(other)


def may_label(file: str, document: str) -> bool:
    """Tell whether a file is the access file of a document, or a misnamed one."""
    named = document_of(file)
    bare = posixpath.splitext(document)[0]
    own = (posixpath.basename(document), posixpath.basename(bare), "")
    return named is not None and _key(file, named) in {_key(document, one) for one in own}


def document_of(file: str) -> str | None:
    """Return the document that an access file refers to, misnamed or not; None for other files.

    Such a name has the part `access`, or a similar word, after the document's name, and no document extension after it.
    "" means that the file seems to refer to a folder.
    """
    name = posixpath.basename(file)
    if is_access_file(name):
        return name[: -len(SIDECAR_SUFFIX)]
    if (joined := _JOINED.fullmatch(name)) and _is_like_the_word(joined["word"]):
        return joined["document"]
    parts = name.split(".")
    for place in range(len(parts) - 1, 0, -1):
        if parts[place].lower() in _ENDINGS_OF_DOCUMENTS:
            return None
        if _is_like_the_word(parts[place]):
            return ".".join(parts[:place])
    return None


def _is_like_the_word(part: str) -> bool:
    word = re.split(r"[^a-z]", part.lower(), maxsplit=1)[0]  # "access (1)" and "access~" are too
    if abs(len(word) - len(_WORD)) > 1:
        return False
    return difflib.SequenceMatcher(None, word, _WORD).ratio() >= _LIKE_THE_WORD


def _place(file: str) -> str:
    """Return a file's path with its name in Unicode form NFC."""
    return posixpath.join(posixpath.dirname(file), nfc(posixpath.basename(file)))


def _labelled(file: str) -> str:
    """Return the path of the document that a correctly named access file refers to."""
    return _place(file)[: -len(SIDECAR_SUFFIX)]


def _key(file: str, name: str) -> str:
    """Return a comparison key for a name in a file's folder: NFC, case-folded, stripped."""
    return posixpath.join(posixpath.dirname(file), nfc(nfc(name).casefold()).rstrip(" _-"))


def _folders(document: str) -> Iterator[str]:
    """Yield the keys of files meant for a document's folder or a parent folder."""
    folder = posixpath.dirname(document)
    yield posixpath.join(folder, "")
    while folder not in ("", "/"):
        folder = posixpath.dirname(folder)
        yield posixpath.join(folder, "")
