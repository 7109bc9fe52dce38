"""Pages in AsciiDoc whose every sentence has a serial number."""

from __future__ import annotations

from tests.parse.conservation.serials import Serials

_INLINE = (
    "*{}*", "_{}_", "`{}`", "**{}**", "#{}#", "https://x.org[{}]", "link:a.html[{}]", "<<a,{}>>",
    "xref:a[{}]", "footnote:[{}]", "(({}))", '"`{}`"', "[.red]#{}#", "+{}+", "pass:[{}]", "{}^",
)  # fmt: skip
_BLOCKS = ("----", "....", "====", "****", "____", "--", "++++", "```", "|===", "-----", "======")
_MAX_DEPTH = 2


def adoc_page(serials: Serials) -> bytes:
    """Return a page of sections, lists, tables and blocks."""
    writer = _Page(serials)
    head = f"= {serials.sentence()}\n" if serials.chance(0.7) else ""
    if head and serials.chance(0.3):
        head += f"{serials.sentence()}\n:toc: left\n"
    text = f"{head}\n{writer.blocks(12, 0)}\n"
    return text.encode(serials.random.choice(["utf-8", "utf-8-sig", "utf-16"]))


class _Page:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials

    def blocks(self, most: int, depth: int) -> str:
        makers = [
            self._paragraph, self._paragraph, self._section, self._list, self._terms, self._block,
            self._table, self._macro, self._comment, self._attribute, self._quote, self._literal,
        ]  # fmt: skip
        chosen = self._serials.random.choices(makers, k=self._serials.random.randint(1, most))
        return "\n\n".join(make(depth) for make in chosen)

    def _inline(self) -> str:
        serials = self._serials
        return serials.random.choice(_INLINE).format(serials.sentence())

    def _text(self) -> str:
        parts = [
            self._inline() if self._serials.chance() else self._serials.sentence()
            for _ in self._serials.few(4)
        ]
        return self._serials.random.choice([" ", "\n", " +\n"]).join(parts)

    def _paragraph(self, depth: int) -> str:
        start = self._serials.random.choice(
            ["", "", "NOTE: ", "[verse]\n", "[.lead]\n", ".Title\n"]
        )
        return start + self._text()

    def _section(self, depth: int) -> str:
        if depth:
            return f".{self._serials.sentence()}\n{self._text()}"
        return f"{'=' * self._serials.random.randint(2, 6)} {self._serials.sentence()}"

    def _list(self, depth: int) -> str:
        mark = self._serials.random.choice(["*", "**", "-", ".", "1.", "* [x]"])
        items = []
        for _ in self._serials.few():
            items.append(f"{mark} {self._text()}")
            if self._serials.chance(0.2):
                items.append(f"+\n{self._text()}")
        return "\n".join(items)

    def _terms(self, depth: int) -> str:
        between = self._serials.random.choice([":: ", "::\n", "::\n  ", "::: "])
        return f"{self._serials.sentence()}{between}{self._text()}"

    def _block(self, depth: int) -> str:
        mark = self._serials.random.choice(_BLOCKS)
        is_text = mark in ("----", "....", "++++", "```", "|===", "-----") or depth >= _MAX_DEPTH
        sentence = self._serials.sentence()
        inner = f"| {sentence}" if mark == "|===" else sentence
        if not is_text:
            inner = f"{sentence}\n\n{self.blocks(3, _MAX_DEPTH)}"
            mark = mark if mark not in inner else "*" * 9
        return f"{mark}\n{inner}\n{mark}"

    def _table(self, depth: int) -> str:
        serials = self._serials
        columns = serials.random.randint(1, 3)
        separate = serials.random.choice([" ", "\n"])
        rows = []
        for _ in serials.few(4):
            marks = (serials.random.choice(["|", "|", "a|", "h|", ".2+|"]) for _ in range(columns))
            rows.append(separate.join(mark + serials.sentence() for mark in marks))
        own = f'[cols="{",".join("1" * columns)}"]\n' if separate == "\n" else ""
        own += "[%header]\n" if serials.chance(0.3) else ""
        return f"{own}|===\n" + serials.random.choice(["\n", "\n\n"]).join(rows) + "\n|==="

    def _macro(self, depth: int) -> str:
        serials = self._serials
        kind = serials.random.choice(["image", "include", "ifdef", "index", "video"])
        if kind == "image":
            return f"image::a.png[{serials.sentence('picture')}]"
        if kind == "include":
            return f"include::a.adoc[tag={serials.sentence('include')}]"
        if kind == "ifdef":
            return f"ifdef::a[{serials.sentence()}]\nifndef::b[]\n{serials.sentence()}\nendif::[]"
        if kind == "index":
            return f"{serials.sentence()} ((({serials.sentence('hidden')})))"
        return f"video::a.mp4[options={serials.sentence('directive')}]"

    def _comment(self, depth: int) -> str:
        text = self._serials.sentence("comment")
        return f"// {text}" if self._serials.chance() else f"////\n{text}\n////"

    def _attribute(self, depth: int) -> str:
        name = f"name-{len(self._serials.fates)}"
        if self._serials.chance():
            return f":{name}: {self._serials.sentence('hidden')}"
        return f":{name}: {self._serials.sentence()}\n\nSee {{{name}}} here."

    def _quote(self, depth: int) -> str:
        head = f'[quote,"{self._serials.sentence()}"]'
        if self._serials.chance():
            return f"{head}\n{self._text()}"
        return f"{head}\n____\n{self._serials.sentence()}\n____"

    def _literal(self, depth: int) -> str:
        return f" {self._serials.sentence()}\n {self._serials.sentence()}"
