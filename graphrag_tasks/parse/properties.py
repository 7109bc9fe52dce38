"""What a file says of itself: its front matter, its properties, or a message's header.

Keys are `date`, `release`, `author` and `keywords`, whatever a format calls them; front matter also keeps its own.
Never the times of the file system.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from email.parser import BytesHeaderParser
from email.utils import parseaddr
from importlib import resources

from bs4 import BeautifulSoup
from bs4.filter import SoupStrainer
from pypdfium2 import PdfDocument

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.core.schemas import PROPERTIES
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.mail import header_of, in_utf8
from graphrag_tasks.parse.markup import decoded_page
from graphrag_tasks.parse.package_texts import Element, attribute, local_name, package_of, parse_xml, text_of
from graphrag_tasks.sources.encodings import decode
from graphrag_tasks.sources.markdown import front_matter

_FORMS = (
    ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y"),
    ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%d %m %Y"),
    ("%Y-%m", "%Y/%m", "%B %Y", "%b %Y"),
    ("%Y",),
)
_LENGTHS = (10, 10, 7, 4)  # Forms of dates, and of these the lengths in ISO.
_COMPACT = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:\d\d.*)?")
_BESIDE = re.compile(r"\A[A-Za-z]+, |(?<=\d)(?:st|nd|rd|th)\b|,? ?T?\d\d?:\d\d.*|,|(?<=[a-z])\.")
"""Day of the week, time and signs."""
_FIRST_YEAR, _LAST_YEAR = "1900", "2100"  # Years that a document may be of. Chosen.


def iso_date(text: str) -> str | None:
    """Return a date as 2024-03-01, 2024-03 or 2024; None for what is no date or has two readings.

    The zone of a time is not changed: it is the day that its author saw.
    """
    text = _COMPACT.sub(r"\1-\2-\3", _BESIDE.sub("", " ".join(text.split())))
    for forms, length in zip(_FORMS, _LENGTHS, strict=True):
        if found := {date for form in forms if (date := _read(text, form))}:
            first = found.pop()
            return first[:length] if not found and _FIRST_YEAR <= first[:4] <= _LAST_YEAR else None
    return None


def _read(text: str, form: str) -> str | None:
    try:
        return datetime.strptime(text, form).date().isoformat()
    except ValueError:
        return None


_FRONT_MATTER = "front matter"
_NAMES, _ORIGINS, _PARTS, _DEFAULTS = json.loads(
    (resources.files(__package__) / "properties.json").read_text("utf-8")
).values()
_PLACES = {name: (key, place) for key, names in _NAMES.items() for place, name in enumerate(names.split())}
_BY_PROGRAMS = re.compile(rf"[{{}}|$]|\A(?:{'|'.join(_DEFAULTS)})\Z", re.IGNORECASE)
_PLAIN_RELEASE = re.compile(r"\A(?:version |release |v)?(\d[\w.+-]{0,30})\Z", re.IGNORECASE)
_BETWEEN = {"author": re.compile(";"), "keywords": re.compile("[,;]")}
_IN_TITLE = re.compile(
    r"\bv?(\d+(?:\.\d+)+\w*) (?:documentation|docs|manual|handbook|reference|user guide)\Z"
    r"|\b(?:documentation|manual|handbook|reference|guide),? (?:release |version |v)(\d+[\w.]*)\Z",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^:([A-Za-z][\w -]*):[ \t]+(\S.*)$", re.MULTILINE)
_HEAD_LINES, _HEAD_CHARACTERS = 50, 200_000
"""Where fields of a page, and properties of a web page, are looked for. Chosen."""
_LONGEST, _MOST = 1_000, 100  # Characters of a value, and values. Chosen, as for metadata beside files.

_Pair = tuple[str, str]


def with_said(media_type: str, data: bytes, parsed: ParsedDocument) -> ParsedDocument:
    """Return a document with the metadata of its file: keys, values and where they stand.

    Its title may name a release, as in "Django 5.1 documentation". Properties that cannot be read are counted as left
    out: they must not cost the document.
    """
    origin, left_out = _ORIGINS.get(media_type, PROPERTIES), dict(parsed.left_out)
    pairs: list[_Pair] = []
    try:
        for name, text in _pairs(media_type, data):
            pairs.append((name[:_LONGEST], " ".join(text.split())[:_LONGEST]))
    except Exception:  # noqa: BLE001 - each library has many, of no common class; the rest stays
        left_out[LeftOut.PROPERTIES] = 1
    said = dict.fromkeys((*one, origin) for one in _known(pairs, origin))
    titles = [parsed.title.text] if parsed.title else []
    titles += [text for name, text in pairs if name == "title"]
    if not any(key == "release" for key, *_ in said):
        releases = (one for text in titles for one in _IN_TITLE.findall(text))
        said |= {("release", one or other, "title"): None for one, other in releases}
    return replace(parsed, said=tuple(said)[:_MOST], left_out=left_out)


def _known(pairs: Iterable[_Pair], origin: str) -> Iterator[_Pair]:
    """Yield the keys of front matter as they stand, and those of the table that it lacks."""
    values: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    is_front, own = origin == _FRONT_MATTER, set()
    for name, text in pairs:
        key, place = _PLACES.get(re.sub(r"[\W_]", ".", name.casefold()), ("", 0))
        kept = [one for one in _values(key, text) if is_front or not _BY_PROGRAMS.search(one)]
        values[key][place] += kept
        if is_front and text and (kept or key != "date"):
            own.add(name.casefold())
            yield name.casefold(), kept[0] if key == "date" else text
    for key in sorted(values.keys() - own - {""}):
        first = next((some for _, some in sorted(values[key].items()) if some), [])
        if key in ("date", "release"):
            first = sorted(first, key=len, reverse=True)[:1]  # a day rather than a year
        yield from ((key, one) for one in first)


def _values(key: str, text: str) -> list[str]:
    if key == "release":
        return _PLAIN_RELEASE.findall(text)
    found = [iso_date(text) or ""] if key == "date" else _BETWEEN[key].split(text) if key else []
    return [one.strip() for one in found if one.strip()]


def _pairs(media_type: str, data: bytes) -> Iterator[_Pair]:
    """Yield names and texts, as the format has them."""
    if media_type in ("md", "adoc", "rst", "html"):
        yield from _of_text(media_type, data)
    elif media_type == "eml":
        message = BytesHeaderParser().parsebytes(in_utf8(data).lstrip(b"\xef\xbb\xbf\r\n"))
        name, address = parseaddr(header_of(message, "From"))
        yield from (("date", header_of(message, "Date")), ("from", name or address))
    elif media_type == "pdf":
        with contextlib.closing(PdfDocument(data)) as file:
            yield from file.get_metadata_dict(skip_empty=True).items()
    elif media_type == "xml":
        front, end, _ = data.partition(b"</front>")
        yield from _of_elements(parse_xml(front + end + b"</article>" if end else data, "xml"))
    elif media_type in _PARTS:
        with package_of(data, media_type) as package:
            for part in filter(re.compile(_PARTS[media_type]).fullmatch, package.namelist()):
                yield from _of_elements(parse_xml(package.read(part), media_type))


def _of_text(media_type: str, data: bytes) -> Iterator[_Pair]:
    text = (decoded_page(data) if media_type == "html" else decode(data)).text
    if media_type == "md":
        yield from front_matter(text.replace("\r\n", "\n"))
    elif media_type == "html":
        page, only = text[:_HEAD_CHARACTERS], SoupStrainer(["meta", "title"])
        for tag in BeautifulSoup(page, "html.parser", parse_only=only).find_all(True):
            names = (tag.get(one) for one in ("name", "property", "itemprop", "http-equiv"))
            yield str(next(filter(None, names), tag.name)), str(tag.get("content") or tag.string)
    else:
        yield from _FIELD.findall("\n".join(text.splitlines()[:_HEAD_LINES]))


def _of_elements(root: Element) -> Iterator[_Pair]:
    for one in root.iter():
        name = attribute(one, "name") or attribute(one, "property") or local_name(one)
        parts = [text_of(part) for part in one] or [text_of(one)]
        yield name, " ".join(reversed(parts) if name == "name" else parts)  # of JATS: surname first
