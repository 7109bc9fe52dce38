"""Parse a small subset of markdown into blocks that every document writer understands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True)
class Span:
    """A run of text with one style."""

    text: str
    bold: bool = False
    code: bool = False


Inline = tuple[Span, ...]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the document."""

    level: int
    content: Inline


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of running text."""

    content: Inline


@dataclass(frozen=True)
class ItemList:
    """A bulleted or numbered list of single paragraphs."""

    items: tuple[Inline, ...]
    ordered: bool


@dataclass(frozen=True)
class Table:
    """A table; the first row is the header."""

    rows: tuple[tuple[Inline, ...], ...]


Block = Heading | Paragraph | ItemList | Table


@dataclass(frozen=True)
class Document:
    """A titled sequence of blocks. The title is also the first heading."""

    title: str
    blocks: tuple[Block, ...]


def plain_text(content: Inline) -> str:
    """Return the text of an inline sequence without its styles."""
    return "".join(span.text for span in content)


def parse_markdown(source: str) -> Document:
    """Parse markdown whose first block is its only level 1 heading."""
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    blocks = tuple(_blocks(iter(tokens)))
    match blocks:
        case (Heading(level=1, content=content), *_):
            return Document(title=plain_text(content), blocks=blocks)
    raise ValueError("the document must start with a level 1 heading")


def _blocks(tokens: Iterator[Token]) -> Iterator[Block]:
    for token in tokens:
        match token.type:
            case "heading_open":
                yield Heading(int(token.tag.removeprefix("h")), _next_inline(tokens))
            case "paragraph_open":
                yield Paragraph(_next_inline(tokens))
            case "bullet_list_open" | "ordered_list_open":
                yield _item_list(tokens, ordered=token.type == "ordered_list_open")
            case "table_open":
                yield _table(tokens)
            case "heading_close" | "paragraph_close":
                continue
            case other:
                raise ValueError(f"unsupported markdown block: {other}")


def _item_list(tokens: Iterator[Token], *, ordered: bool) -> ItemList:
    closing = "ordered_list_close" if ordered else "bullet_list_close"
    items: list[Inline] = []
    for token in tokens:
        if token.type == closing:
            break
        if token.type == "inline":
            items.append(_spans(token))
    return ItemList(tuple(items), ordered)


def _table(tokens: Iterator[Token]) -> Table:
    rows: list[list[Inline]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_spans(token))
    return Table(tuple(tuple(row) for row in rows))


def _next_inline(tokens: Iterator[Token]) -> Inline:
    return _spans(next(tokens))


def _spans(inline: Token) -> Inline:
    spans: list[Span] = []
    bold = False
    for child in inline.children or ():
        match child.type:
            case "strong_open" | "strong_close":
                bold = child.type == "strong_open"
            case "text" | "code_inline":
                spans.append(Span(child.content, bold, child.type == "code_inline"))
            case "softbreak":
                spans.append(Span(" ", bold))
            case other:
                raise ValueError(f"unsupported markdown inline element: {other}")
    return tuple(span for span in spans if span.text)
