"""Write the automatic numbers of clauses and headings into Word documents.

Texts refer to them ("clause 2.2"), but a file holds only lists and their formats (ECMA-376 part 1, section 17.9).
Numbers of plain lists ("1.") are no text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lxml import etree

from graphrag_tasks.parse.package_texts import attribute_of as _value

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
