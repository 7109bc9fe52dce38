"""Texts and links in the XML of Office packages, used to check Docling's output."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.entities import entitydefs
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import Comment, ParseError, TreeBuilder
from zipfile import BadZipFile, ZipFile

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from lxml import etree
from pptx import Presentation

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.completeness import FileText, FoundLink, letters_of

_MAX_PART_BYTES = 128 * 1024 * 1024  # as in Docling, which would call the file broken
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # of all parts; bounds memory
_MAX_RATIO = 200  # real parts, as repetitive as they may be, stay far below
_UNSUSPICIOUS_BYTES = 1_000_000  # unpacked whatever the ratio: 5 MB of shapes took long to read
_IS_ENCRYPTED = 1  # bit of an entry's flags


@contextmanager
def package_of(data: bytes, media_type: str) -> Iterator[ZipFile]:
    """Open a package; errors inside the context are translated too."""
    try:
        with ZipFile(BytesIO(data)) as package:
            _check_unpacked_size(package, len(data))
            if any(part.flag_bits & _IS_ENCRYPTED for part in package.infolist()):
                raise encrypted(media_type)
            yield package
    except (BadZipFile, EOFError, zlib.error, NotImplementedError) as error:
        raise broken(media_type, error) from error


def _check_unpacked_size(package: ZipFile, packed: int) -> None:
    """Raise for a zip bomb, judged by its directory; `ZipFile` unpacks no more than that states."""
    sizes = [part.file_size for part in package.infolist()]
    unpacked, largest = sum(sizes), max(sizes, default=0)
    most = min(_MAX_UNPACKED_BYTES, max(_UNSUSPICIOUS_BYTES, _MAX_RATIO * packed))
    if unpacked > most or largest > _MAX_PART_BYTES:
        what = f"its {packed} bytes unpack to {unpacked}, its largest part to {largest}"
        hint = "Split the file, or remove what makes it large"
        raise DocumentError("too_large", what, hint=hint)


def encrypted(media_type: str) -> DocumentError:
    """Return the error for a file that needs a password."""
    what = f"the {media_type} file needs a password"
    return DocumentError("encrypted", what, hint="Save it without a password")


def broken(media_type: str, reason: object) -> DocumentError:
    """Return the error for an invalid file; `reason` may be None."""
    what = f"not a valid {media_type} file" + ("" if reason is None else f": {reason}")
    return DocumentError("broken", what, hint="Open it in its own application and save it again")


# Parse XML safely: no entities, no external parts, limited depth.

Element = Any  # An element of `xml.etree`; the tag of a comment is a function.

MAX_DEPTH = 200  # Limit of nested elements, each of which may take a reader several calls.


def parse_xml(data: bytes, media_type: str) -> Element:
    """Return the root of an XML document, including its comments."""
    parser = DefusedXMLParser(target=_Bounded())
    parser.entity.update(entitydefs)  # those of HTML, which DTDs of articles declare
    try:
        parser.feed(data)
        return parser.close()
    except DefusedXmlException as error:
        raise broken(media_type, "it declares entities of its own") from error
    except (ParseError, ValueError, LookupError) as error:  # the latter: of its encoding
        raise broken(media_type, error) from error


class _Bounded(TreeBuilder):
    def __init__(self) -> None:
        super().__init__(insert_comments=True)
        self._depth = 0

    def start(self, *arguments: Any) -> Element:  # noqa: ANN401 - of the standard library
        self._depth += 1
        if self._depth > MAX_DEPTH:
            what = f"more than {MAX_DEPTH} elements are nested inside each other"
            raise DocumentError("broken", what, hint="Save the document without its layout")
        return super().start(*arguments)

    def end(self, *arguments: Any) -> Element:  # noqa: ANN401 - of the standard library
        self._depth -= 1
        return super().end(*arguments)


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; "" for a comment."""
    return "" if element.tag is Comment else str(element.tag).rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """Return an attribute by its local name; "" if absent."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def text_of(element: Element) -> str:
    """Return all text inside an element."""
    return "".join(_texts(element))


def _texts(element: Element) -> Iterator[str]:
    if element.tag is not Comment:
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""


def has_words(element: Element) -> bool:
    """Tell whether an element holds text."""
    return any(text.strip() for text in _texts(element))


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """Yield all nested elements with one of these names."""
    return (one for one in element.iter() if local_name(one) in names)


_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DELETED = {"del", "moveFrom"}
_SHAPES = {"sp", "grpSp", "graphicFrame", "pic"}
_FURNITURE = {"ftr", "dt", "hdr", "sldNum"}
_OFF = {"0", "false", "off"}
_DESCRIBED = {"docPr": "descr", "cNvPr": "descr", "shape": "alt", "textpath": "string"}
_COUNTED = {
    **dict.fromkeys(("altChunk", "subDoc"), LeftOut.UNREAD),
    **dict.fromkeys(("OLEObject", "oleObj"), LeftOut.ATTACHMENT),
}
_NO_WORDS = {*("instrText", "delInstrText", "delText", "align", "attrName", "tableStyleId"), *("v", "f", "formatCode")}
"""Elements with text that readers do not see: commands of fields, places, values of charts."""
_TEXT = re.compile(rb"<(?:\w+:)?t[ >]")
_WORD_READ = re.compile(r"word/(?:document|footnotes|endnotes|comments|diagrams/data\d*)\.xml")
_WORD_FURNITURE = re.compile(r"word/(?:header|footer)\d*\.xml")
_WORD_OTHER = re.compile(r"word/(?!glossary/|diagrams/|charts/).*\.xml")
_WORD_STYLES = "word/styles.xml"
_DRAWN = ("/diagramData", "/chart")


@dataclass
class PartTexts:
    """Paragraphs of package parts, and the number of passages and pictures left out."""

    texts: list[FileText] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, other: PartTexts) -> None:
        """Add the texts and counts of another part."""
        self.texts.extend(other.texts)
        self.left_out.update(other.left_out)


def word_texts(data: bytes) -> PartTexts:
    """Return the paragraphs of a document's body, then of its notes, comments and diagrams.

    Headers and footers are counted by paragraph.
    """
    found = PartTexts()
    with ZipFile(BytesIO(data)) as package:
        names = sorted(package.namelist(), key=lambda name: (name != "word/document.xml", name))
        styles = parse_part(package.read(_WORD_STYLES)) if _WORD_STYLES in names else None
        hidden = _hiding_styles(styles) if styles is not None else frozenset()
        for name in names:
            is_furniture = _WORD_FURNITURE.fullmatch(name)
            if not is_furniture and not _WORD_READ.fullmatch(name):
                is_unread = _WORD_OTHER.fullmatch(name) and _TEXT.search(package.read(name))
                found.left_out[LeftOut.UNREAD] += bool(is_unread)
                continue
            root = parse_part(package.read(name))
            part = PartTexts() if root is None else read_part(root, hidden=hidden)
            if is_furniture:
                paragraphs = sum(bool(letters_of("".join(text.runs))) for text in part.texts)
                found.left_out[LeftOut.HEADER_FOOTER] += paragraphs
            else:
                found.add(part)
    return found


def slide_texts(data: bytes) -> PartTexts:
    """Return the paragraphs of slides, of their diagrams and charts, and of speaker notes.

    Hidden slides are counted.
    """
    found = PartTexts()
    for page, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
        own = PartTexts()
        for root in _slide_roots(slide):
            own.add(read_part(root, page))
        if slide._element.get("show") in ("0", "false"):
            found.left_out[LeftOut.HIDDEN] += any("".join(text.runs).strip() for text in own.texts)
        else:
            found.add(own)
    return found


def _slide_roots(slide: Element) -> list[Element]:
    roots = [slide._element]
    for relation in slide.part.rels.values():
        if relation.reltype.endswith(_DRAWN) and not relation.is_external:
            roots.append(parse_part(relation.target_part.blob))
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        roots.append(frame._txBody)
    return [root for root in roots if root is not None]


def attribute_of(element: Element, name: str = "val") -> str:
    """Return an attribute by its local name; "" if it, or the element, is absent."""
    return attribute(element, name) if element is not None else ""


def parse_part(data: bytes) -> Element:
    """Parse an XML part without resolving external entities."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)
    return etree.fromstring(data, parser)


