"""Rewrite Office packages, with numbers of clauses and headings, so that python-docx and Docling read them correctly.

Comments and processing instructions in XML make python-docx fail; a drop cap is a paragraph of its own; a superscript
digit looks like part of the number before it; signs of Wingdings, files inside a document and numbers of clauses are no
text there. Properties that are missing or not valid, and relations whose target is missing, would cost the whole
document.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from io import BytesIO
from posixpath import join, normpath, split
from typing import Any, NamedTuple
from zipfile import ZipFile

from lxml import etree
from openpyxl.packaging.core import DocumentProperties
from openpyxl.packaging.custom import CustomPropertyList

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.package_texts import attribute_of, package_of, word_texts
from graphrag_tasks.parse.package_texts import attribute_of as _value
from graphrag_tasks.parse.readers import READERS, load_readers
from graphrag_tasks.parse.text import in_unicode, raised
from graphrag_tasks.sources.media_types import MEDIA_TYPES, media_type_of

Element = Any  # An untyped element of lxml.

_PLACE = re.compile(r"%([1-9])")
_WORDS = re.compile(r"[^\W\d_]{2,}|§")
_OF_CLAUSES = re.compile(rf"%[1-9].*%[1-9]|{_WORDS.pattern}")
"""A format that names the clause above, or says what is numbered, as "Article %1" does."""
_HEADING = re.compile("heading|caption", re.IGNORECASE)
_OUTLINE = tuple("012345678")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST = 5_000  # Limit of numbers in letters and Roman numerals, which are as long as the number is large.
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class _Clause(NamedTuple):
    paragraph: Element
    list_id: str
    form: str
    number: str
    is_heading: bool


def number_clauses(root: Element, numbering: Element, styles: Element) -> None:
    """Put the number of each clause and heading of a document's tree before its text."""
    found = list(_clauses(root, numbering, styles))
    numbered = {one.list_id for one in found if _OF_CLAUSES.search(one.form)}
    for paragraph, list_id, form, number, is_heading in found:
        has_text = any((text.text or "").strip() for text in paragraph.iter("{*}t"))
        if not number or not has_text or not (is_heading or list_id in numbered):
            continue
        space = f"{{{etree.QName(paragraph).namespace}}}"
        properties = paragraph.find("{*}pPr")
        if properties is None:
            properties = etree.Element(f"{space}pPr")
            paragraph.insert(0, properties)
        run = etree.Element(f"{space}r")
        etree.SubElement(run, f"{space}t", {_SPACE: "preserve"}).text = f"{number} "
        properties.addnext(run)
        if is_heading or _WORDS.search(form):  # Docling would number it as well
            for old in properties.findall("{*}numPr"):
                properties.remove(old)
            none = etree.SubElement(properties, f"{space}numPr")
            etree.SubElement(none, f"{space}numId", {f"{space}val": "0"})


def _clauses(root: Element, numbering: Element, styles: Element) -> Iterator[_Clause]:
    by_style = {_value(one, "styleId"): one for one in styles.iter("{*}style")}
    lists = {_value(one, "abstractNumId"): one for one in numbering.iter("{*}abstractNum")}
    linked = {_value(one.find("{*}styleLink")): name for name, one in lists.items()}
    links = {name: _value(one.find("{*}numStyleLink")) for name, one in lists.items()}
    levels_of = {
        name: {_integer(_value(level, "ilvl"), 0): level for level in one.iterfind("{*}lvl")}
        for name, one in lists.items()
    }
    numbers = {_value(one, "numId"): one for one in numbering.iter("{*}num")}
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    begun: set[tuple[str, int]] = set()
    for paragraph in root.iter("{*}p"):
        chain = [paragraph, *_styles_of(paragraph, by_style)]
        number_id = _first(chain, "numPr/{*}numId")
        if number_id not in numbers:
            continue
        list_id = _value(numbers[number_id].find("{*}abstractNumId"))
        list_id = linked.get(links.get(list_id) or "none", list_id)
        levels, so_far = levels_of.get(list_id, {}), counts[list_id]
        names = [_value(one, "styleId") for one in chain[1:]]
        own = (at for at, one in levels.items() if _value(one.find("{*}pStyle")) in names)
        at = _integer(_first(chain, "numPr/{*}ilvl"), next(own, 0))
        if at not in levels:
            continue
        if (number_id, at) not in begun:
            begun.add((number_id, at))
            for one in numbers[number_id].iterfind("{*}lvlOverride"):
                first = _value(one.find("{*}startOverride"))
                if first and _value(one, "ilvl") == str(at):
                    so_far[at] = _integer(first, 1) - 1
        so_far[at] = so_far.get(at, _start(levels[at]) - 1) + 1
        for deeper in [other for other in so_far if other > at]:
            del so_far[deeper]
        form = _value(levels[at].find("{*}lvlText"))
        names = [_value(one.find("{*}name")) for one in chain[1:]]
        is_heading = any(map(_HEADING.match, names)) or _first(chain, "outlineLvl") in _OUTLINE
        yield _Clause(paragraph, list_id, form, _shown(form, at, levels, so_far), is_heading)


