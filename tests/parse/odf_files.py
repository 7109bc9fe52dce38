"""OpenDocument files, written part by part."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZipFile

_NAMES = ("office", "style", "text", "table", "meta", "presentation", "chart", "form", "script")
_OTHER_NAMES = {
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
}
_KINDS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}
_NAMESPACES = " ".join(
    f'xmlns:{name}="{address}"'
    for name, address in {
        **{name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in _NAMES},
        **_OTHER_NAMES,
    }.items()
)


def part(root: str, inner: str) -> str:
    """Return a part of a package."""
    return f'<?xml version="1.0"?><office:{root} {_NAMESPACES}>{inner}</office:{root}>'


def content(kind: str, body: str, styles: str = "") -> str:
    """Return the part with the text of a document."""
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    name = f"office:{_KINDS[kind]}"
    inner = f"{automatic}<office:body><{name}>{body}</{name}></office:body>"
    return part("document-content", inner)


def odf_file(
    kind: str,
    body: str,
    *,
    styles: str = "",
    title: str = "",
    master: str = "",
    others: Mapping[str, str] | None = None,
) -> bytes:
    """Return a file of this kind; `master` are pages with headers and footers."""
    head = f"<office:meta><dc:title>{title}</dc:title></office:meta>"
    page = f'<style:master-page style:name="Standard">{master}</style:master-page>'
    pages = f"<office:master-styles>{page}</office:master-styles>"
    parts = {
        "mimetype": f"application/vnd.oasis.opendocument.{_KINDS[kind]}",
        "content.xml": content(kind, body, styles),
        "styles.xml": part("document-styles", pages),
        "meta.xml": part("document-meta", head),
        "META-INF/manifest.xml": "<manifest/>",
        **(others or {}),
    }
    buffer = BytesIO()
    with ZipFile(buffer, "w") as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return buffer.getvalue()
