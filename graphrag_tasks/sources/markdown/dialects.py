"""Turn the Markdown of documentation generators into plain Markdown, by one table of marks (`marks.yaml`).

DocFX, MkDocs and Material, Docusaurus, Hugo, Jekyll, GitBook, Obsidian and GitHub extend Markdown. No page names its
generator, so marks are recognized by their form; anything else stays, and so does all code. A mark gives way to its
text or label; what stands elsewhere is counted as left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from typing import NamedTuple
from urllib.parse import unquote

import yaml

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.sources.markdown.front_matter import ALIASES, Fields, split_front_matter

_BEFORE, _BEHIND = "\ufdd0", "\ufdd1"  # noncharacters, which no document may hold
_TOKEN = re.compile(f"{_BEFORE}([0-9]+){_BEHIND}")
_NONCHARACTERS = {code: None for code in range(0xFDD0, 0xFDF0)}  # Noncharacters, removed from all input text.
_PREFIX = r"(?:[ \t]|>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*"
_FENCE = re.compile(rf"({_PREFIX})(`{{3,}}(?=[^`\n]*$)|~{{3,}})")
_INLINE = re.compile(
    r"(?<![`\\])(`{1,20})(?!`)(?:[^\n]|\n(?![ \t]*\n)){1,2000}?(?<!`)\1(?!`)"
    r"|<(pre|code)\b[^<>]{0,200}>(?:(?!<\2\b).){0,20000}?</\2>"
    r"|\{%-?\s*raw\s*-?%\}(?:(?!\{%-?\s*raw).){0,20000}?\{%-?\s*endraw\s*-?%\}",
    re.DOTALL | re.IGNORECASE,
)
_RAW_TAG = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_NOTHING = re.compile(r"(?!)")
_CONTAINER = re.compile(r"[ \t]{0,3}(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|!!!|\?\?\?|===|\[\^[^\]]+\]:|<[A-Za-z])")
"""Lines after which an indented line is not code but belongs to them."""
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")


class Verbatim:
    """The code of a text: fences, indented lines, spans, and Liquid's raw text.

    `with_raw_tags` includes Liquid's tags around raw text.
    """

    def __init__(self, *, with_raw_tags: bool = False) -> None:
        self._tags = _NOTHING if with_raw_tags else _RAW_TAG
        self._kept: list[tuple[str, int]] = []

    def hide(self, text: str) -> str:
        """Replace each piece of code by a token."""
        return self.hide_spans("\n".join(self._without_blocks(text.translate(_NONCHARACTERS))))

    def hide_spans(self, text: str) -> str:
        """Replace code spans by tokens, in a text with some code already hidden."""
        return _INLINE.sub(lambda found: self.token(self._tags.sub("", found[0])), text)

    def show(self, text: str) -> str:
        """Restore the code; a block that was indented or dedented keeps its shape."""
        while _TOKEN.search(text):  # code in a tag of HTML may hold code
            text = _TOKEN.sub(self._shown, text)
        return text

    def fence(self, code: str) -> str:
        """Return a token for code that will be fenced."""
        marks = "`" * max(3, *(1 + len(run) for run in re.findall("`+", self.show(code)) or [""]))
        return self.token(f"{marks}\n{code.strip(chr(10))}\n{marks}")

    def token(self, code: str, indent: int = 0) -> str:
        """Return what stands for a piece of code."""
        self._kept.append((code, indent))
        return f"{_BEFORE}{len(self._kept) - 1}{_BEHIND}"

    def _shown(self, found: re.Match[str]) -> str:
        text = found.string
        code, before = self._kept[int(found[1])]
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if "\n" not in code or line.strip():
            return code
        first, *others = code.split("\n")
        return "\n".join([first, *(_moved(other, len(line) - before) for other in others)])

    def _without_blocks(self, text: str) -> Iterator[str]:
        lines = text.split("\n")
        number, in_container, after_blank = 0, False, True
        while number < len(lines):
            line = lines[number]
            if fence := _FENCE.match(line):
                end = _end_of_fence(lines, number, fence[2])
                code = "\n".join(lines[number:end])
                yield fence[1] + self.token(code[len(fence[1]) :], len(fence[1]))
                number, after_blank = end, False
                continue
            if after_blank and not in_container and _INDENTED.match(line):
                indent = len(line) - len(line.lstrip())
                yield line[:indent] + self.token(line[indent:], indent)
            else:
                yield line
                after_blank = not line.strip()
                if line.strip() and not line[0].isspace():
                    in_container = _CONTAINER.match(line) is not None
            number += 1


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    """Return the line number after a fence; an unclosed fence extends to the last line."""
    closing = re.compile(rf"[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*")
    for number in range(start + 1, len(lines)):
        if closing.fullmatch(lines[number]):
            return number + 1
    return len(lines)


def _moved(line: str, by: int) -> str:
    if by >= 0:
        return " " * by + line if line.strip() else line
    indent = len(line) - len(line.lstrip(" "))
    return line[min(-by, indent) :]


_MOST_TITLE_WORDS = 8  # Most words of a title after an alert mark; a longer rest of the line is text. Chosen.
_WIDTH = 4  # Indentation of an admonition's text, and width of a tab (CommonMark; Python-Markdown).
_LABELS = ("title", "label", "header", "heading", "summary", "question", "caption", "alt-text")
_LABELS_OF_PICTURES = ("caption", "title", "alt-text", "alt", "text")
_PICTURES = ("figure", "img", "image", "embed", "file", "no-loc")
_INCLUDES = (
    "include",
    "include_relative",
    "include-markdown",
    "include_cached",
    "render",
    "readfile",
    "snippet",
    "code",
)
_WORDED = ("ref", "relref", "link", "heading")  # Tags whose first word is what is shown.
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\{\s*)?(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`)")
_FIRST = re.compile(r"\s*[\"'`]?([^\s\"'`=]+)(?!=)")
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_JSX = rf"(?:\s+[\w:.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|{_BRACES}))?|\s+{_BRACES})*"
_COMPONENT = re.compile(rf"(?:(?<![\w\\])<|<(?=/))(?P<end>/?)(?P<name>[A-Z][\w.]*)(?P<rest>{_JSX})\s*/?>")
_END = re.compile(r"(?:</|\{\{[<%]\s*/\s*|\{%[-+]?\s*end)([A-Za-z][\w./-]*)")
_ONE = r"(?:[.#][A-Za-z_][\w-]*|[\w-]+=(?:\"[^\"\n]*\"|\w+))"  # One of the attributes in braces.
_CONSTANT = re.compile(r"export[ \t]+const[ \t]+(\w+)[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"']")
_OWNER = re.compile(r"(?:page\.meta|page|meta|\$?front[mM]atter|props|metadata)\.")
_ADMONITION = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+[A-Za-z][\w-]*(?:[ \t]+[\w-]+)*"
    r"(?:[ \t]+\"(?P<title>[^\n]*)\")?|===[!+]?[ \t]+[\"'](?P<tab>[^\n]*)[\"'])[ \t]*"
)
_OPEN = re.compile(
    r"(?P<indent>[ \t>]*)(?P<fence>:{3,}|/{3,})[ \t]*[A-Za-z][\w-]*"
    r"(?P<rest>[ \t]*(?:\[(?P<in_brackets>[^\]]*)\]|\|?(?P<bare>[^{}|]*)).*)"
)
_CLOSE = re.compile(r"([ \t>]*)(:{3,}|/{3,})[ \t]*")
_NOTE = re.compile(r"^ {0,3}\[\^([^\]\n]{1,100})\]:[ \t]*([^\n]*(?:\n(?:[ \t]*\n)?(?: {4}|\t)[^\n]*)*)", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\]\n]{1,100})\]")
_INDENT = re.compile(r"^(?: {4}|\t)", re.MULTILINE)
_HEADING = re.compile(r"\s*(?:#[^\n]*|[^\n]+\n=+[ \t]*)(?:\n|\Z)")
_WORDS = re.compile(r"\w+")
_ADDRESS = re.compile(r"\S*/\S*|[a-z0-9]+(?:[-_.][a-z0-9]+)+")


class PlainPage(NamedTuple):
    """A page as plain Markdown, with its front matter title or "", and what is left out."""

    text: str
    title: str
    left_out: Mapping[str, int]


def plain_markdown(text: str) -> PlainPage:
    """Convert a page, whose lines end in newlines, to plain Markdown.

    The front matter gives the title. Its description becomes the first paragraph, unless the page contains it; so do
    the other names of what the page is about.
    """
    front, body = split_front_matter(text)
    page = _Page(front)
    title, description, body = map(page.plain, (front.get("title", ""), front.get("description", ""), body))
    aliases = _aliases(front, title.strip() or _title(body))
    if not description.strip() or _words(description) in _words(f"{title}\n{body}"):
        description = ""
    if said := [" ".join(one.split()) for one in (aliases, description) if one.strip()]:
        heading = _HEADING.match(body)
        end = heading.end() if heading else 0
        body = "\n\n".join([body[:end].rstrip(), *said, body[end:]])
    return PlainPage(body, " ".join(title.split()), page.left_out)


def _aliases(front: Fields, title: str) -> str:
    """Return a sentence of the other names, or ""."""
    names = [one.strip() for key in ALIASES for one in front.get(key, "").split(",")]
    names = [one for one in names if one and not _ADDRESS.fullmatch(one) and one != title]
    start = f"{title} is also known as" if title else "Also known as"
    return f"{start} {' and '.join(names)}." if names else ""


def _title(body: str) -> str:
    heading = _HEADING.match(body)
    return heading[0].strip().partition("\n")[0].partition("<")[0].strip("# ") if heading else ""


def _words(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


@dataclass
class _Page:
    """A page while it is read: its front matter, its code, and counts of what was dropped."""

    fields: Fields
    verbatim: Verbatim = field(default_factory=Verbatim)
    left_out: Counter[str] = field(default_factory=Counter)
    ended: frozenset[str] = frozenset()

    def drop(self, reason: LeftOut = LeftOut.DIRECTIVE) -> str:
        """Count something as left out, and return ""."""
        self.left_out[reason] += 1
        return ""

    def plain(self, text: str) -> str:
        """Return a text without marks."""
        text = self.verbatim.hide(text)
        for is_there, marks in _MARKS:
            if is_there.search(text) if is_there else self.fields:
                self.ended = frozenset(found[1] for found in _END.finditer(text))
                for pattern, instead in marks:
                    text = pattern.sub(partial(self._put, instead), text)
        return self.verbatim.show(text)

    def _put(self, instead: Instead, found: re.Match[str]) -> str:
        if isinstance(instead, LeftOut):
            return self.drop(instead)
        return found.expand(instead) if isinstance(instead, str) else instead(found, self)


Instead = LeftOut | str | Callable[[re.Match[str], _Page], str]
"""What stands for a mark: its reason to be left out, a template, or what a function makes of it."""


def _attributes(text: str) -> Fields:
    """Return the attributes of a tag, `name="value"`, by lower-case name."""
    return {
        found[1].lower(): next((group for group in found.groups()[1:] if group is not None), "")
        for found in _ATTRIBUTE.finditer(text)
    }


def _label(given: Fields, names: Sequence[str] = _LABELS) -> str:
    return next((given[name] for name in names if given.get(name, "").strip()), "")


def _paragraph(label: str, indent: str = "") -> str:
    label = " ".join(label.replace("**", "").split())
    return f"\n\n{indent}**{label}**\n\n{indent}" if label else ""


def _tag(found: re.Match[str], page: _Page) -> str:
    """Return what stands for a component, a shortcode or a template's tag: the label of its content, or its text."""
    name, given = found["name"], _attributes(found["rest"])
    first = _FIRST.match(found["rest"])
    if found["end"]:
        return "\n\n" if found[0].startswith("<") and _is_alone(found) else ""
    if name in _INCLUDES and name not in page.ended:
        return page.drop(LeftOut.INCLUDE)
    if name in _PICTURES:
        return _label(given, _LABELS_OF_PICTURES) or page.drop()
    if name in _WORDED:
        word = given.get("path") or (first[1] if first else page.drop())
        return "What's next" if word == "whatsnext" else word  # of Kubernetes
    label = _label(given) or (_label(given, ("name", "value")) if name in ("tab", "TabItem") else "")
    said = [one for one in (label, given.get("description", "")) if one]
    if name in page.ended and not found[0].endswith("/>"):
        return "".join(map(_paragraph, said)) or ("\n\n" if _is_alone(found) else "")
    if not said:
        return given.get("text") or ("" if name == "else" else page.drop())
    return "".join(map(_paragraph, said)) if _is_alone(found) else " ".join(said)


