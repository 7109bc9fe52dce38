"""Markdown dialects of documentation generators: resolves includes, and removes special markup.

In: a page and the files that it may include. Out: plain Markdown. Open `plain.py` first.

DocFX, MkDocs and Material, Docusaurus, Hugo, Jekyll, GitBook and GitHub extend Markdown. Each module removes some of
these extensions and keeps their text; content that is not in the page is counted as left out. No page names its
generator, so markup is recognized by its form; anything else stays, and so does all code.
"""

from graphrag_tasks.sources.markdown.includes import assemble
from graphrag_tasks.sources.markdown.page import front_matter
from graphrag_tasks.sources.markdown.pages import INCLUDE, MarkdownPages
from graphrag_tasks.sources.markdown.plain import plain_markdown

__all__ = ["INCLUDE", "MarkdownPages", "assemble", "front_matter", "plain_markdown"]
