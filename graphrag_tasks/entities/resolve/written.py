"""Names that a text itself equates: in brackets, or as a former name.

* A code in brackets after its name, or a name after its code: "Lock Object (/ABC/ENQU)".
* A short form with small letters, "+" or letters from inside words: "background processing
  framework
  (bgPF)". Others are found by extraction (`extract.linear.aliases`).
* "X, formerly Y", "X (previously known as Y)", "X is now called Y", "X was renamed to Y".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import pyarrow as pa

from graphrag_tasks.entities.resolve.rules import CODE_RULE, SHORT_RULE
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, add_rows, statements

_MOST_WORDS = 8
"""Most words on either side of a renaming that may be a name: longer names are dropped (`wordy`
in `docs/explanation/graph.md`)."""
_FEWEST_CAPITALS = 2  # of a short form
_SHARE_OF_CAPITALS = 0.6  # of the words of a name in brackets
_LONGEST_ACRONYM_IN_NAME = 4  # a longer word in capitals is another code
_FEWEST_WITH_PREFIX = 3  # words of a long form of which one may give no letter

_BRACKETED = re.compile(r"(.+) \(([^()]+)\)")
_LABEL = re.compile(r"(?:short(?: form)?:?|abbreviated(?: as| to)?|also|or|in short) ")
_QUOTES = "\"'`“”‘’ "
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9&/-]{1,9}\+?")
_CODE = re.compile(r"(?=.*[0-9_/])(?:/\w+/)?[A-Z][A-Z0-9_]{2,}")
_NO_NAME = re.compile(r"\d{4}|[:,;]")
_JOINTS = frozenset({"a", "an", "and", "as", "by", "for", "in", "of", "on", "or", "the", "to",
                     "with"})  # fmt: skip
_PART = re.compile(r"[ /-]+")

_CALLED = "(?:known as|called|named)"
_RENAMED = (
    rf",? \(?(?:(?:formerly|previously) {_CALLED}|formerly) "
    rf"|,? \(?now {_CALLED} "
    rf"| (?:is|are|was|were|been) (?:(?:now|formerly|previously) {_CALLED}"
    r"|(?:now )?renamed (?:to|as|into)) "
)
_WHERE_RENAMED = re.compile(_RENAMED)
_PLAIN = re.compile(r"[,;:()\"“”]")
_OPENING = re.compile(r"^[\"“]?(?:the )?")

_READINGS = pa.schema(
    [("place", pa.int64()), ("one", pa.string()), ("other", pa.string()), ("told", pa.bool_())]
)
"""Candidate pairs of names at a place, and whether the text states that they are names: not "X,
formerly Y", which also describes people's former jobs."""

_SQL = statements(__package__, "written.sql", renamed=_RENAMED)


def in_brackets(connection: Connection) -> list[tuple[str, str, str]]:
    """Return the keys of short forms or codes and of their long forms, with the rule.

    The connection knows `sentences` and `cells`.
    """
    found: set[tuple[str, str, str]] = set()
    for batch in connection.sql(_SQL["bracketed"]).to_arrow_reader(BATCH_ROWS):
        for text in batch["text"].to_pylist():
            found.update(
                (entity_key(short), entity_key(long), rule)
                for short, long, rule in pairs_in_brackets(text)
            )
    return sorted(found)


