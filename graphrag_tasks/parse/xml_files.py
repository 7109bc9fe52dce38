"""Parse XML safely: no entities, no external parts, limited depth."""

from __future__ import annotations

from collections.abc import Iterator
from html.entities import entitydefs
from typing import Any
from xml.etree.ElementTree import Comment, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.packages import broken

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
