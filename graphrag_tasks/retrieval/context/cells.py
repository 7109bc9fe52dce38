"""HTML tables for notebooks, without scripts, in the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_html

from graphrag_tasks.core.visible import visible

_SHOWN_CHARACTERS = 280  # Of a cell of a notebook's table; chosen, so that a row stays short. The cell's title has all.
_TABLE_STYLE = "border-collapse:collapse;font-size:90%;text-align:left;margin:.3em 0"
_CELL_STYLE = (
    "border-bottom:1px solid rgba(128,128,128,.4);padding:.2em .6em;text-align:left;vertical-align:top;white-space:"
)
_ON_ONE_LINE = 12  # Characters of a cell that is never broken, such as a number or a name.


def escape(text: str) -> str:
    """Return a text escaped for HTML and attributes, with control characters made visible."""
    return escape_html(visible(text))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table; long cells are cut, with the whole text as tooltip."""
    head = f"<tr>{''.join(_cell('th', name) for name in header)}</tr>" if header else ""
    body = "".join(f"<tr>{''.join(_cell('td', text) for text in row)}</tr>" for row in rows)
    return f'<table style="{_TABLE_STYLE}">{head}{body}</table>'


def folding_table(caption: str, header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a collapsible table below a caption with the number of rows; "" without rows."""
    rows = list(cells)
    if not rows:
        return ""
    title = f"<summary>{escape(caption)} ({len(rows)})</summary>"
    return f"<details open>{title}{table(header, rows)}</details>"


def paragraph(text: str, tag: str = "span") -> str:
    """Return a text as a paragraph in one HTML element, such as `b`."""
    return f"<p><{tag}>{escape(text)}</{tag}></p>"


def _cell(tag: str, text: str) -> str:
    text = " ".join(text.split())
    cut = len(text) > _SHOWN_CHARACTERS
    shown = f"{text[:_SHOWN_CHARACTERS]}…" if cut else text
    title = f' title="{escape(text)}"' if cut else ""
    wrap = "nowrap" if len(text) <= _ON_ONE_LINE else "normal"
    return f'<{tag} style="{_CELL_STYLE}{wrap}"{title}>{escape(shown)}</{tag}>'
