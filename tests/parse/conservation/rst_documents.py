"""Pages in reStructuredText whose every sentence has a serial number."""

from __future__ import annotations

from textwrap import indent

from tests.parse.conservation.serials import Serials

_UNDERLINES = "=-~^"
_ADMONITIONS = ("note", "warning", "seealso", "versionadded", "deprecated", "container")
_ROLES = ("*{}*", "**{}**", "``{}``", ":ref:`{} <a>`", ":class:`{}`", "`{}`", "`{} <x.html>`__")
_MAX_DEPTH = 3


def rst_page(serials: Serials) -> bytes:
    """Return a page of sections, lists, tables and directives."""
    return _Page(serials).write().encode(serials.random.choice(["utf-8", "utf-8-sig", "utf-16"]))


class _Page:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self._behind: list[str] = []

    def write(self) -> str:
        parts = [self._blocks(3, 0)]
        for level in range(self._serials.random.randint(0, 3)):
            title = self._serials.sentence()
            length = 3 if self._serials.chance(0.2) and level == 0 else len(title)
            parts += [f"{title}\n{_UNDERLINES[level] * length}", self._blocks(5, 0)]
        return "\n\n".join([*parts, *self._behind]) + "\n"

    def _blocks(self, most: int, depth: int) -> str:
        makers = [
            self._paragraph, self._paragraph, self._list, self._definition, self._directive,
            self._code, self._comment, self._table, self._elsewhere, self._picture, self._field,
            self._wrong, self._substitution, self._footnote,
        ]  # fmt: skip
        chosen = self._serials.random.choices(makers, k=self._serials.random.randint(1, most))
        return "\n\n".join(make(depth) for make in chosen)

    def _inline(self) -> str:
        return self._serials.random.choice(_ROLES).format(self._serials.sentence())

    def _paragraph(self, depth: int) -> str:
        lines = (
            self._inline() if self._serials.chance(0.3) else self._serials.sentence()
            for _ in self._serials.few()
        )
        return "\n".join(lines)

    def _list(self, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return self._paragraph(depth)
        mark = self._serials.random.choice(["* ", "- ", "#. "])
        items = (indent(self._blocks(2, depth + 1), " " * len(mark)) for _ in self._serials.few())
        return "\n\n".join(f"{mark}{self._serials.sentence()}\n\n{item}" for item in items)

    def _definition(self, depth: int) -> str:
        return f"{self._serials.sentence()}\n  {self._serials.sentence()}"

    def _directive(self, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return self._paragraph(depth)
        name = self._serials.random.choice(_ADMONITIONS)
        title = f" {self._serials.sentence()}" if name not in ("container", "note") else ""
        return f".. {name}::{title}\n\n{indent(self._blocks(1, _MAX_DEPTH), '   ')}"

    def _code(self, depth: int) -> str:
        forms = (
            "::\n\n   {}",
            ".. code-block:: python\n\n   {}",
            ".. code::\n   :linenos:\n\n   {}",
        )
        return self._serials.random.choice(forms).format(self._serials.sentence())

    def _comment(self, depth: int) -> str:
        return f".. {self._serials.sentence('comment')}"

    def _table(self, depth: int) -> str:
        serials = self._serials
        if serials.chance():
            rows = [f'   "{serials.sentence()}", "{serials.sentence()}"' for _ in serials.few()]
            return f".. csv-table:: {serials.sentence()}\n\n" + "\n".join(rows)
        cells = [serials.sentence() for _ in range(1 + len(serials.few()))]
        width = max(map(len, cells))
        line = f"+{'-' * (width + 2)}+"
        return f"{line}\n" + "".join(f"| {one.ljust(width)} |\n{line}\n" for one in cells)

    def _elsewhere(self, depth: int) -> str:
        serials = self._serials
        name, reason = serials.random.choice(
            [("toctree", "directive"), ("include", "include"), ("raw", "hidden"),
             ("footer", "header_footer"), ("automodule", "directive")],
        )  # fmt: skip
        return f".. {name}:: x\n\n   {serials.sentence(reason)}"

    def _picture(self, depth: int) -> str:
        described = f"   :alt: {self._serials.sentence('picture')}"
        return f".. figure:: a.png\n{described}\n\n   {self._serials.sentence()}"

    def _field(self, depth: int) -> str:
        return f":Name: {self._serials.sentence()}"

    def _wrong(self, depth: int) -> str:
        forms = ("+---+\n| {}", "*{}", ":a-role:`{}", "|{}|", ".. image::\n   :x: {}")
        return self._serials.random.choice(forms).format(self._serials.sentence())

    def _substitution(self, depth: int) -> str:
        number = len(self._serials.fates)
        is_used = self._serials.chance()
        text = self._serials.sentence("kept" if is_used else "hidden")
        self._behind.append(f".. |s{number}| replace:: {text}")
        return f"See |s{number}|." if is_used else self._serials.sentence()

    def _footnote(self, depth: int) -> str:
        self._behind.append(f".. [#] {self._serials.sentence()}")
        return f"{self._serials.sentence()} [#]_"