def _styles_of(paragraph: Element, by_style: Mapping[str, Element]) -> Iterator[Element]:
    """Yield a paragraph's style, and those that it is based on."""
    name, seen = _value(paragraph.find("{*}pPr/{*}pStyle")), set[str]()
    while name in by_style and name not in seen:
        seen.add(name)
        yield by_style[name]
        name = _value(by_style[name].find("{*}basedOn"))


def _first(chain: list[Element], path: str) -> str:
    found = (one.find(f"{{*}}pPr/{{*}}{path}") for one in chain)
    return next((_value(one) for one in found if one is not None), "")


def _shown(form: str, at: int, levels: Mapping[int, Element], counts: Mapping[int, int]) -> str:
    is_legal = levels[at].find("{*}isLgl") is not None

    def number(place: re.Match[str]) -> str:
        level = levels.get(int(place[1]) - 1)
        if level is None:
            return ""
        count = counts.get(int(place[1]) - 1, _start(level))
        return str(count) if is_legal else _in_form(count, _value(level.find("{*}numFmt")))

    return _PLACE.sub(number, form).strip() if _PLACE.search(form) else ""


def _in_form(count: int, form: str) -> str:
    if form == "decimalZero":
        return f"{count:02}"
    if form.endswith("Letter") and 0 < count <= _MOST:
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters.upper() if form.startswith("upper") else letters
    if form.endswith("Roman") and 0 < count <= _MOST:
        numeral = ""
        for value, letters in _ROMAN:
            numeral += letters * (count // value)
            count %= value
        return numeral.upper() if form.startswith("upper") else numeral
    return "" if form in ("none", "bullet") else str(count)


def _start(level: Element) -> int:
    return _integer(_value(level.find("{*}start")), 1)


def _integer(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < len(str(10**9)) else default


_UNTIDY = re.compile(
    rb'<!--|<\?(?!xml\s)|dropCap=|vertAlign\b|\bbaseline="|<w:(?:sym|sdt)\b'
    rb'|<(?:w:rFonts|a:sym|a:latin|rFont)\s[^>]*"(?:Symbol|Wingdings|Webdings)',
    re.IGNORECASE,
)
_NO_TEXT = re.compile(r"/(?:numbering|styles\w*|theme\d*|fontTable)\.xml\Z")
_WORD = "word/document.xml"
_FORMATS = ("word/numbering.xml", "word/styles.xml")
_FONTS = (("rFonts", "ascii"), ("latin", "typeface"), ("rFont", "val"), ("sym", "typeface"))
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_CODE = re.compile(r"[0-9A-Fa-f]{2,4}")
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
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_BASELINE = re.compile(r"-?[1-9]\d*%?")


def tidied(data: bytes) -> tuple[bytes, Counter[str]]:
    """Return the rewritten package, and what its XML has that is no text, such as comments."""
    left_out: Counter[str] = Counter()
    with ZipFile(BytesIO(data)) as package:
        parts = package.infolist()
        replaced = _unread_properties(package)
        related = _without_dead_relations(package, replaced)
        for name in (part.filename for part in parts if part.filename.endswith(".xml")):
            written, known = package.read(name), related.get(name, {})
            named = {one.decode("utf-8", "replace") for one in _RELATED.findall(written)}
            is_clean = _NO_TEXT.search(name) or not _UNTIDY.search(written)
            if is_clean and name != _WORD and named <= known.keys():
                continue
            try:
                root = etree.fromstring(written, _parser())
            except etree.XMLSyntaxError:  # whoever reads the part says so
                continue
            words = [(one.text or "").strip() for one in root.iter(etree.Comment)]
            left_out[LeftOut.COMMENT] += sum(map(bool, words))
            etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
            _join_drop_caps(root)
            _mark_scripts(root)
            _write_signs(root)
            _drop_unrelated(root, known.keys())
            if name == _WORD:
                _read_chunks(root, package, known, left_out)
                number_clauses(root, *(_part(package, other) for other in _FORMATS))
            replaced[name] = _written(root)
        if not replaced:
            return data, left_out
        buffer = BytesIO()
        with ZipFile(buffer, "w") as tidy:
            for name in dict.fromkeys([*(part.filename for part in parts), *replaced]):
                tidy.writestr(name, replaced[name] if name in replaced else package.read(name))
    return buffer.getvalue(), left_out


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


def _without_dead_relations(package: ZipFile, replaced: dict[str, bytes]) -> dict[str, dict[str, str]]:
    """Return the targets of each part's relations by id; those that are missing are dropped."""
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
        ids = {one.get("Id", ""): _target(one, home) for one in root.iter("{*}Relationship")}
        related[join(home, file.removesuffix(".rels"))] = ids
    return related


def _is_there(relation: Element, home: str, names: Set[str]) -> bool:
    return relation.get("TargetMode") == "External" or _target(relation, home) in names


def _target(relation: Element, home: str) -> str:
    return normpath(join("/", home, relation.get("Target", ""))).lstrip("/")


def _drop_unrelated(root: Element, known: Set[str]) -> None:
    """Drop references to relations that are missing, and the elements that are nothing else."""
    for element in list(root.iter(etree.Element)):
        for name, value in element.items():
            if _OF_RELATIONS in name and value not in known:
                del element.attrib[name]
                is_bare = not len(element) and not element.tag.endswith(("}blip", "}altChunk"))
                if is_bare and element.getparent() is not None:
                    element.getparent().remove(element)


def _write_signs(root: Element) -> None:
    """Write what is drawn in a font of signs, and breaks in content controls, as text."""
    for properties in root.iter("{*}rPr"):
        fonts = ((properties.find(f"{{*}}{name}"), key, name) for name, key in _FONTS)
        found = ((attribute_of(one, key), name) for one, key, name in fonts if one is not None)
        font, of = next(found, ("", ""))
        for text in properties.getparent().iterfind("{*}t"):
            # PowerPoint names a font of signs beside another, for signs alone.
            if of != "sym" or len(text.text or "") == 1:
                text.text = in_unicode(text.text or "", font)
    for sign in list(root.iter("{*}sym")):
        if (code := attribute_of(sign, "char")) or sign.getparent().tag.endswith("}r"):
            character = chr(int(code, 16)) if _CODE.fullmatch(code) else ""
            _write(sign, in_unicode(character, attribute_of(sign, "font")))
    for control in root.iter("{*}sdtContent"):
        for name, character in _SIGNS.items():
            for sign in list(control.iter(f"{{*}}{name}")):
                if sign.getparent().tag.endswith("}r"):
                    _write(sign, character)


def _write(sign: Element, text: str) -> None:
    """Make a text of an element."""
    sign.tag = f"{{{etree.QName(sign).namespace}}}t"
    sign.attrib.clear()
    sign.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    sign.text = text if text and (text.isprintable() or text.isspace()) else _UNKNOWN


def _read_chunks(root: Element, package: ZipFile, targets: Mapping[str, str], left_out: Counter[str]) -> None:
    """Replace files inside a Word document by their texts; those that cannot be read stay."""
    unread = set(targets.values())  # each is read once, and none inside another: it may hold itself
    for chunk in list(root.iter("{*}altChunk")):
        name = targets.get(attribute_of(chunk, "id"), "")
        with suppress(Exception):  # each reader has its own; the element is counted
            unread.remove(name)
            named = MEDIA_TYPES[name[name.rfind(".") :].lower()]
            space = f"{{{etree.QName(chunk).namespace}}}"
            paragraphs = []
            for text in _chunk_texts(package.read(name), named, left_out):
                paragraphs.append(etree.Element(f"{space}p"))
                etree.SubElement(etree.SubElement(paragraphs[-1], f"{space}r"), f"{space}t").text = text
            for paragraph in paragraphs:
                chunk.addprevious(paragraph)
            chunk.getparent().remove(chunk)


def _chunk_texts(data: bytes, named: str, left_out: Counter[str]) -> list[str]:
    media_type = media_type_of(data, named)
    if media_type == "docx":
        with package_of(data, media_type):
            found = word_texts(data)
        left_out.update(found.left_out)
        return ["".join(text.runs) for text in found.texts]
    parsed = load_readers({media_type: READERS[media_type]})[media_type](data)
    left_out.update(parsed.left_out)
    return [block.text for block in parsed.blocks]


def _part(package: ZipFile, name: str) -> Element:
    """Return a part, or an empty one where it is missing or not valid."""
    try:
        return etree.fromstring(package.read(name), _parser())
    except (KeyError, etree.XMLSyntaxError):
        return etree.Element("none")


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
        if attribute_of(frame, "dropCap") in ("", _NONE) or following is None:
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
        script = attribute_of(sign, "val") if sign is not None else properties.get("baseline", "")
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
