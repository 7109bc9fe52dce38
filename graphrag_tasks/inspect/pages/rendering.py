"""The templates of the pages, with filters and style."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from graphrag_tasks.core.counted import counted
from graphrag_tasks.core.visible import visible


def templates() -> Environment:
    """Return the template environment, which escapes everything."""
    made = Environment(
        loader=PackageLoader("graphrag_tasks.inspect.pages"), autoescape=True, finalize=_shown,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "number": _number, "counted": counted, "megabytes": _megabytes, "moment": _moment,
        "pages": _pages,
    }  # fmt: skip
    return made


def _shown(value: object) -> object:
    """Return a value as templates write it, with control characters made visible."""
    return visible(value) if type(value) is str else value


def style_text() -> str:
    """Return the style of the pages."""
    return files(__package__).joinpath("pages.css").read_text(encoding="utf-8")


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.1f}"


def _megabytes(value: int) -> str:
    return f"{value / 1_000_000:,.1f} MB"


def _moment(value: str) -> str:
    """Return an ISO time as readable text, without fractions."""
    return value[:19].replace("T", " ")


def _pages(first: int | None, last: int | None = None) -> str:
    """Return the page range of a text; "" if its format has no pages."""
    if first is None:
        return ""
    return f"page {first}" if last in (None, first) else f"pages {first}–{last}"
