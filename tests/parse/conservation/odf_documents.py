"""OpenDocument files of random structure whose every sentence has a serial number."""

from __future__ import annotations

from tests.parse.conservation.serials import Serials
from tests.parse.odf_files import content, odf_file

_STYLES = (
    '<style:style style:name="off"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="away" style:family="table"><style:table-properties '
    'table:display="false"/></style:style><style:style style:name="unseen">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)
_FIELDS = ("text:span", "text:meta", "text:title", "text:conditional-text", "text:placeholder")
_MAX_DEPTH = 3


def odf_text(serials: Serials) -> bytes:
    """Return an ODT file."""
    writer = _Writer(serials)
    deleted = "".join(
        "<text:changed-region><text:deletion><office:change-info><dc:creator>A</dc:creator>"
        f"</office:change-info>{writer.plain('deleted_text')}</text:deletion></text:changed-region>"
        for _ in range(serials.random.randint(0, 2))
    )
    body = f"<text:tracked-changes>{deleted}</text:tracked-changes>{writer.blocks(12)}"
    return writer.file("odt", body, f"<style:footer>{writer.plain('header_footer')}</style:footer>")


def odf_slides(serials: Serials) -> bytes:
    """Return an ODP file."""
    writer = _Writer(serials)
    pages = ""
    for _ in serials.few(4):
        if serials.chance(0.2):
            pages += (
                f'<draw:page draw:style-name="unseen">{_box(writer.plain("hidden"))}</draw:page>'
            )
        title = _box(writer.plain(), "title") if serials.chance(0.7) else ""
        footer = _box(writer.plain("header_footer"), "footer") if serials.chance(0.3) else ""
        notes = f"<presentation:notes>{_box(writer.plain())}</presentation:notes>"
        boxes = "".join(_box(writer.blocks(3)) for _ in serials.few())
        group = f"<draw:g>{writer.frame(0)}</draw:g>"
        pages += f"<draw:page>{title}{boxes}{group}{footer}{notes}</draw:page>"
    return writer.file("odp", pages)


def odf_sheets(serials: Serials) -> bytes:
    """Return an ODS file."""
    writer = _Writer(serials)
    tables = ""
    for number in serials.few():
        hidden = serials.chance(0.2)
        rows = writer.sheet_row("hidden", 1) if hidden else writer.sheet_rows()
        style = "away" if hidden else "shown"
        tables += f'<table:table table:name="Part {number}" table:style-name="{style}">{rows}'
        tables += "</table:table>"
    shown = f'<table:table table:name="Last">{writer.sheet_row(columns=2)}</table:table>'
    return writer.file("ods", tables + shown)


def _box(inner: str, kind: str = "outline") -> str:
    return (
        f'<draw:frame presentation:class="{kind}"><draw:text-box>{inner}</draw:text-box>'
        "</draw:frame>"
    )


class _Writer:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self._objects: dict[str, str] = {}

    def file(self, kind: str, body: str, master: str = "") -> bytes:
        title = self._serials.sentence() if self._serials.chance(0.3) else ""
        return odf_file(
            kind, body, styles=_STYLES, title=title, master=master, others=self._objects
        )

    def plain(self, fate: str = "kept") -> str:
        return f"<text:p>{self._serials.sentence(fate)}</text:p>"

    def blocks(self, most: int, depth: int = 0) -> str:
        makers = [
            self._paragraph, self._paragraph, self._heading, self._list, self._table, self._hidden,
            self._section, self._index,
        ]  # fmt: skip
        chosen = self._serials.random.choices(makers, k=self._serials.random.randint(1, most))
        return "".join(make(depth) for make in chosen)

    def _paragraph(self, depth: int) -> str:
        return f"<text:p>{self._inline(depth)}</text:p>"

    def _heading(self, depth: int) -> str:
        level = self._serials.random.randint(1, 10)
        inline = self._inline(depth)
        return f'<text:h text:outline-level="{level}">{inline}</text:h>'

    def _inline(self, depth: int) -> str:
        serials = self._serials
        parts: list[str] = []
        for _ in serials.few(4):
            name = serials.random.choice(_FIELDS)
            parts.append(f"<{name}>{serials.sentence()}</{name}>" + serials.sentence())
            parts.append(serials.random.choice(["<text:s/>", "<text:tab/>", "<text:line-break/>"]))
            if serials.chance(0.2):
                parts.append(f'<text:a xlink:href="https://x.org">{serials.sentence()}</text:a>')
            if serials.chance(0.1):
                hidden = serials.sentence("hidden")
                parts.append(f'<text:span text:style-name="off">{hidden}</text:span>')
            if depth < _MAX_DEPTH and serials.chance(0.3):
                parts.append(serials.random.choice([self._note, self._comment, self.frame])(depth))
        return "".join(parts)

    def _note(self, depth: int) -> str:
        body = self.blocks(1, depth + 2)
        return f"<text:note><text:note-body>{body}</text:note-body></text:note>"

    def _comment(self, depth: int) -> str:
        return f"<office:annotation><dc:creator>Nora</dc:creator>{self.plain()}</office:annotation>"

    def frame(self, depth: int) -> str:
        serials = self._serials
        kind = serials.random.choice(["box", "picture", "shape", "chart", "formula"])
        if kind == "picture":
            described = f"<svg:desc>{serials.sentence('picture')}</svg:desc>"
            return f'<draw:frame><draw:image xlink:href="a.png"/>{described}</draw:frame>'
        if kind == "shape":
            return f"<draw:custom-shape>{self.plain()}</draw:custom-shape>"
        if kind == "box":
            return _box(self.blocks(2, depth + 2))
        name = f"Object {len(self._objects) + 1}"
        if kind == "chart":
            chart = f"<chart:chart><chart:title>{self.plain()}</chart:title>{self._table(3)}"
            whole = f"<office:chart>{chart}</chart:chart></office:chart>"
            part = content("odt", "").replace("<office:text></office:text>", whole)
        else:
            said = serials.sentence()
            part = f"<math><semantics><mi>x</mi><annotation>{said}</annotation></semantics></math>"
        self._objects[f"{name}/content.xml"] = part
        return f'<draw:frame><draw:object xlink:href="./{name}"/></draw:frame>'

    def _list(self, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return self._paragraph(depth)
        items = "".join(
            f"<text:list-item>{self.blocks(2, depth + 1)}</text:list-item>"
            for _ in self._serials.few()
        )
        return f"<text:list>{items}</text:list>"

    def _table(self, depth: int) -> str:
        columns = self._serials.random.randint(1, 3)
        rows = ""
        for _ in self._serials.few():
            cells = "".join(self._cell(depth) for _ in range(columns))
            rows += f"<table:table-row>{cells}</table:table-row>"
        if self._serials.chance():
            cells = "".join(self._cell(_MAX_DEPTH) for _ in range(columns))
            row = f"<table:table-row>{cells}</table:table-row>"
            rows = f"<table:table-header-rows>{row}</table:table-header-rows>{rows}"
        return f"<table:table>{rows}</table:table>"

    def _cell(self, depth: int) -> str:
        inner = self.blocks(2, depth + 2) if depth < _MAX_DEPTH - 1 else self.plain()
        repeats = self._serials.random.choice(["", ' table:number-columns-spanned="2"'])
        return f"<table:table-cell{repeats}>{inner}</table:table-cell>"

    def _hidden(self, depth: int) -> str:
        hidden = self._serials.sentence("hidden")
        return f'<text:p text:style-name="off">{hidden}</text:p>'

    def _section(self, depth: int) -> str:
        if self._serials.chance() or depth >= _MAX_DEPTH:
            return f'<text:section text:display="none">{self.plain("hidden")}</text:section>'
        return f"<text:section>{self.blocks(3, depth + 1)}</text:section>"

    def _index(self, depth: int) -> str:
        source = "<text:table-of-content-source><text:index-title-template>x"
        source += "</text:index-title-template></text:table-of-content-source>"
        body = f"<text:index-body>{self.plain()}</text:index-body>"
        return f"<text:table-of-content>{source}{body}</text:table-of-content>"

    def sheet_rows(self) -> str:
        rows = []
        for _ in self._serials.few(8):
            columns = self._serials.random.randint(1, 4)
            rows.append(self.sheet_row(columns=columns))
            if self._serials.chance(0.2):
                rows.append('<table:table-row table:number-rows-repeated="3"/>')
        return "".join(rows)

    def sheet_row(self, fate: str = "kept", columns: int = 1) -> str:
        cells = "".join(self._sheet_cell(fate) for _ in range(columns))
        return f"<table:table-row>{cells}</table:table-row>"

    def _sheet_cell(self, fate: str) -> str:
        serials = self._serials
        if fate == "kept" and serials.chance(0.2):
            return '<table:table-cell table:number-columns-repeated="2"/>'
        inner = self.plain(fate)
        if fate == "kept" and serials.chance(0.2):
            inner += serials.random.choice([self._comment, self.frame])(_MAX_DEPTH)
        repeats = serials.random.choice(["", "", ' table:number-columns-repeated="2"'])
        return f'<table:table-cell office:value-type="string"{repeats}>{inner}</table:table-cell>'