def _is_alone(found: re.Match[str]) -> bool:
    """Tell whether a mark stands alone on its lines."""
    text = found.string
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    return not before.strip() and text[found.end() : found.end() + 1] in ("", "\n")


def _variable(found: re.Match[str], page: _Page) -> str:
    name = _OWNER.sub("", found[1].partition("|")[0].strip(), count=1)
    return page.fields[name] if name in page.fields else page.drop()


def _exported(found: re.Match[str], page: _Page) -> str:
    if constant := _CONSTANT.match(found[0]):
        page.fields[constant[1]] = constant[2]
    return page.drop()


def _code(found: re.Match[str], page: _Page) -> str:
    return page.verbatim.fence(found[1])


def _example(found: re.Match[str], page: _Page) -> str:
    return page.verbatim.token(f"`{{{{{found[1]} {found[2]} {found[3]}}}}}`")


def _outdented(found: re.Match[str], _: _Page) -> str:
    """Return a page without the indentation inside components, which Markdown would take for code."""
    return "\n".join(_lines_outdented(found[0].split("\n")))


def _lines_outdented(lines: Sequence[str]) -> Iterator[str]:
    depths: list[int | None] = []
    for line in lines:
        tags = list(_COMPONENT.finditer(line))
        indent = len(line) - len(line.lstrip())
        for tag in tags:
            if tag["end"] and depths:
                depths.pop()
        if tags or not line.strip() or not depths:
            yield line.strip() if tags and not line[:indent].strip() and depths else line
        else:
            depth = indent if depths[-1] is None else depths[-1]
            depths[-1] = depth
            yield line[min(indent, depth) :]
        depths += [None for tag in tags if not tag["end"] and not tag[0].endswith("/>")]


