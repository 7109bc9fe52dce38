"""Which of the texts that could be a document's title is one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphrag_tasks.parse.blocks import HEADING, METADATA, Block, Title
from graphrag_tasks.parse.text import one_line

_MAX_CHARACTERS = 300
_FILE_ENDINGS = (
    "doc|docx|docm|dot|dotx|ppt|pptx|pptm|xls|xlsx|xlsm|odt|odp|ods|rtf|pdf|ps|eps|indd|qxd|pub|"
    "fm|vsd|vsdx|pages|key|numbers|tex|dvi|md|mdx|markdown|html|htm|xml|txt|csv|tmp|jpg|jpeg|png|tif"
)
_JUNK = re.compile(
    r"(?:untitled|unbenannt|no title|new (?:document|presentation|workbook))\d*\b.*"
    r"|microsoft (?:office )?(?:word|excel|powerpoint|publisher|visio)\b.*"
    r"|(?:powerpoint[ -]?)?presentation ?\d*|powerpoint-präsentation|presentation title"
    r"|(?:word ?)?(?:document|dokument|doc) ?\d*|(?:book|workbook|sheet|slide|page|mappe) ?\d*"
    r"|title|titel|none|null|undefined|default"
    rf"|\S*\.(?:{_FILE_ENDINGS})|.*[\\/].*\.(?:{_FILE_ENDINGS})"
    r"|~?(?:tmp|temp)[\w.~$-]*\d[\w.~$-]*|[a-z]:\\.*|file:.*"
    r"|\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"
    r"|[\W\d_]*",
    re.IGNORECASE,
)
"""What programs write where nobody wrote a title: defaults, names of files, numbers."""


def find_title(metadata: Iterable[str | None], blocks: Iterable[Block]) -> Title | None:
    """Return the first title in the metadata that says something, else the first heading.

    Args:
        metadata: What the file says of itself, best first.
        blocks: The document; none where its headings are not titles, as names of sheets are.
    """
    for title in (one_line(text or "") for text in metadata):
        if title and not is_junk(title):
            return Title(title, METADATA)
    texts: dict[str, str] = {}
    for block in blocks:
        texts.setdefault(block.kind, block.text)
    heading = texts.get("title", texts.get("heading"))
    return Title(heading, HEADING) if heading else None


def is_junk(title: str) -> bool:
    """Tell whether a title in a file's metadata is a program's default or the name of a file."""
    return len(title) > _MAX_CHARACTERS or _JUNK.fullmatch(title) is not None
