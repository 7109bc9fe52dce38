"""Detect stretches of a document that are not prose: encoded data, logs, dumps, packed scripts.

Each becomes one code block, which gives no facts; long ones are cut, as they would be a hundred
meaningless chunks. Fenced code stays, unless it is encoded data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, Link, ParsedDocument

_SHORTEST, _LONGEST, _KEPT = 200, 2000, 1000
"""Characters: shortest stretch that is set apart, longest that is kept whole, and length kept of
longer ones. Chosen: a line that is not prose may stand in any text; a chunk has 2,048."""
_LONG_TOKEN = re.compile(r"(?<!\S)\S{500,}")
_WORD = re.compile(
    r"(?![0-9A-Fa-f]{2}\Z)[(\[\"'“‘«]*[A-Za-z]+\d{0,4}(?:['’/-][A-Za-z]+\d{0,4})*[)\]\"'”’».,:;!?]*"
)
"""A word, or a name that ends in a number ("P1"), but not a hexadecimal byte."""
_LONGEST_WORD = 40
_MOST_WORDS, _MOST_WORDS_LOG = 0.4, 0.7
"""Least share of a prose line's characters that are in words; the second is for lines that begin
with a time. Chosen on reports of logs and of chats."""
_TIME = re.compile(r".{0,40}?\d:\d\d:\d\d")
_SQL = re.compile(
    r"(?:create|insert\s+into|alter|drop|update|delete\s+from)\s.*[;,(]|\(.*\)[,;]",
    re.IGNORECASE,
)
_ENCODED_WORD = 60
"""Mean word length of code that is encoded data: a line of base64 has 64 or 76."""


class _Piece(NamedTuple):
    block: Block
    start: int
    end: int
    is_prose: bool


def without_wordless(parsed: ParsedDocument) -> ParsedDocument:
    """Merge each stretch that is not prose into one code block, and count what is cut."""
    blocks: list[Block] = []
    beyond = 0
    pieces = [piece for block in parsed.blocks for piece in _pieces(block)]
    for is_prose, stretch in _stretches(_without_short(pieces)):
        if is_prose:
            blocks += _joined(stretch)
            continue
        text = "\n".join(piece.block.text[piece.start : piece.end].strip() for piece in stretch)
        kept = text if len(text) <= _LONGEST else text[:_KEPT].rpartition("\n")[0] or text[:_KEPT]
        beyond += len(text) - len(kept)
        blocks.append(Block("code", kept, page=stretch[0].block.page))
    return replace(parsed, blocks=blocks, left_out={**parsed.left_out, LeftOut.NO_WORDS: beyond})


def _stretches(pieces: Iterable[_Piece]) -> Iterator[tuple[bool, list[_Piece]]]:
    for is_prose, run in groupby(pieces, lambda piece: piece.is_prose):
        yield is_prose, list(run)


def _without_short(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Yield the pieces; stretches that are too short to matter count as prose."""
    for is_prose, stretch in _stretches(pieces):
        size = sum(piece.end - piece.start for piece in stretch)
        is_code = all(piece.block.kind == "code" for piece in stretch)
        is_kept = is_prose or size < _SHORTEST or (is_code and size <= _LONGEST)
        yield from (piece._replace(is_prose=is_kept) for piece in stretch)


def _pieces(block: Block) -> Iterator[_Piece]:
    """Split a block into prose and other parts, in order."""
    if block.table is not None or (block.kind != "paragraph" and len(block.text) <= _LONGEST):
        yield _Piece(block, 0, len(block.text), is_prose=True)
    elif block.kind == "code":
        mean = len(block.text) / len(block.text.split())
        yield _Piece(block, 0, len(block.text), mean < _ENCODED_WORD)
    else:
        lines = _lines(block.text)
        for is_prose, run in groupby(lines, lambda at: _is_prose(block.text[at[0] : at[1]])):
            places = list(run)
            yield _Piece(block, places[0][0], places[-1][1], is_prose)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines; a token too long for a word is a line of its own."""
    start = 0
    for line in text.split("\n"):
        at = start
        for token in _LONG_TOKEN.finditer(line):
            if line[at - start : token.start()].strip():
                yield at, start + token.start()
            yield start + token.start(), start + token.end()
            at = start + token.end()
        if line[at - start :].strip():
            yield at, start + len(line)
        start += len(line) + 1


def _is_prose(line: str) -> bool:
    if _SQL.fullmatch(line.strip()):
        return False
    tokens = line.split()
    least = _MOST_WORDS_LOG if _TIME.match(line) else _MOST_WORDS
    return sum(map(_letters, tokens)) >= least * sum(map(len, tokens))


def _letters(token: str) -> int:
    """Return the number of a token's characters that are in words."""
    if not token.isascii():
        return sum(map(str.isalpha, token))
    is_word = len(token) <= _LONGEST_WORD and _WORD.fullmatch(token) is not None
    return len(token) if is_word else 0


def _joined(pieces: Sequence[_Piece]) -> Iterator[Block]:
    """Yield the blocks, or parts of blocks, that consecutive pieces cover."""
    for _, run in groupby(pieces, lambda piece: id(piece.block)):
        own = list(run)
        yield _part(own[0].block, own[0].start, own[-1].end)


def _part(block: Block, start: int, end: int) -> Block:
    if not block.text[:start].strip() and not block.text[end:].strip():
        return block
    links = tuple(
        Link(link.start - start, link.end - start, link.href)
        for link in block.links
        if start <= link.start and link.end <= end
    )
    text = block.text[start:end].rstrip()
    return replace(block, text=text, links=links, anchors=block.anchors if start == 0 else ())
