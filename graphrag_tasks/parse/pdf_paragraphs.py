"""Text lines of a PDF file into paragraphs.

Two lines belong together when they stand in the same row, or when the second stands close below
the first, is of its size, begins near its left edge, and its first word would not have fitted
behind the first: a line that had room left ended its paragraph.

Lengths are points, in a page's coordinates from the top left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from graphrag_tasks.parse.blocks import Block, Box

_SAME_ROW_SHARE = 0.5  # of the lower height, that two cells of a row overlap by
_WORD_GAP = 1.5  # heights between two cells of a row that are one text
_LINE_GAP = 0.9  # heights between two lines of a paragraph
_SIZE_RATIO = 1.35  # heights depend on the letters, so only a clear step is another size
_MAX_INDENT = 4.0  # heights
_PAGE_NUMBER = re.compile(r"(?:page |seite |- ?)?(?:\d{1,4}|[ivxlc]{1,6})(?: ?-| ?/ ?\d+| of \d+)?", re.IGNORECASE)
_MARGIN_SHARE = 0.1  # of the text's extent on a page, where page numbers and running lines stand
_RUNNING_PAGES = 3
_NUMBERING = re.compile(r"^(?:chapter|section|part|appendix)?\s*[\dA-Z]{0,3}(?:\.\d+)*[.:)]?\s+", re.IGNORECASE)
_MARKER = re.compile(r"(?:[•‣▪●○◦∙·∞–—*-]|[(]?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}[-\u00ad]$")
_ENDS_OPEN = re.compile(r"[\w,;\-\u00ad]$")

Outline = Mapping[int, Mapping[str, int]]
