"""The templates of the pages, with filters, style, and the headers that all responses have."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.core.visible import counted, visible
from graphrag_tasks.inspect.pages.changes import may_change
from graphrag_tasks.inspect.pages.graph import as_columns
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.inspect.pages.runs import Runs

_ERROR = "error"  # The template that tells nothing of the documents, as anybody may get it.


def templates() -> Environment:
    """Return the template environment, which escapes everything."""
    made = Environment(
        loader=PackageLoader("graphrag_tasks.inspect.pages"), autoescape=True, finalize=_shown,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "number": _number, "counted": counted, "megabytes": _megabytes, "moment": _moment,
        "pages": _pages, "query": _query, "cells": _cells,
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


def _cells(text: str) -> str:
    """Return the text of a row with dots between its cells."""
    return text.replace(CELL_SEPARATOR, " · ")


def _query(asked: Mapping[str, object]) -> str:
    """Return the query of an address, without empty values."""
    return urlencode({name: value for name, value in asked.items() if value}, doseq=True)


# Renders templates as responses, with the headers that all pages have.


class PageRenderer:
    """Renders this package's templates.

    Pages contain their style. Their content security policy forbids loading, scripts, and forms to other sites.
    """

    def __init__(self, runs: Runs | None, reader: Reader) -> None:
        self._templates, self._runs, self._reader = templates(), runs, reader
        style = style_text()
        # not escaped: it is a file of ours
        self._templates.globals["style"] = Markup(style)  # noqa: S704
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
        self.headers = {
            "Cache-Control": "private, no-store",
            "Content-Security-Policy": f"default-src 'none'; img-src 'self'; "
            f"style-src 'sha256-{digest}'; "
            "form-action 'self'; frame-ancestors 'self'; base-uri 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def page(
        self,
        request: Request,
        template: str,
        status: HTTPStatus = HTTPStatus.OK,
        **values: Any,  # noqa: ANN401 - what the template shows
    ) -> HTMLResponse:
        """Return a template with values, as the user of a request may see it."""
        root = request.scope.get("root_path", "")
        heading = self._reader.heading(values.get("manifest")) if template != _ERROR else None
        text = self._templates.get_template(f"{template}.html").render(
            root=root,
            heading=heading,
            here=f"{root}/snapshots/{heading.manifest.snapshot_id}" if heading else "",
            may_change=may_change(request),
            may_run=self._runs is not None and may_change(request) and not self._runs.why_closed(),
            runs=self._runs,
            **values,
        )
        return HTMLResponse(text, status, self.headers)

    def error(self, request: Request, what: str, status: HTTPStatus) -> Response:
        """Return an error page, or JSON for a script."""
        if request.url.path.endswith(".json"):
            return as_columns({"error": what}, status)
        return self.page(request, _ERROR, status, what=what, title=status.phrase)