def pairs_in_brackets(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield short form, long form and rule for a text "words (words)"."""
    match = _BRACKETED.fullmatch(text)
    if not match:
        return
    before = match[1].split(" ")
    inner = _LABEL.sub("", match[2].strip(_QUOTES)).strip(_QUOTES)
    if " " not in inner:
        if _CODE.fullmatch(inner):
            name = _name_at_end(before)
            if name:
                yield inner, name, CODE_RULE
        elif _SHORT.fullmatch(inner) and sum(map(str.isupper, inner)) >= _FEWEST_CAPITALS:
            long = long_form(inner, before)
            if long:
                yield inner, long, SHORT_RULE
    elif _CODE.fullmatch(before[-1]) and _is_titled(inner):
        yield before[-1], inner, CODE_RULE


def long_form(short: str, words: Sequence[str]) -> str | None:
    """Return the run of words at the end that a short form abbreviates best.

    Every word gives its first letter, and may give inner letters. Linking words may give none, and
    so may one word of a run of three or more, such as a product's name. Best is the run with the
    fewest inner letters plus skipped words, then the fewest words.
    """
    singular = short[:-1] if short.endswith("s") and short[:-1].isupper() else short
    letters = "".join(filter(str.isalnum, singular.casefold()))
    best: tuple[int, str] | None = None
    for start in range(len(words) - 1, -1, -1):
        run = " ".join(words[start:])
        parts = [part for part in _PART.split(run.casefold()) if part]
        needed = sum(part not in _JOINTS for part in parts)
        if needed < 2 or parts[-1] in _JOINTS or parts[0][0] != letters[0]:
            continue
        cost = _cost(letters, parts, int(needed >= _FEWEST_WITH_PREFIX))
        if cost is not None and (best is None or cost < best[0]):
            best = cost, run
    return best and best[1]


def _cost(letters: str, words: Sequence[str], spare: int) -> int | None:
    """Return the fewest inner letters and skipped words for words to spell the letters, or None.

    Words give letters in order, and `spare` words may give none.
    """
    if not words:
        return None if letters else 0
    word, others = words[0], words[1:]
    costs: list[int | None] = []
    if letters and word[0] == letters[0]:
        place = 1
        for count in range(1, len(letters) + 1):
            costs.append(_plus(_cost(letters[count:], others, spare), count - 1))
            place = word.find(letters[count : count + 1] or " ", place) + 1
            if not place:
                break
    if word in _JOINTS:
        costs.append(_cost(letters, others, spare))
    elif spare:
        costs.append(_plus(_cost(letters, others, spare - 1), 1))
    return min((cost for cost in costs if cost is not None), default=None)


def _plus(cost: int | None, more: int) -> int | None:
    return None if cost is None else cost + more


def _name_at_end(words: Sequence[str]) -> str | None:
    """Return the two or more capitalised words at the end, unless they are codes."""
    start = len(words)
    while start and (words[start - 1][0].isupper() or words[start - 1] in _JOINTS):
        start -= 1
    while start < len(words) and words[start] in _JOINTS:
        start += 1
    name = words[start:]
    too_long = any(word.isupper() and len(word) > _LONGEST_ACRONYM_IN_NAME for word in name)
    if len(name) < 2 or too_long or all(map(str.isupper, name)):
        return None
    return " ".join(name)


def _is_titled(text: str) -> bool:
    words = text.split()
    capitals = sum(word[0].isupper() for word in words)
    return (
        words[0][0].isupper()
        and not text.isupper()
        and not _NO_NAME.search(text)
        and capitals >= _SHARE_OF_CAPITALS * len(words)
    )


def renamed(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of names that sentences equate as old and new name.

    The connection knows `sentences` and `names`. Where several runs of words are names, the longest
    are chosen.
    """
    texts = connection.sql(_SQL["renamed"]).fetchall()
    places = chain.from_iterable(readings(text) for (text,) in texts)
    rows = [(place, *row) for place, meant in enumerate(places) for row in meant]
    columns = zip(*rows, strict=True) if rows else [()] * len(_READINGS)
    arrays = [
        pa.array(values, reading.type) for values, reading in zip(columns, _READINGS, strict=True)
    ]
    add_rows(connection, "readings", _READINGS, [pa.record_batch(arrays, schema=_READINGS)])
    return connection.sql(_SQL["known"]).fetchall()


def readings(text: str) -> Iterator[list[tuple[str, str, bool]]]:
    """Yield the rows of `_READINGS` that each mention of a former name allows.

    Either name begins with a capital, without "this" or "the".
    """
    for match in _WHERE_RENAMED.finditer(text):
        before = _PLAIN.split(text[: match.start()])[-1].split()[-_MOST_WORDS:]
        after = _PLAIN.split(_OPENING.sub("", text[match.end() :]))[0].split()[:_MOST_WORDS]
        ones = {_named(before[start:]) for start in range(len(before))}
        others = {_named(after[:end]) for end in range(1, len(after) + 1)}
        told = not match[0].endswith("formerly ")
        yield sorted((one, other, told) for one in ones for other in others if one and other)


def _named(words: Sequence[str]) -> str:
    """Return the key of words that begin like a name, or an empty string."""
    key = entity_key(" ".join(words))
    return key if words[0][0].isupper() and key.startswith(words[0].casefold()) else ""
