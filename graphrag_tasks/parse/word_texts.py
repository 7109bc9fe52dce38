"""The texts of a Word document, read from its package as a check on what Docling makes of it."""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZipFile

from graphrag_tasks.parse.completeness import letters_of
from graphrag_tasks.parse.left_out import LeftOut
from graphrag_tasks.parse.package_texts import PartTexts, hiding_styles, parse_part, read_part

_READ = re.compile(r"word/(?:document|footnotes|endnotes|comments|diagrams/data\d*)\.xml")
_FURNITURE = re.compile(r"word/(?:header|footer)\d*\.xml")
_STYLES = "word/styles.xml"


def word_texts(data: bytes) -> PartTexts:
    """Return the paragraphs of a document's body, then those of its notes, comments and diagrams.

    Headers and footers are counted by paragraph.
    """
    found = PartTexts()
    with ZipFile(BytesIO(data)) as package:
        names = sorted(package.namelist(), key=lambda name: (name != "word/document.xml", name))
        styles = parse_part(package.read(_STYLES)) if _STYLES in names else None
        hidden = hiding_styles(styles) if styles is not None else frozenset()
        for name in names:
            is_furniture = _FURNITURE.fullmatch(name)
            if not is_furniture and not _READ.fullmatch(name):
                continue
            root = parse_part(package.read(name))
            if root is None:
                continue
            part = read_part(root, hidden=hidden)
            if is_furniture:
                paragraphs = sum(bool(letters_of("".join(text.runs))) for text in part.texts)
                found.left_out[LeftOut.HEADER_FOOTER] += paragraphs
            else:
                found.texts.extend(part.texts)
                found.left_out.update(part.left_out)
    return found
