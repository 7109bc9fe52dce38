"""Open Zip packages and parse XML, with checks that name what is wrong with them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from html.entities import entitydefs
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import Comment, ParseError, TreeBuilder
from zipfile import BadZipFile, ZipFile

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from graphrag_tasks.core.errors import DocumentError

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
