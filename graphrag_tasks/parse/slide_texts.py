"""The texts of slides, read from their package as a check on what Docling makes of them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from pptx import Presentation

from graphrag_tasks.parse.left_out import LeftOut
from graphrag_tasks.parse.package_texts import PartTexts, parse_part, read_part

_DRAWN = ("/diagramData", "/chart")
_OFF = ("0", "false")


def slide_texts(data: bytes) -> PartTexts:
    """Return the paragraphs of slides, their diagrams and charts, and the speakers' notes.

    Hidden slides are counted.
    """
    found = PartTexts()
    for page, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
        own = PartTexts()
        for root in _roots(slide):
            part = read_part(root, page)
            own.texts.extend(part.texts)
            own.left_out.update(part.left_out)
        if slide._element.get("show") in _OFF:
            found.left_out[LeftOut.HIDDEN] += any("".join(one.runs).strip() for one in own.texts)
        else:
            found.texts.extend(own.texts)
            found.left_out.update(own.left_out)
    return found


def _roots(slide: Any) -> list[Any]:  # noqa: ANN401 - an untyped library
    roots = [slide._element]
    for relation in slide.part.rels.values():
        if relation.reltype.endswith(_DRAWN) and not relation.is_external:
            roots.append(parse_part(relation.target_part.blob))
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        roots.append(frame._txBody)
    return [root for root in roots if root is not None]
