"""Rewrite Office packages so that python-docx and Docling read them correctly.

Comments and processing instructions in XML make python-docx fail; a drop cap is a paragraph of its
own; a superscript digit looks like part of the number before it. Properties that are missing or
not valid, and relations whose target is missing, would cost the whole document.
"""

from __future__ import annotations

import re
from collections.abc import Set
from io import BytesIO
from posixpath import join, normpath, split
from typing import Any
from zipfile import ZipFile

from lxml import etree
from openpyxl.packaging.core import DocumentProperties
from openpyxl.packaging.custom import CustomPropertyList

from graphrag_tasks.parse.text import raised

_UNTIDY = re.compile(rb'<!--|<\?(?!xml\s)|dropCap=|vertAlign\b|\bbaseline="')
_RELATIONS = "_rels/.rels"
_RELATED = re.compile(rb'\br:\w+="([^"]*)"')
_OF_RELATIONS = "/relationships}"
_OF_PACKAGE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
_OF_USER = "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
_PROPERTIES = {
    "docProps/core.xml": (
        DocumentProperties, f'<p:coreProperties xmlns:p="{_OF_PACKAGE}"/>'.encode()
    ),
    "docProps/custom.xml": (CustomPropertyList, f'<Properties xmlns="{_OF_USER}"/>'.encode()),
}  # fmt: skip
"""What reads a part of properties, and the part without any."""
_NONE = "none"
_BASELINE = re.compile(r"-?[1-9]\d*%?")

Element = Any
"""An untyped element of lxml."""


def tidied(data: bytes) -> tuple[bytes, int]:
    """Return the rewritten package, and the number of comments with words in its XML."""
    comments = 0
    with ZipFile(BytesIO(data)) as package:
        parts = package.infolist()
        replaced = _unread_properties(package)
        related = _without_dead_relations(package, replaced)
        for part in parts:
            if not part.filename.endswith(".xml"):
                continue
            written, known = package.read(part), related.get(part.filename, set())
            names = {name.decode("utf-8", "replace") for name in _RELATED.findall(written)}
            if not _UNTIDY.search(written) and names <= known:
                continue
            try:
                root = etree.fromstring(written, _parser())
            except etree.XMLSyntaxError:  # whoever reads the part says so
                continue
            comments += sum(bool((one.text or "").strip()) for one in root.iter(etree.Comment))
            etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
            _join_drop_caps(root)
            _mark_scripts(root)
            if not names <= known:
                _drop_unrelated(root, known)
            replaced[part.filename] = _written(root)
        if not replaced:
            return data, 0
        buffer = BytesIO()
        with ZipFile(buffer, "w") as tidy:
            for name in dict.fromkeys([*(part.filename for part in parts), *replaced]):
                tidy.writestr(name, replaced[name] if name in replaced else package.read(name))
    return buffer.getvalue(), comments


def _unread_properties(package: ZipFile) -> dict[str, bytes]:
    """Return an empty part for each part of properties that is named but missing, or not valid."""
    names = set(package.namelist())
    named = package.read(_RELATIONS) if _RELATIONS in names else b""
    replaced = {}
    for name, (reader, empty) in _PROPERTIES.items():
        if name not in names and name.encode() not in named:
            continue
        try:
            reader.from_tree(etree.fromstring(package.read(name), _parser()))
        except (KeyError, SyntaxError, TypeError, ValueError):
            replaced[name] = empty
    return replaced


def _without_dead_relations(package: ZipFile, replaced: dict[str, bytes]) -> dict[str, set[str]]:
    """Return the ids of each part's relations; those without their target are dropped."""
    names, related = set(package.namelist()), {}
    for name in sorted(names):
        folder, file = split(name)
        if not name.endswith(".rels") or split(folder)[1] != "_rels":
            continue
        try:
            root = etree.fromstring(package.read(name), _parser())
        except etree.XMLSyntaxError:
            continue
        home = split(folder)[0]
        dead = [one for one in root.iter("{*}Relationship") if not _is_there(one, home, names)]
        for one in dead:
            one.getparent().remove(one)
        if dead:
            replaced[name] = _written(root)
        ids = {one.get("Id", "") for one in root.iter("{*}Relationship")}
        related[join(home, file.removesuffix(".rels"))] = ids
    return related


def _is_there(relation: Element, home: str, names: Set[str]) -> bool:
    target = normpath(join("/", home, relation.get("Target", ""))).lstrip("/")
    return relation.get("TargetMode") == "External" or target in names


def _drop_unrelated(root: Element, known: Set[str]) -> None:
    """Drop references to relations that are missing, and the elements that are nothing else."""
    for element in list(root.iter(etree.Element)):
        for name, value in element.items():
            if _OF_RELATIONS in name and value not in known:
                del element.attrib[name]
                is_bare = not len(element) and not element.tag.endswith(("}blip", "}altChunk"))
                if is_bare and element.getparent() is not None:
                    element.getparent().remove(element)


def _written(root: Element) -> bytes:
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return written


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
