"""The reader of passages: lines of a JSONL file, each a titled text of its own."""

from __future__ import annotations

import json

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import Block, ParsedDocument, Title
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.parse.titles import METADATA


def read_passage(data: bytes) -> ParsedDocument:
    """Read `{"title", "text"}`: the title is a heading, the text one paragraph.

    Raises:
        DocumentError: The line is not such an object (code `broken`).
    """
    try:
        passage = json.loads(data)
        title, text = one_line(str(passage.get("title") or "")), clean_text(passage["text"])
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise DocumentError("broken", f"the line is not a passage: {error}") from error
    blocks = [Block("heading", title, level=1)] if title else []
    blocks += [Block("paragraph", text)] if text.strip() else []
    return ParsedDocument(blocks, Title(title, METADATA) if title else None)
