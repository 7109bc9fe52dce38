"""Rewrite Office packages so that python-docx and Docling read them correctly.

Comments and processing instructions in XML make python-docx fail; a drop cap is a paragraph of its
own; a superscript digit looks like part of the number before it.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from lxml import etree

from graphrag_tasks.parse.text import raised

_UNTIDY = re.compile(rb'<!--|<\?(?!xml\s)|dropCap=|vertAlign\b|\bbaseline="')
_NONE = "none"
_BASELINE = re.compile(r"-?[1-9]\d*%?")

Element = Any
"""An untyped element of lxml."""


def tidied(data: bytes) -> tuple[bytes, int]:
    """Return the rewritten package, and the number of comments with words in its XML."""
    replaced: dict[str, bytes] = {}
    comments = 0
    with ZipFile(BytesIO(data)) as package:
        parts = package.infolist()
        for part in parts:
            if part.filename.endswith(".xml") and _UNTIDY.search(written := package.read(part)):
                try:
                    root = etree.fromstring(written, _parser())
                except etree.XMLSyntaxError:  # whoever reads the part says so
                    continue
                comments += sum(bool((one.text or "").strip()) for one in root.iter(etree.Comment))
                etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
                _join_drop_caps(root)
                _mark_scripts(root)
                replaced[part.filename] = etree.tostring(
                    root, xml_declaration=True, encoding="UTF-8", standalone=True
                )
        if not replaced:
            return data, 0
        buffer = BytesIO()
        with ZipFile(buffer, "w") as tidy:
            for name in dict.fromkeys(part.filename for part in parts):
                tidy.writestr(name, replaced[name] if name in replaced else package.read(name))
    return buffer.getvalue(), comments


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def _join_drop_caps(root: Element) -> None:
    """Join drop caps with the paragraph that follows them."""
    for frame in list(root.iter("{*}framePr")):
        paragraph = frame.getparent().getparent()
        following = paragraph.getnext() if paragraph is not None else None
        if _attribute(frame, "dropCap") in ("", _NONE) or following is None:
            continue
        if following.tag == paragraph.tag:
            start = 1 if following.find("{*}pPr") is not None else 0
            for run in reversed(paragraph.findall("{*}r")):
                following.insert(start, run)
            paragraph.getparent().remove(paragraph)


def _mark_scripts(root: Element) -> None:
    """Write superscript and subscript digits so that they do not lengthen a number."""
    for properties in root.iter("{*}rPr"):
        sign = properties.find("{*}vertAlign")
        script = _attribute(sign, "val") if sign is not None else properties.get("baseline", "")
        is_low = script == "subscript" or script.startswith("-")
        if script != "superscript" and not is_low and not _BASELINE.fullmatch(script):
            continue
        run = properties.getparent()
        before = run.getprevious()
        while before is not None and before.find("{*}t") is None:
            before = before.getprevious()
        if before is not None:
            ahead = "".join(text.text or "" for text in before.iterfind("{*}t"))
            for text in run.iterfind("{*}t"):
                text.text = raised(ahead, text.text or "", lowered=is_low)


def _attribute(element: Element, name: str) -> str:
    return next((v for key, v in element.items() if etree.QName(key).localname == name), "")