def read_part(root: Element, page: int | None = None, hidden: Set[str] = frozenset()) -> PartTexts:
    """Return the visible paragraphs of a part.

    Deleted and hidden text, picture descriptions and unknown elements with text are counted. A text box that the file
    has in two forms, for newer and older programs, is read once. `page` is the part's page; `hidden` are the names of
    Word styles that hide text.
    """
    found = PartTexts()
    open_paragraphs: list[_Paragraph] = []
    paragraphs: list[_Paragraph] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
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
        elif name in _COUNTED:
            found.left_out[_COUNTED[name]] += 1
        elif open_paragraphs and (name == "t" or name in _SIGNS):
            open_paragraphs[-1].add(element, name, hidden)
        elif name not in _NO_WORDS and not len(element) and _has_letters(element):
            found.left_out[LeftOut.UNREAD] += 1
    found.left_out[LeftOut.HIDDEN] += sum(paragraph.has_hidden for paragraph in paragraphs)
    found.texts += [FileText(paragraph.runs, page) for paragraph in paragraphs]
    return found


def _has_letters(element: Element) -> bool:
    return any(map(str.isalpha, element.text or ""))


class _Paragraph:
    def __init__(self, style: str) -> None:
        self._style = style
        self.runs: list[str] = []
        self.has_hidden = False

    def add(self, element: Element, name: str, hidden: Set[str]) -> None:
        if name != "t":
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


