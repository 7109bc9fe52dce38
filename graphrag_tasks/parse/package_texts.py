"""The texts in the XML parts of an Office package, and what of them is not for its readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from graphrag_tasks.parse.completeness import FileText
from graphrag_tasks.parse.left_out import LeftOut

_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DELETED = {"del", "moveFrom"}
_SHAPES = {"sp", "grpSp", "graphicFrame", "pic"}
_FURNITURE = {"ftr", "dt", "hdr", "sldNum"}
_OFF = {"0", "false", "off"}
_DESCRIBED = {"docPr": "descr", "cNvPr": "descr", "shape": "alt"}


@dataclass
class PartTexts:
    """What one part of a package holds.

    Attributes:
        texts: Paragraphs, in the order of the part.
        left_out: How many passages and pictures there are that are no text for readers.
    """

    texts: list[FileText] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def parse_part(data: bytes) -> Any:  # noqa: ANN401 - lxml has no types
    """Return the root of an XML part, without anything that lies outside of it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)
    return etree.fromstring(data, parser)


def read_part(root: Any, page: int | None = None, hidden: Set[str] = frozenset()) -> PartTexts:  # noqa: ANN401
    """Return the paragraphs of a part, as readers see them.

    Text that a tracked change has deleted, hidden text and descriptions of pictures are counted.
    Of a text box that the file has in two forms, for newer and older programs, one is read.

    Args:
        root: As from `parse_part`.
        page: Page the part makes up.
        hidden: Names of the Word styles that hide text.
    """
    found = PartTexts()
    open_paragraphs: list[_Paragraph] = []
    paragraphs: list[_Paragraph] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = local_name(element)
        if event == "end":
            if name == "p" and open_paragraphs:
                open_paragraphs.pop()
        elif _is_skipped(element, name, found.left_out):
            walk.skip_subtree()
        elif name == "p":
            paragraphs.append(_Paragraph(_style(element, "pPr", "pStyle")))
            open_paragraphs.append(paragraphs[-1])
        elif name in _DESCRIBED:
            found.left_out[LeftOut.PICTURE] += bool(element.get(_DESCRIBED[name], "").strip())
        elif open_paragraphs:
            open_paragraphs[-1].add(element, name, hidden)
    for paragraph in paragraphs:
        found.left_out[LeftOut.HIDDEN] += paragraph.has_hidden
        found.texts.append(FileText(paragraph.runs, page))
    return found


def hiding_styles(root: Any) -> set[str]:  # noqa: ANN401
    """Return the names of the styles, of those in this part, that hide text."""
    styles = [(_attribute(style, "styleId"), style) for style in root.iter("{*}style")]
    based_on = {name: _attribute(style.find("{*}basedOn"), "val") for name, style in styles}
    own = {name: _vanishes(style.find("{*}rPr")) for name, style in styles}
    hiding: set[str] = set()
    for name in own:
        above, seen = name, set[str]()
        while above in own and own[above] is None and above not in seen:
            seen.add(above)
            above = based_on[above]
        if own.get(above):
            hiding.add(name)
    return hiding


class _Paragraph:
    def __init__(self, style: str) -> None:
        self._style = style
        self.runs: list[str] = []
        self.has_hidden = False

    def add(self, element: Any, name: str, hidden: Set[str]) -> None:  # noqa: ANN401
        if name != "t":
            if name in _SIGNS:
                self.runs.append(_SIGNS[name])
            return
        run = element.getparent()
        vanishes = _vanishes(run.find("{*}rPr"))
        if vanishes is None:
            vanishes = not hidden.isdisjoint((_style(run, "rPr", "rStyle"), self._style))
        if not vanishes:
            self.runs.append(element.text or "")
        elif (element.text or "").strip():
            self.has_hidden = True


def _vanishes(properties: Any) -> bool | None:  # noqa: ANN401
    """Tell whether these properties of a run hide it; None where they do not say."""
    sign = properties.find("{*}vanish") if properties is not None else None
    return None if sign is None else _attribute(sign, "val") not in _OFF


def _style(element: Any, properties: str, name: str) -> str:  # noqa: ANN401
    return _attribute(element.find(f"{{*}}{properties}/{{*}}{name}"), "val")


def _attribute(element: Any, name: str) -> str:  # noqa: ANN401
    """Return an attribute, in whatever namespace it is."""
    attributes = element.attrib.items() if element is not None else ()
    return next((value for key, value in attributes if etree.QName(key).localname == name), "")


def _is_skipped(element: Any, name: str, left_out: Counter[str]) -> bool:  # noqa: ANN401
    """Tell whether an element is not read, and count it where it has text."""
    if name == "oMath" or (name == "Fallback" and element.getprevious() is not None):
        return True  # Docling writes formulas in letters of its own
    reason = LeftOut.DELETED_TEXT if name in _DELETED else None
    if name in _SHAPES:
        reason = _reason_of(element)
    if reason is None:
        return False
    left_out[reason] += _has_text(element)
    return True


def _reason_of(shape: Any) -> LeftOut | None:  # noqa: ANN401
    """Return why a shape of a slide or a sheet is not read; None if it is."""
    if any(one.get("hidden") in ("1", "true") for one in shape.iterfind("./*/{*}cNvPr")):
        return LeftOut.HIDDEN
    places = shape.iterfind("./*/{*}nvPr/{*}ph")
    is_furniture = any(place.get("type") in _FURNITURE for place in places)
    return LeftOut.HEADER_FOOTER if is_furniture else None


def _has_text(element: Any) -> bool:  # noqa: ANN401
    return any((text.text or "").strip() for text in element.iter("{*}t", "{*}delText"))


def local_name(element: Any) -> str:  # noqa: ANN401
    """Return an element's name without its namespace, which differs between editions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
