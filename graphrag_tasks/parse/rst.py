"""Read reStructuredText by docutils, which converts it to HTML.

No other file is read and no program run. The text of unknown roles and directives, such as Sphinx's, is kept; those
that refer to content elsewhere are counted as left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.directives.tables import CSVTable
from docutils.parsers.rst.states import SubstitutionDef

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.completeness import letters_of
from graphrag_tasks.parse.markup import read_written
from graphrag_tasks.parse.text import bounded_lines, clean_text
from graphrag_tasks.sources.encodings import decode

_SETTINGS: Mapping[str, object] = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 6,  # above the worst: what is wrong costs no other part
    "warning_stream": False,
    "line_length_limit": 10**9,
    "output_encoding": "unicode",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "toc_backlinks": False,
    "footnote_backlinks": False,
    "sectnum_xform": False,
}
"""docutils settings: no files, no raw HTML, no output."""
_MAX_EXPANDED = 100_000
"""Limit of expanded substitutions, in characters: pages have some thousands; each may double another. Chosen."""
_ROLE = re.compile(r":([A-Za-z][\w.+:-]*):`|`:([A-Za-z][\w.+:-]*):")
_DIRECTIVE = re.compile(r"^[ \t>*+-]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w.+:-]+?)[ \t]?::", re.M)
_TARGET = re.compile(r"\s*<[^<>]*>\s*\Z")
_CODE = ("code", "code-block", "sourcecode", "highlight-block", "parsed-code")
_DRAWN = ("graphviz", "digraph", "graph", "mermaid", "plantuml", "uml", "productionlist")
_SCRIPTS = ("sup", "sub")  # Short role names that docutils knows.
_SAID = {
    "versionadded": "Added in version {}",
    "versionchanged": "Changed in version {}",
    "versionremoved": "Removed in version {}",
    "deprecated": "Deprecated since version {}",
    "deprecated-removed": "Deprecated since version {}, removed in version {}",
    "seealso": "See also",
}
"""Text that Sphinx writes for directives; `{}` is a version."""
_ELSEWHERE = {
    **dict.fromkeys(("include", "literalinclude"), LeftOut.INCLUDE),
    **dict.fromkeys(("header", "footer"), LeftOut.HEADER_FOOTER),
    **dict.fromkeys(("toctree", "index", "highlight", "currentmodule"), LeftOut.DIRECTIVE),
    **dict.fromkeys(("tabularcolumns", "date", "contents", "meta", "title"), LeftOut.DIRECTIVE),
    "raw": LeftOut.HIDDEN,
}
"""Directives that hold no text of the page, with the reason."""


def read_rst(data: bytes) -> ParsedDocument:
    """Read a reStructuredText page; raises `DocumentError` (code `broken`) if it is binary."""
    file = decode(data)
    text = bounded_lines(clean_text(file.text), "*_`|:{}\\-")
    left_out: Counter[str] = Counter(file.left_out)
    html = _html(text, left_out)
    return read_written(html, left_out=left_out, encoding=file.encoding)


def _html(text: str, left_out: Counter[str]) -> str:
    _register(text)
    settings = {**_SETTINGS, "left_out": left_out}
    document = publish_doctree(text, parser=_Parser(), settings_overrides=settings)
    _settle(document, left_out)
    page = str(publish_from_doctree(document, writer="html5", settings_overrides=settings))
    return page[page.index("<body") :]


class _Parser(Parser):  # type: ignore[misc]
    """Refuses a page whose substitutions expand too far, before they are expanded."""

    def parse(self, text: str, document: nodes.document) -> None:
        super().parse(text, document)
        sizes: dict[str, int] = {}
        if _expanded(document, document, sizes) > _MAX_EXPANDED:
            what = f"its substitutions stand for more than {_MAX_EXPANDED} characters"
            raise DocumentError("too_large", what, hint="Write out what they stand for")


def _expanded(node: nodes.Element, document: nodes.document, sizes: dict[str, int]) -> int:
    """Return the length that a definition, or a page, adds when fully expanded."""
    total = 0 if node is document else len(node.astext())
    for reference in node.findall(nodes.substitution_reference):
        name = document.substitution_names.get(reference["refname"].lower(), "")
        if name not in sizes:
            sizes[name] = 0  # one that holds itself is not expanded
            if definition := document.substitution_defs.get(name):
                sizes[name] = _expanded(definition, document, sizes)
        total += sizes[name]
    return total


def _register(text: str) -> None:
    """Register the page's unknown roles and directives, and forget those of other pages."""
    roles._roles.clear()
    directives._directives.clear()
    for found in _ROLE.finditer(text):
        name = (found[1] or found[2]).lower()
        if name not in roles._role_registry and name not in _SCRIPTS:
            roles.register_local_role(name, _text_role)
    own: dict[str, type[Directive]] = {
        **dict.fromkeys(_CODE, _Code),
        **dict.fromkeys(_ELSEWHERE, _Elsewhere),
        "csv-table": _CsvTable,
    }
    for found in _DIRECTIVE.finditer(text):
        name = found[1].lower()
        if name in own:
            directives.register_directive(name, own[name])
        elif name not in directives._directive_registry:
            kind = _Code if name in _DRAWN else _Elsewhere if name.startswith("auto") else _Other
            directives.register_directive(name, kind)


