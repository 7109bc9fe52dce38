"""Markdown as documentation generators write it, made plain before a Markdown parser reads it.

DocFX, MkDocs and Material, Docusaurus, Hugo, Jekyll, GitBook and GitHub add marks of their own to
Markdown. Each module takes some of these marks and leaves their text; what a mark stands for and
is not in the page is left out and counted. No page says which generator it is for, so each mark is
known by its form; what only looks like one stays, and so does all code.
"""

from graphrag_tasks.parse.dialects.plain import plain_markdown

__all__ = ["plain_markdown"]
