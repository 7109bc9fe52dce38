"""Detect stretches of a document that are not prose: encoded data, logs, dumps, packed scripts.

Each becomes one code block, which gives no facts; long ones are cut, as they would be a hundred meaningless chunks.
Fenced code stays, unless it is encoded data; so do rows, such as a price list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument

_SHORTEST, _LONGEST, _KEPT = 200, 2000, 1000
"""Characters: shortest stretch that is set apart, longest that is kept whole, and length kept of longer ones.
Chosen: a line that is not prose may stand in any text; a chunk has 2,048."""
_LONG_TOKEN = re.compile(r"(?<!\S)\S{500,}")
_WORD = re.compile(r"(?![0-9A-Fa-f]{2}\Z)[(\[\"'“‘«]*[A-Za-z]+\d{0,4}(?:['’/-][A-Za-z]+\d{0,4})*[)\]\"'”’».,:;!?]*")
"""A word, or a name that ends in a number ("P1"), but not a hexadecimal byte."""
_LONGEST_WORD = 40
_MOST_WORDS, _MOST_WORDS_LOG = 0.4, 0.7
"""Least share of a prose line's characters that are in words; the second is for lines that begin with a time. Chosen
on reports of logs and of chats."""
_TIME = re.compile(r".{0,40}?\d:\d\d:\d\d")
_SQL = re.compile(r"(?:create|insert\s+into|alter|drop|update|delete\s+from)\s.*[;,(]|\(.*\)[,;]", re.IGNORECASE)
_LOG = re.compile(r"\W{0,9}(?:(?:\d{4}[-/]\d\d?[-/]\d\d?|\w{3} +\d+|.{0,60}?\d/\w{3}/\d{4})[T :])?\d\d:\d\d:\d\d")
_BYTES = re.compile(r"(?<!\S)(?:[0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8})(?!\S)", re.IGNORECASE)
_FEWEST_BYTES = 8  # of a dump's line, which has 8, 16 or 32
_BETWEEN = re.compile(r"[\s|;,]+")
_FIELD = re.compile(r"[^{}<>\\]{1,40}")
_NEAR = 2  # lines of a row beside its like: some tables have two lines a row
_ENCODED_WORD = 60  # Mean word length of code that is encoded data: a line of base64 has 64 or 76.


class _Piece(NamedTuple):
    block: Block
    start: int
    end: int
    is_prose: bool

    @property
    def text(self) -> str:
        """The piece's own text."""
        return self.block.text[self.start : self.end]


def without_wordless(parsed: ParsedDocument) -> ParsedDocument:
    """Merge each stretch that is not prose into one code block, and count what is cut."""
    blocks: list[Block] = []
    beyond = 0
    pieces = _with_rows([piece for block in parsed.blocks for piece in _pieces(block)])
    for is_prose, stretch in _stretches(_without_short(pieces)):
        if is_prose:
            blocks += _joined(stretch)
            continue
        text = "\n".join(piece.text.strip() for piece in stretch)
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


def _with_rows(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Yield the pieces; rows are kept: lines with as many fields as one near them.

    So is a long line of fields: markup joins the lines of a paragraph.
    """
    fields = [0 if piece.is_prose else _fields(piece.text) for piece in pieces]
    for at, piece in enumerate(pieces):
        near = fields[max(at - _NEAR, 0) : at] + fields[at + 1 : at + 1 + _NEAR]
        is_row = fields[at] > 1 and (fields[at] in near or len(piece.text) > _SHORTEST)
        yield piece._replace(is_prose=piece.is_prose or is_row)


def _fields(line: str) -> int:
    """Return the number of a row's fields; 0 for a line of a log, a dump, code or encoded data."""
    if _LOG.match(line) or _LONG_TOKEN.search(line) or _is_dumped(line):
        return 0
    fields = [field for field in _BETWEEN.split(line) if field]
    return len(fields) if all(map(_FIELD.fullmatch, fields)) else 0


def _is_dumped(line: str) -> bool:
    """Tell whether a line is a row or statement of SQL, or bytes in hexadecimal."""
    numbers = _BYTES.findall(line)
    if len(numbers) >= max(_FEWEST_BYTES, len(line.split()) / 2):
        return not "".join(numbers).isdecimal()
    return _SQL.fullmatch(line.strip()) is not None


def _pieces(block: Block) -> Iterator[_Piece]:
    """Split a block into lines, in order; what is no text of lines is one piece."""
    if block.table is not None or (block.kind != "paragraph" and len(block.text) <= _LONGEST):
        yield _Piece(block, 0, len(block.text), is_prose=True)
    elif block.kind == "code":
        mean = len(block.text) / len(block.text.split())
        yield _Piece(block, 0, len(block.text), mean < _ENCODED_WORD)
    else:
        for start, end in _lines(block.text):
            yield _Piece(block, start, end, _is_prose(block.text[start:end]))


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
    if _is_dumped(line):
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
    return replace(block, text=block.text[start:end].rstrip())
