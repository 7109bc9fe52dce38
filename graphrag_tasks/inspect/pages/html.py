"""Rendering of the templates; everything from documents or requests is escaped."""

from __future__ import annotations

import base64
import hashlib
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_MEGABYTE = 1_000_000


class Renderer:
    """Renders the templates of this package.

    Pages contain their style. Their content security policy forbids a browser to load or run
    anything, and to send forms elsewhere.
    """

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("graphrag_tasks.inspect.pages"), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        style = files(__package__).joinpath("pages.css").read_text(encoding="utf-8")
        # not escaped: it is a file of ours
        self._templates.globals["style"] = Markup(style)  # noqa: S704
        self._templates.filters |= {
            "number": _number, "megabytes": _megabytes, "moment": _moment, "pages": _pages,
        }  # fmt: skip
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
        self._headers = {
            "Cache-Control": "private, no-store",
            "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{digest}'; "
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
        """Return the page that a template makes of some values."""
        root = request.scope.get("root_path", "")
        text = self._templates.get_template(f"{template}.html").render(root=root, **values)
        return HTMLResponse(text, status, self._headers)

    def error(self, request: Request, what: str, status: HTTPStatus) -> HTMLResponse:
        """Return an error page."""
        return self.page(request, "error", status, what=what, title=status.phrase)


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.1f}"


def _megabytes(value: int) -> str:
    return f"{value / _MEGABYTE:,.1f} MB"


def _moment(value: str) -> str:
    """Return an ISO time without its letters and fractions."""
    return value[:19].replace("T", " ")


def _pages(first: int | None, last: int | None = None) -> str:
    """Return the pages of a text; empty where its format has no pages."""
    if first is None:
        return ""
    return f"page {first}" if last in (None, first) else f"pages {first}–{last}"
