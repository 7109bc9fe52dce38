"""Reader of LaTeX, by Docling, with the sentences that it passes over put in.

No program is run and nothing is taken from other files: Docling gets the text alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.completeness import FileText
from graphrag_tasks.parse.docling_blocks import mark_hyperlinks, read_blocks
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.encodings import decode
from graphrag_tasks.parse.left_out import LeftOut
from graphrag_tasks.parse.links import FoundLink, with_links, without_marks
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.text import clean_text

_SENTENCE_WORDS = 3
"""Fewer words between two marks may be names of styles and files, which are no text."""

_BEGIN, _END = r"\begin{document}", r"\end{document}"
_VERBATIM = re.compile(
    r"\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|alltt)\}(.*?)(?:\\end\{\1\}|\Z)", re.DOTALL
)
_COMMENTED = re.compile(r"\\begin\{comment\}(.*?)(?:\\end\{comment\}|\Z)", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%([^\n]*)")
_INPUT = re.compile(r"\\(?:input|include|subfile|import|lstinputlisting)\b\s*\{")
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_TIE = re.compile(r"(?<!\\)~")
_MARK = re.compile(
    r"\\['\"`^~=.uvHtcdbrk]\s*\{?\\?\w?\}?"  # a letter with an accent, which is another in the text
    r"|\$[^$]*\$|\\begin\s*\{[^}]*\}|\\end\s*\{[^}]*\}|\\[a-zA-Z@]+\*?|\\.|[{}\[\]&#$~]|\n\s*\n"
)
_WORD = re.compile(r"[^\W\d_]{2,}")


def read_tex(data: bytes) -> ParsedDocument:
    """Read a document.

    Raises:
        DocumentError: The file is binary or nested too deep (code `broken`).
    """
    file = decode(data)
    text, _, behind = without_marks(clean_text(file.text)).partition(_END)
    left_out: Counter[str] = Counter(file.left_out)
    left_out[LeftOut.HIDDEN] += bool(behind.strip())
    text, verbatim = _without_comments(text, left_out)
    # Docling ends a paragraph at a link, and drops the blank of a tie.
    links = [FoundLink(None, found[2], found[1]) for found in _LINK.finditer(text)]
    text = _TIE.sub(" ", _LINK.sub(r"{\2}", text))
    left_out[LeftOut.INCLUDE] += len(_INPUT.findall(text))
    source = f"{text}{_END}" if _BEGIN in text else text
    for number, block in enumerate(verbatim):
        source = source.replace(_place(number), block)
    if not source.replace(_END, "").strip():
        return ParsedDocument([], left_out=left_out, encoding=file.encoding)
    try:
        tree = convert(source.encode("utf-8", "replace"), "tex")
    except RecursionError as error:
        what = "its elements are nested too deep to be read"
        hint = "Save the document without its layout"
        raise DocumentError("broken", what, hint=hint) from error
    found = read_blocks(tree, mark_hyperlinks(tree), _texts(text, verbatim))
    blocks = with_links(found, links)
    return ParsedDocument(
        blocks, find_title((), blocks), left_out=left_out, encoding=file.encoding, tree=tree
    )


def _place(number: int) -> str:
    return f"\ufdd0{number}\ufdd1"


def _without_comments(text: str, left_out: Counter[str]) -> tuple[str, list[str]]:
    """Return text without comments, with marks where the texts stand that are shown as they are."""
    verbatim: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        verbatim.append(found[0])
        return _place(len(verbatim) - 1)

    def count(found: re.Match[str]) -> str:
        left_out[LeftOut.COMMENT] += bool(found[found.lastindex or 0].strip("% "))
        return found[1] if found.re is _COMMENT else ""

    text = _VERBATIM.sub(put_aside, text)
    return _COMMENT.sub(count, _COMMENTED.sub(count, text)), verbatim


def _texts(text: str, verbatim: list[str]) -> Iterator[FileText]:
    """Yield the stretches of the text between marks that may be sentences."""
    body = text.partition(_BEGIN)[2] or text
    for part in re.split("(\ufdd0\\d+\ufdd1)", body):
        if part.startswith("\ufdd0"):
            shown = _VERBATIM.match(verbatim[int(part[1:-1])])
            yield FileText([shown[2]] if shown else [])
            continue
        for stretch in _MARK.split(part):
            if len(_WORD.findall(stretch)) >= _SENTENCE_WORDS:
                yield FileText([stretch])
