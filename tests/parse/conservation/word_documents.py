"""Word documents of random structure whose every sentence has a serial number."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.parse.conservation.serials import KEPT, Serials

_W = nsdecls("w")
_BOX = (
    '<w:r {names}><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>'
    '<wp:extent cx="100" cy="100"/><wp:docPr id="{id}" name="Box {id}"/><a:graphic>'
    '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
    "<wps:wsp><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"
    "</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>"
    "<v:shape><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></v:shape></w:pict>"
    "</mc:Fallback></mc:AlternateContent></w:r>"
)
_BOX_NAMES = (
    f"{nsdecls('w', 'wp', 'a')} "
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_STYLES = (None, "List Bullet", "List Bullet 2", "List Number", "List Number 2", "Quote", "Caption")
_LEVELS = 2


def word_document(serials: Serials) -> bytes:
    """Return a DOCX file."""
    return _Writer(serials).write()


class _Writer:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self._file = Document()
        self._notes: dict[str, list[str]] = {"footnote": [], "endnote": []}
        self._ids = 0

    def write(self) -> bytes:
        if self._serials.chance():
            self._file.add_heading(self._serials.sentence(), 0)
        body = [
            self._heading, self._plain, self._runs, self._list, self._page, self._columns,
            self._table, self._table, self._boxed, self._in_control, self._deleted, self._inserted,
            self._moved, self._field, self._link, self._note, self._comment, self._hidden,
            self._picture, self._breaks, self._chunk, self._unknown, self._clauses,
        ]  # fmt: skip
        self._serials.some(body, 14)
        self._furniture()
        for kind, notes in self._notes.items():
            if notes:
                self._add_notes(kind, notes)
        buffer = BytesIO()
        self._file.save(buffer)
        return buffer.getvalue()

    def _heading(self) -> None:
        self._file.add_heading(self._serials.sentence(), self._serials.random.randint(1, 3))

    def _plain(self) -> None:
        for _ in self._serials.few():
            self._file.add_paragraph(self._serials.sentence())

    def _runs(self) -> None:
        paragraph = self._file.add_paragraph()
        for _ in self._serials.few():
            paragraph.add_run(self._serials.sentence() + " ").bold = self._serials.chance()

    def _list(self) -> None:
        for _ in self._serials.few(5):
            style = self._serials.random.choice(_STYLES)
            self._file.add_paragraph(self._serials.sentence(), style=style)

    def _page(self) -> None:
        self._file.add_page_break()
        self._file.add_paragraph(self._serials.sentence())

    def _columns(self) -> None:
        section = self._file.add_section(0)
        section._sectPr.append(parse_xml(f'<w:cols {_W} w:num="2"/>'))
        self._plain()

    def _table(self) -> None:
        self._fill_table(self._file, 0)

    def _fill_table(self, parent: Any, level: int) -> None:
        rows, columns = len(self._serials.few()), len(self._serials.few())
        table = parent.add_table(rows, columns)
        if rows > 1 and self._serials.chance(0.3):
            table.cell(0, 0).merge(table.cell(1, 0))
        elif columns > 1 and self._serials.chance(0.3):
            table.cell(0, 0).merge(table.cell(0, 1))
        done: set[Any] = set()
        for row in table.rows:
            for cell in row.cells:
                if cell._tc not in done:
                    done.add(cell._tc)
                    self._fill_cell(cell, level)

    def _fill_cell(self, cell: Any, level: int) -> None:
        cell.paragraphs[0].text = self._serials.sentence() if self._serials.chance(0.8) else ""
        if self._serials.chance(0.3):
            cell.add_paragraph(self._serials.sentence())
        if self._serials.chance(0.15):
            cell.add_paragraph(self._serials.sentence(), style="List Bullet")
        if self._serials.chance(0.1):
            self._box(cell.add_paragraph())
        if self._serials.chance(0.1):
            cell._tc.append(self._control(self._xml(self._serials.sentence())))
        if self._serials.chance(0.1):
            self._wrap(cell.add_paragraph(), "ins", self._serials.sentence())
        if self._serials.chance(0.1):
            self._wrap(cell.add_paragraph(), "del", self._serials.sentence("deleted_text"))
        if level < _LEVELS and self._serials.chance(0.3):
            self._fill_table(_Cell(cell), level + 1)
            if self._serials.chance():
                cell.add_paragraph(self._serials.sentence())

    def _boxed(self) -> None:
        text = self._serials.sentence() if self._serials.chance() else ""
        self._box(self._file.add_paragraph(text))

    def _box(self, paragraph: Any) -> None:
        self._ids += 1
        inner = "".join(self._xml(self._serials.sentence()) for _ in self._serials.few(2))
        if self._serials.chance(0.3):
            cells = "".join(f"<w:tc>{self._xml(self._serials.sentence())}</w:tc>" for _ in "12")
            grid = "<w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>"
            inner += f"<w:tbl><w:tblPr/>{grid}<w:tr>{cells}</w:tr></w:tbl><w:p/>"
        paragraph._p.append(parse_xml(_BOX.format(names=_BOX_NAMES, id=self._ids, inner=inner)))

    def _xml(self, text: str) -> str:
        return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"

    def _control(self, inner: str) -> Any:
        return parse_xml(f"<w:sdt {_W}><w:sdtPr/><w:sdtContent>{inner}</w:sdtContent></w:sdt>")

    def _in_control(self) -> None:
        kind = self._serials.random.choice(["block", "inline", "cell", "table"])
        text = self._serials.sentence()
        if kind == "block":
            self._file.add_paragraph()._p.addprevious(self._control(self._xml(text)))
        elif kind == "inline":
            paragraph = self._file.add_paragraph(self._serials.sentence() + " ")
            paragraph._p.append(self._control(f"<w:r><w:t>{text}</w:t></w:r>"))
        elif kind == "cell":
            table = self._file.add_table(1, 2)
            table.cell(0, 0).text = self._serials.sentence()
            cell = table.cell(0, 1)._tc
            cell.addprevious(self._control(f"<w:tc><w:tcPr/>{self._xml(text)}</w:tc>"))
            cell.getparent().remove(cell)
        else:
            table = self._file.add_table(2, 2)
            table.cell(1, 1).text = text
            table.cell(0, 0).text = self._serials.sentence()
            control = self._control("")
            table._tbl.addprevious(control)
            control[-1].append(table._tbl)

    def _wrap(self, paragraph: Any, name: str, text: str) -> None:
        self._ids += 1
        inner = "delText" if name == "del" else "t"
        paragraph._p.append(
            parse_xml(
                f'<w:{name} {_W} w:id="{self._ids}" w:author="A"><w:r>'
                f'<w:{inner} xml:space="preserve">{text} </w:{inner}></w:r></w:{name}>'
            )
        )

    def _inserted(self) -> None:
        paragraph = self._file.add_paragraph(self._serials.sentence() + " ")
        self._wrap(paragraph, "ins", self._serials.sentence())

    def _deleted(self) -> None:
        text = self._serials.sentence() + " " if self._serials.chance() else ""
        paragraph = self._file.add_paragraph(text)
        self._wrap(paragraph, "del", self._serials.sentence("deleted_text"))

    def _moved(self) -> None:
        source = self._file.add_paragraph()
        self._wrap(source, "moveFrom", self._serials.sentence("deleted_text"))
        self._wrap(self._file.add_paragraph(), "moveTo", self._serials.sentence())

    def _field(self) -> None:
        paragraph = self._file.add_paragraph(self._serials.sentence() + " ")
        text = self._serials.sentence()
        if self._serials.chance():
            run = f"<w:r><w:t>{text}</w:t></w:r>"
            paragraph._p.append(parse_xml(f'<w:fldSimple {_W} w:instr="REF x">{run}</w:fldSimple>'))
            return
        for part in (
            '<w:fldChar w:fldCharType="begin"/>',
            "<w:instrText> REF x </w:instrText>",
            '<w:fldChar w:fldCharType="separate"/>',
            f"<w:t>{text}</w:t>",
            '<w:fldChar w:fldCharType="end"/>',
        ):
            paragraph._p.append(parse_xml(f"<w:r {_W}>{part}</w:r>"))

    def _link(self) -> None:
        url = "https://example.org/x"
        relation = self._file.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        paragraph = self._file.add_paragraph(self._serials.sentence() + " ")
        paragraph._p.append(
            parse_xml(
                f'<w:hyperlink {nsdecls("w", "r")} r:id="{relation}"><w:r><w:t>'
                f"{self._serials.sentence()}</w:t></w:r></w:hyperlink>"
            )
        )

    def _note(self) -> None:
        kind = self._serials.random.choice(["footnote", "endnote"])
        self._notes[kind].append(self._serials.sentence())
        paragraph = self._file.add_paragraph(self._serials.sentence())
        number = len(self._notes[kind])
        paragraph._p.append(parse_xml(f'<w:r {_W}><w:{kind}Reference w:id="{number}"/></w:r>'))

    def _add_notes(self, kind: str, notes: list[str]) -> None:
        inner = "".join(
            f'<w:{kind} w:id="{number}">{self._xml(text)}</w:{kind}>' for number, text in enumerate(notes, 1)
        )
        content = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
        blob = f"<w:{kind}s {_W}>{inner}</w:{kind}s>".encode()
        part = Part(PackURI(f"/word/{kind}s.xml"), content, blob, self._file.part.package)
        relation = {"footnote": RELATIONSHIP_TYPE.FOOTNOTES, "endnote": RELATIONSHIP_TYPE.ENDNOTES}[kind]
        self._file.part.relate_to(part, relation)

    def _comment(self) -> None:
        run = self._file.add_paragraph().add_run(self._serials.sentence())
        self._file.add_comment(run, self._serials.sentence(), author="Ann", initials="A")

    def _hidden(self) -> None:
        paragraph = self._file.add_paragraph(self._serials.sentence() + " " if self._serials.chance() else "")
        paragraph.add_run(self._serials.sentence("hidden")).font.hidden = True

    def _picture(self) -> None:
        paragraph = self._file.add_paragraph()
        paragraph.add_run().add_picture(BytesIO(tiny_picture(self._ids)))
        described = paragraph._p.xpath(".//wp:docPr")[0]
        described.set("descr", self._serials.sentence("picture"))

    def _breaks(self) -> None:
        """Write a control with signs of Wingdings between lines."""
        lines = [f"<w:t>{self._serials.sentence()}</w:t>" for _ in self._serials.few()]
        sign = '<w:br/><w:sym w:font="Wingdings" w:char="F0FE"/>'
        control = self._control(f"<w:r>{sign.join(lines)}</w:r>")
        self._file.add_paragraph()._p.append(control)

    def _chunk(self) -> None:
        """Put another file into the document: a page, a text, or what nobody reads."""
        form, ending = self._serials.random.choice([("<p>{}</p>", "html"), ("{}", "docx"), ("{}", "bin")])
        text = self._serials.sentence("unread" if ending == "bin" else KEPT)
        self._ids += 1
        name = PackURI(f"/word/chunk{self._ids}.{ending}")
        package = self._file.part.package
        data = form.format(text).encode()
        if ending == "docx":
            inner, buffer = Document(), BytesIO()
            inner.add_paragraph(text)
            inner.save(buffer)
            data = buffer.getvalue()
        part = Part(name, "application/octet-stream", data, package)
        relation = self._file.part.relate_to(part, f"{_OFFICE}/relationships/aFChunk")
        chunk = parse_xml(f'<w:altChunk {nsdecls("w", "r")} r:id="{relation}"/>')
        self._file.add_paragraph()._p.addnext(chunk)

    def _unknown(self) -> None:
        self._ids += 1
        if self._serials.chance():
            text = self._serials.sentence("unread")
            run = parse_xml(f"<w:r {_W}><w:future>{text}</w:future></w:r>")
            self._file.add_paragraph()._p.append(run)
            return
        blob = f"<w:new {_W}>{self._xml(self._serials.sentence('unread'))}</w:new>".encode()
        name = PackURI(f"/word/new{self._ids}.xml")
        part = Part(name, "application/xml", blob, self._file.part.package)
        self._file.part.relate_to(part, f"{_OFFICE}/relationships/new")

    def _clauses(self) -> None:
        add_list(self._file, "%1.", "%1.%2")
        for level in range(1 + len(self._serials.few())):
            add_clause(self._file, self._serials.sentence(), level % 2)

    def _furniture(self) -> None:
        section = self._file.sections[0]
        for part in (section.header, section.footer):
            for _ in range(self._serials.random.randint(0, 2)):
                part.add_paragraph(self._serials.sentence("header_footer"))


def add_list(file: Any, *forms: str) -> None:
    """Add a list, "80", whose levels have these formats and kinds, and one that restarts, "81"."""
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind or "decimal"}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for at, (text, _, kind) in enumerate(form.partition("|") for form in forms)
    )
    over = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    lists = file.part.numbering_part.element
    lists.insert(0, parse_xml(f'<w:abstractNum {_W} w:abstractNumId="80">{levels}</w:abstractNum>'))
    for number, rest in (("80", ""), ("81", over)):
        inner = f'<w:abstractNumId w:val="80"/>{rest}'
        lists.append(parse_xml(f'<w:num {_W} w:numId="{number}">{inner}</w:num>'))


def add_clause(file: Any, text: str, level: int, number: str = "80", style: str | None = None) -> None:
    """Add a paragraph of a list."""
    inner = f'<w:ilvl w:val="{level}"/><w:numId w:val="{number}"/>'
    properties = file.add_paragraph(text, style)._p.get_or_add_pPr()
    properties.append(parse_xml(f"<w:numPr {_W}>{inner}</w:numPr>"))


class _Cell:
    """A cell that takes a table of so many rows and columns."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def add_table(self, rows: int, columns: int) -> Any:
        return self._cell.add_table(rows, columns)


def tiny_picture(shade: int) -> bytes:
    """Return a PNG file of one pixel."""

    def part(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(bytes([0, shade % 256, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", pixel) + part(b"IEND", b"")