def _unindented(found: re.Match[str], _: _Page) -> str:
    """Return a page whose admonitions and tabs are replaced by their title and content."""
    return "\n".join(_lines_unindented(found[0].split("\n")))


def _lines_unindented(lines: Sequence[str]) -> Iterator[str]:
    number = 0
    while number < len(lines):
        found = _ADMONITION.fullmatch(lines[number])
        end = _end(lines, number, len(found["indent"].expandtabs(_WIDTH))) if found else number
        if found is None or end == number:
            yield lines[number]
            number += 1
            continue
        indent = len(found["indent"])
        inside = [line.expandtabs(_WIDTH) if line.strip() else "" for line in lines[number + 1 : end]]
        yield _paragraph(found["title"] or found["tab"] or "", found["indent"])
        yield from _lines_unindented([line[:indent] + line[indent + _WIDTH :] for line in inside])
        yield ""
        number = end


def _end(lines: Sequence[str], mark: int, indent: int) -> int:
    """Return the line number after an admonition, or its first line if it has no content."""
    end = mark
    for number in range(mark + 1, len(lines)):
        line = lines[number].expandtabs(_WIDTH)
        if line.strip():
            if len(line) - len(line.lstrip()) < indent + _WIDTH:
                break
            end = number
    return end + 1 if end > mark else mark


