"""RTF documents whose every sentence has a serial number."""

from __future__ import annotations

from tests.parse.conservation.serials import Serials

_RUNS = (
    r"{\b %s}",
    r"{\i\fs20 %s}",
    r"\b %s\b0 ",
    r'{\field{\*\fldinst HYPERLINK "x"}{\fldrslt %s}}',
    r"{\*\bkmkstart a}%s{\*\bkmkend a}",
    r"\u8364?%s",
    r"{\*\moMath{\mr %s}}",
    r"{\object{\result %s}}",
)


def rtf_document(serials: Serials) -> bytes:
    """Return a document of paragraphs, lists, tables, notes and boxes."""
    return _Document(serials).write().encode("ascii")


class _Document:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials

    def write(self) -> str:
        serials = self._serials
        head = r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}}"
        if serials.chance(0.3):
            head += rf"{{\info{{\title {serials.sentence()}}}}}"
        for name in ("header", "footerf"):
            if serials.chance(0.3):
                head += rf"{{\{name}\pard {serials.sentence('header_footer')}\par}}"
        makers = (self._paragraph, self._paragraph, self._heading, self._item, self._table)
        parts = (serials.random.choice(makers)() for _ in serials.few(15))
        return head + serials.random.choice(["\n", "\r\n", ""]).join(parts) + "}"

    def _text(self, depth: int = 0) -> str:
        serials = self._serials
        parts = []
        for _ in serials.few(4):
            run = serials.random.choice(_RUNS) if serials.chance() else "%s"
            parts.append(run % serials.sentence())
            if serials.chance(0.3):
                parts.append(self._left_out())
            if not depth and serials.chance(0.3):
                parts.append(self._beside())
        return serials.random.choice(["\n", r"\line ", r"\tab "]).join(parts)

    def _left_out(self) -> str:
        serials = self._serials
        form, reason = serials.random.choice(
            [
                (r"{\v %s}", "hidden"),
                (r"{\deleted %s}", "deleted_text"),
                (r"{\*\xe{\b %s}}", "hidden"),
                (r"{\pict{\*\picprop{\sp{\sn wzDescription}{\sv %s}}}00ff}", "picture"),
            ]
        )
        return form % serials.sentence(reason) + serials.sentence()

    def _beside(self) -> str:
        form = self._serials.random.choice(
            [
                r"{\footnote\pard %s\par}",
                r"{\footnote %s}",
                r"{\*\atnauthor N}{\*\annotation{\*\atndate 1}%s}",
                r"{\shp{\*\shpinst{\shptxt\pard %s\par}}}",
                r"{\*\do{\dptxbxtext %s\par}}",
            ]
        )
        return form % self._text(1)

    def _paragraph(self) -> str:
        return rf"\pard {self._text()}\par "

    def _heading(self) -> str:
        mark = self._serials.random.choice([r"\s1", r"\outlinelevel3", r"\outlinelevel9"])
        return rf"\pard{mark} {self._text()}\par "

    def _item(self) -> str:
        mark = self._serials.random.choice([r"{\pntext 1.}", r"{\listtext x\tab}\ls1 ", r"\ls2 "])
        return rf"\pard{mark}{self._text()}\par "

    def _table(self) -> str:
        columns = self._serials.random.randint(1, 3)
        rows = []
        for number in self._serials.few():
            head = r"\trhdr" if number == 1 and self._serials.chance() else ""
            cells = (self._cell() for _ in range(columns))
            rows.append(rf"\trowd{head}\cellx1 " + "".join(cells) + r"\row ")
        return "".join(rows)

    def _cell(self) -> str:
        if self._serials.chance(0.1):
            return r"\pard\intbl\cell "
        more = rf"{self._text()}\par " if self._serials.chance(0.3) else ""
        return rf"\pard\intbl {more}{self._text()}\cell "
