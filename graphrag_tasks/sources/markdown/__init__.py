"""Markdown as documentation generators write it: its includes, and its marks made plain.

Comes in: a page and what it may include. Goes out: the page as plain Markdown. Open `plain` first.

DocFX, MkDocs and Material, Docusaurus, Hugo, Jekyll, GitBook and GitHub add marks of their own to
Markdown. Each module takes some of these marks and leaves their text; what a mark stands for and
is not in the page is left out and counted. No page says which generator it is for, so each mark is
known by its form; what only looks like one stays, and so does all code.
"""

from graphrag_tasks.sources.markdown.includes import assemble
from graphrag_tasks.sources.markdown.pages import INCLUDE, MarkdownPages
from graphrag_tasks.sources.markdown.plain import plain_markdown

__all__ = ["INCLUDE", "MarkdownPages", "assemble", "plain_markdown"]