def _unfenced(found: re.Match[str], _: _Page) -> str:
    """Return a page without the paired fences of containers; titles become paragraphs."""
    lines, opened = found[0].split("\n"), list[tuple[int, str, str]]()
    for number, line in enumerate(lines):
        if closing := _CLOSE.fullmatch(line):
            if (
                place := next((k for k in reversed(range(len(opened))) if opened[k][1] == closing[2]), None)
            ) is not None:
                start, _mark, title = opened[place]
                del opened[place:]
                lines[start], lines[number] = title, closing[1].rstrip()
        elif mark := _OPEN.fullmatch(line):
            title = _paragraph(_label(_attributes(mark["rest"])) or mark["in_brackets"] or (mark["bare"] or "").strip())
            title = mark["indent"] + title.strip() if ">" in mark["indent"] else title
            opened.append((number, mark["fence"], title))
    return "\n".join(lines)


def _alert(found: re.Match[str], _: _Page) -> str:
    quote, rest = found["quote"], found["rest"].strip()
    if not rest or rest[-1] in ".:!?" or len(rest.split()) > _MOST_TITLE_WORDS:
        return f"{quote}{rest}"
    return f"{quote}**{rest}**\n{'>'.rjust(quote.index('>') + 1)}"


def _notes(found: re.Match[str], _: _Page) -> str:
    """Return a page whose notes are paragraphs, without their marks."""
    names = {note[1] for note in _NOTE.finditer(found[0])}
    text = _NOTE.sub(lambda note: "\n" + _INDENT.sub("", note[2]) + "\n\n", found[0])
    return _NOTE_MARK.sub(lambda mark: "" if mark[1] in names else mark[0], text)


def _wiki_link(found: re.Match[str], page: _Page) -> str:
    embeds, target, label = found.groups()
    return page.drop(LeftOut.INCLUDE) if embeds else f"[{label or target.partition('#^')[0]}](<{target}>)"


def _reference(found: re.Match[str], _: _Page) -> str:
    return unquote(found[1]).rstrip("*")


def _keys(found: re.Match[str], _: _Page) -> str:
    return "+".join(name.strip('"').replace("-", " ").title() for name in found[1].split("+"))


def _read_marks() -> Iterator[tuple[re.Pattern[str] | None, list[tuple[re.Pattern[str], Instead]]]]:
    functions: dict[str, Callable[[re.Match[str], _Page], str]] = {
        function.__name__.lstrip("_"): function
        for function in (
            *(_tag, _variable, _code, _example, _outdented, _unindented, _unfenced, _alert, _notes, _wiki_link),
            *(_reference, _keys, _exported),
        )
    }
    for group in yaml.safe_load(resources.files(__package__).joinpath("marks.yaml").read_text("utf-8")):
        marks: list[tuple[re.Pattern[str], Instead]] = []
        for instead, pattern in group["marks"]:
            mark = re.compile(_COMPONENT.pattern if pattern == "COMPONENT" else pattern.replace("ONE", _ONE))
            template = instead[1:] if instead.startswith("=") else None
            marks.append((mark, functions.get(instead) or (LeftOut(instead) if template is None else template)))
        yield re.compile(group["where"]) if "where" in group else None, marks


_MARKS = list(_read_marks())
