"""Markdown dialects of documentation generators: resolves includes, and removes special markup.

In: a page and the files that it may include. Out: plain Markdown. Open `dialects.py` first.
"""

from graphrag_tasks.sources.markdown.dialects import plain_markdown
from graphrag_tasks.sources.markdown.front_matter import front_matter
from graphrag_tasks.sources.markdown.includes import INCLUDE, MarkdownPages, assemble

__all__ = ["INCLUDE", "MarkdownPages", "assemble", "front_matter", "plain_markdown"]
