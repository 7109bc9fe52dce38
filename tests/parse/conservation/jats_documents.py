"""Journal articles in JATS whose every sentence has a serial number."""

from __future__ import annotations

from tests.parse.conservation.serials import Serials

_INLINE = (
    "<bold>{}</bold>", "<italic>{}</italic>", '<xref rid="a">{}</xref>', "<fn><p>{}</p></fn>",
    "<sub>{}</sub>", "<named-content>{}</named-content>", "<inline-formula>{}</inline-formula>",
)  # fmt: skip
_FIELDS = (
    "kwd", "aff", "corresp", "subtitle", "trans-title",
    "funding-source",
)  # fmt: skip
_MAX_DEPTH = 3


def article(serials: Serials) -> bytes:
    """Return an article."""
    writer = _Article(serials)
    front = "".join(writer.field() for _ in serials.few(5))
    title = f"<article-title>{serials.sentence()}</article-title>"
    abstract = f"<abstract>{writer.blocks(2, 1)}</abstract>"
    meta = f"<article-meta>{title}{front}{abstract}</article-meta>"
    references = "".join(writer.reference() for _ in serials.few())
    back = f"<ack>{writer.blocks(1, 1)}</ack><ref-list>{references}</ref-list>"
    body = f"<body>{writer.blocks(8, 0)}</body>"
    whole = f"<article><front>{meta}</front>{body}<back>{back}</back></article>"
    return whole.encode(serials.random.choice(["utf-8", "utf-8-sig"]))


class _Article:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials

    def field(self) -> str:
        serials = self._serials
        if serials.chance(0.2):
            name = serials.random.choice(["publisher", "subject", "journal-title", "role"])
            return f"<{name}>{serials.sentence('hidden')}</{name}>"
        name = serials.random.choice(_FIELDS)
        return f"<{name}>{serials.sentence()}</{name}>"

    def reference(self) -> str:
        serials = self._serials
        name = serials.random.choice(["mixed-citation", "element-citation"])
        title = f"<article-title>{serials.sentence()}</article-title>"
        return f"<ref><label>1</label><{name}>{serials.sentence()} {title}</{name}></ref>"

    def blocks(self, most: int, depth: int) -> str:
        makers = [
            self._paragraph, self._paragraph, self._section, self._figure, self._table, self._list,
            self._definitions, self._box, self._comment,
        ]  # fmt: skip
        chosen = self._serials.random.choices(makers, k=self._serials.random.randint(1, most))
        return "".join(make(depth) for make in chosen)

    def _text(self) -> str:
        parts = []
        for _ in self._serials.few(4):
            form = self._serials.random.choice(_INLINE) if self._serials.chance() else "{}"
            parts.append(form.format(self._serials.sentence()))
        return " ".join(parts)

    def _paragraph(self, depth: int) -> str:
        if depth < _MAX_DEPTH and self._serials.chance(0.2):
            return f"<p>{self._text()}{self.blocks(1, _MAX_DEPTH)}{self._text()}</p>"
        return f"<p>{self._text()}</p>"

    def _section(self, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return self._paragraph(depth)
        label = "<label>1</label>" if self._serials.chance() else ""
        return f"<sec>{label}<title>{self._text()}</title>{self.blocks(3, depth + 1)}</sec>"

    def _figure(self, depth: int) -> str:
        serials = self._serials
        caption = f"<caption><title>{serials.sentence()}</title><p>{self._text()}</p></caption>"
        described = f"<alt-text>{serials.sentence('picture')}</alt-text>"
        return f"<fig><label>{serials.sentence()}</label>{caption}{described}</fig>"

    def _table(self, depth: int) -> str:
        columns = self._serials.random.randint(1, 3)
        rows = ""
        for _ in self._serials.few():
            cells = (
                f"<td>{self._text() if self._serials.chance() else self.blocks(1, _MAX_DEPTH)}</td>"
                for _ in range(columns)
            )
            rows += f"<tr>{''.join(cells)}</tr>"
        foot = f"<table-wrap-foot><fn>{self._paragraph(_MAX_DEPTH)}</fn></table-wrap-foot>"
        return f"<table-wrap><table><tbody>{rows}</tbody></table>{foot}</table-wrap>"

    def _list(self, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return self._paragraph(depth)
        items = (f"<list-item>{self.blocks(2, depth + 1)}</list-item>" for _ in self._serials.few())
        return f"<list>{''.join(items)}</list>"

    def _definitions(self, depth: int) -> str:
        term, meaning = f"<term>{self._text()}</term>", f"<def>{self._paragraph(_MAX_DEPTH)}</def>"
        return f"<def-list><def-item>{term}{meaning}</def-item></def-list>"

    def _box(self, depth: int) -> str:
        name = self._serials.random.choice(["boxed-text", "disp-quote", "statement", "verse-group"])
        return f"<{name}>{self._paragraph(_MAX_DEPTH)}</{name}>"

    def _comment(self, depth: int) -> str:
        return f"<p>{self._serials.sentence()}<!-- {self._serials.sentence('comment')} --></p>"