def _hiding_styles(root: Element) -> set[str]:
    styles = [(attribute_of(style, "styleId"), style) for style in root.iter("{*}style")]
    based_on = {name: attribute_of(style.find("{*}basedOn"), "val") for name, style in styles}
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


def _vanishes(properties: Element) -> bool | None:
    """Tell whether run properties hide the text; None if unset."""
    sign = properties.find("{*}vanish") if properties is not None else None
    return None if sign is None else attribute_of(sign) not in _OFF


def _style(element: Element, properties: str, name: str) -> str:
    return attribute_of(element.find(f"{{*}}{properties}/{{*}}{name}"), "val")


def _is_skipped(element: Element, name: str, left_out: Counter[str]) -> bool:
    """Tell whether an element is left out, and count it if it has text."""
    if name == "oMath" or (name == "Fallback" and element.getprevious() is not None):
        return True  # Docling writes formulas in letters of its own
    reason = LeftOut.DELETED_TEXT if name in _DELETED else None
    if name in _SHAPES:
        reason = _reason_of(element)
    if reason is None:
        return False
    texts = element.iter("{*}t", "{*}delText")
    left_out[reason] += any((text.text or "").strip() for text in texts)
    return True


def _reason_of(shape: Element) -> LeftOut | None:
    """Return the reason why a shape is left out, or None if it is read."""
    if any(one.get("hidden") in ("1", "true") for one in shape.iterfind("./*/{*}cNvPr")):
        return LeftOut.HIDDEN
    places = shape.iterfind("./*/{*}nvPr/{*}ph")
    is_furniture = any(place.get("type") in _FURNITURE for place in places)
    return LeftOut.HEADER_FOOTER if is_furniture else None


def run_links(data: bytes) -> Iterator[FoundLink]:
    """Yield the links of text runs of slides, which Docling drops."""
    for page, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
        for link in slide._element.iter("{*}hlinkClick"):
            run = link.getparent().getparent()
            text = "".join(part.text or "" for part in run.iterfind("{*}t"))
            relation = slide.part.rels.get(attribute_of(link, "id"))
            if text.strip() and relation is not None:
                yield FoundLink(page, text)