def _text_role(
    _role: str, _source: str, text: str, *_: object, **__: object
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    shown = _TARGET.sub("", nodes.unescape(text)) or nodes.unescape(text)
    return [nodes.inline(text, shown.lstrip("~!"))], []


class _AnyOption(dict[str, Any]):
    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a converter of docutils
        return str


class _Other(Directive):  # type: ignore[misc]
    """An unknown directive: its arguments and content are kept."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = _AnyOption()

    def run(self) -> list[nodes.Node]:
        """Return the directive's texts; its name is counted, or written as Sphinx does."""
        shown = nodes.container()
        texts = [*self.arguments, *self._titles()]
        if said := _SAID.get(self.name.lower()):
            words = " ".join(texts).split(None, said.count("{}"))
            versions = [*words, "", ""][: said.count("{}")]
            text = " ".join(words[len(versions) :])
            end = ":" if text or self.content else "."
            texts = [f"{said.format(*versions)}{end} {text}".strip()]
        else:
            self.state.document.settings.left_out[LeftOut.DIRECTIVE] += 1
        for text in texts:
            inline, messages = self.state.inline_text(text, self.lineno)
            shown += nodes.paragraph(text, "", *inline)
            shown += messages
        self.state.nested_parse(self.content, self.content_offset, shown)
        return [shown]

    def _titles(self) -> Iterator[str]:
        values = (self.options.get(name) for name in ("caption", "title"))
        return (str(value) for value in values if value and value != "None")


class _Code(_Other):
    """A directive whose content is code."""

    def run(self) -> list[nodes.Node]:
        titles = [nodes.paragraph(text, text) for text in self._titles()]
        text = "\n".join(self.content)
        return [*titles, nodes.literal_block(text, text)]


class _Elsewhere(_Other):
    """A directive that holds no text of the page."""

    def run(self) -> list[nodes.Node]:
        reason = _ELSEWHERE.get(self.name.lower(), LeftOut.DIRECTIVE)
        self.state.document.settings.left_out[reason] += 1
        return [nodes.Text(" ")] if isinstance(self.state, SubstitutionDef) else []


class _CsvTable(CSVTable):  # type: ignore[misc]
    def run(self) -> Sequence[nodes.Node]:
        if "file" not in self.options and "url" not in self.options:
            return list(super().run())
        self.state.document.settings.left_out[LeftOut.INCLUDE] += 1
        return []


def _settle(document: nodes.document, left_out: Counter[str]) -> None:
    """Remove comments, messages and problems, keeping the source that docutils could not read."""
    for comment in list(document.findall(nodes.comment)):
        left_out[LeftOut.COMMENT] += bool(comment.astext().strip())
        comment.parent.remove(comment)
    for wrong in list(document.findall(nodes.problematic)):
        wrong.parent.replace(wrong, nodes.Text(wrong.astext()))
    definitions = list(document.findall(nodes.substitution_definition))
    for definition in definitions:
        definition.parent.remove(definition)
    document.parse_messages, document.transform_messages = [], []
    for image in document.findall(nodes.image):
        image.setdefault("alt", "")  # else docutils writes its address there
    texts = (text for text in document.findall(nodes.Text) if not _is_told(text))
    shown = letters_of("".join(texts))
    for message in list(document.findall(nodes.system_message)):
        sources = message.findall(nodes.literal_block)
        kept = [source for source in sources if letters_of(source.astext()) not in shown]
        message.parent.replace(message, kept)
    for definition in definitions:
        left_out[LeftOut.HIDDEN] += letters_of(definition.astext()) not in shown


def _is_told(text: nodes.Text) -> bool:
    """Tell whether a text belongs to a docutils message."""
    node = text.parent
    while node is not None and not isinstance(node, nodes.system_message):
        node = node.parent
    return node is not None
