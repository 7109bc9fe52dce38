"""LaTeX documents whose every sentence has a serial number."""

from __future__ import annotations

from tests.parse.conservation.serials import Serials

_INLINE = (
    r"\emph{%s}", r"\textbf{%s}", r"{\it %s}", r"\href{https://x.org}{%s}", r"\unknown{%s}",
    r"\footnote{%s}", r"\textcolor{red}{%s}", r"``%s''", r"$x$ %s", r"\caf\'e %s", r"\mbox{%s}",
)  # fmt: skip
_SECTIONS = ("chapter", "section", "section*", "subsection", "subsubsection", "paragraph")
_AROUND = (
    "quote", "abstract", "center", "theorem", "proof", "weird", "minipage", "itemize", "enumerate",
    "description", "tabular", "figure", "table", "verbatim", "lstlisting", "comment",
)  # fmt: skip
_MAX_DEPTH = 2


def latex_document(serials: Serials) -> bytes:
    """Return a document of sections, lists, tables and figures."""
    writer = _Document(serials)
    text = writer.blocks(10, 0)
    if serials.chance(0.8):
        title = rf"\title{{{serials.sentence()}}}" if serials.chance() else ""
        head = rf"\documentclass{{article}}\usepackage{{x}}{title}"
        text = "\n".join([head, r"\begin{document}\maketitle", text, r"\end{document}", ""])
        if serials.chance(0.2):
            text += serials.sentence("hidden")
    return text.encode()


class _Document:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials

    def blocks(self, most: int, depth: int) -> str:
        makers = [self._text, self._text, self._section, self._around, self._comment, self._input]
        chosen = self._serials.random.choices(makers, k=self._serials.random.randint(1, most))
        return "\n\n".join(make(depth) for make in chosen)

    def _text(self, depth: int) -> str:
        parts = []
        for _ in self._serials.few(4):
            form = self._serials.random.choice(_INLINE) if self._serials.chance() else "%s"
            parts.append(form % self._serials.sentence())
        return self._serials.random.choice([" ", "\n", "\\\\\n"]).join(parts)

    def _section(self, depth: int) -> str:
        if depth:
            return self._text(depth)
        name = self._serials.random.choice(_SECTIONS)
        return rf"\{name}{{{self._serials.sentence()}}}"

    def _comment(self, depth: int) -> str:
        return f"{self._serials.sentence()} % {self._serials.sentence('comment')}"

    def _input(self, depth: int) -> str:
        self._serials.sentence("include")
        return r"\input{/etc/hostname}"

    def _around(self, depth: int) -> str:
        serials = self._serials
        name = serials.random.choice(_AROUND)
        if name == "comment":
            inner = serials.sentence("comment")
        elif name in ("verbatim", "lstlisting"):
            inner = f"{serials.sentence()} % {serials.sentence()}"
        elif name in ("itemize", "enumerate"):
            inner = "\n".join(rf"\item {self._inner(depth)}" for _ in serials.few())
        elif name == "description":
            inner = "\n".join(
                rf"\item[{serials.sentence()}] {self._inner(depth)}" for _ in serials.few()
            )
        elif name == "tabular":
            rows = (f"{serials.sentence()} & {serials.sentence()}" for _ in serials.few())
            return r"\begin{tabular}{ll}" + "\\\\\n".join(rows) + r"\end{tabular}"
        elif name in ("figure", "table"):
            inner = rf"\centering {self._inner(_MAX_DEPTH)}\caption{{{serials.sentence()}}}"
        else:
            inner = self._inner(depth)
        return f"\\begin{{{name}}}\n{inner}\n\\end{{{name}}}"

    def _inner(self, depth: int) -> str:
        return self._text(depth) if depth >= _MAX_DEPTH else self.blocks(2, depth + 1)
