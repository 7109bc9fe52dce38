"""Clean the text of a model, and check its sentences against their sources by words, numbers, names and negation.

This finds additions to a source, not reversals: "A replaced B" passes as "B replaced A".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from graphrag_tasks.core.visible import without_thoughts
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.bm25.index import STOP_WORDS, fold, is_code_name, words

MARK = r"\[\s*\d{1,4}(?:\s*[,;–\-]\s*\d{1,4})*\s*\]"  # A citation: `[1]`, `[1, 2]` or `[1-3]`.

_OTHER_MARK = re.compile(
    r"【(?:\D*?\s)?(\d{1,4})[^】]*】|\[\^(\d{1,4})\]"
    r"|\[(?:passages?|sources?|doc(?:ument)?s?):?\s+(\d{1,4})\]",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"^\[\^\d{1,4}\]:.*$", re.MULTILINE)

_END = re.compile(
    rf"(?P<end>[.!?…][\"'”’)*_]*(?:\s*{MARK})+|{MARK}(?:\s*{MARK})*[.!?…]?|[.!?…][\"'”’)*_]*)"
    r"(?=\s+(?![a-z])|\s*$)"
)
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|approx|vs|no|fig|cf|incl|resp|ca)|\b[A-Z])\.$", re.IGNORECASE)
_LINE_MARKS = re.compile(r"^\s*(?:[-*•#>]+\s+|\d{1,2}[.)]\s+)")


def with_plain_marks(text: str) -> str:
    """Return a text with all citations as `[1]`, including `【1】`, `[^1]` and `[Passage 1]`."""
    text = _FOOTNOTE.sub("", text)
    return _OTHER_MARK.sub(lambda mark: f"[{next(filter(None, mark.groups()))}]", text)


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text; line ends separate them, and list marks are removed."""
    for line in text.splitlines():
        bare, start = _LINE_MARKS.sub("", line), 0
        for found in _END.finditer(bare):
            if not _SHORT.search(bare[start : found.end()]):
                yield bare[start : found.end()]
                start = found.end()
        yield bare[start:]


# Remove links, images, elements and hidden characters from a model's text.

_HIDDEN = {"Cc", "Cf", "Co", "Cs"}  # Unicode categories of invisible characters: controls, format and private use.

_IMAGE = re.compile(r"!\[[^\[\]]*\]\s?(?:\([^)]*\)?|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\[\]]*)\]\s?(?:\([^)]*\)?|\[[^\]\d][^\]]*\])")
_DEFINITION = re.compile(r"^\s*\[([^\[\]\d][^\[\]]*)\]:.*$", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.\-]*)?:?//[^\s/][^\s<>\"'`]*"
    r"|\bwww\.[^\s<>\"'`]+"
    r"|\b(?:javascript|vbscript|data|mailto|file|tel):[^\s<>\"'`]+",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_OPENED = re.compile(r"<(?=[a-z/!?])(?![^<>]*>)", re.IGNORECASE)
_ACTIVE = re.compile(
    r"</?(?:a|audio|base|embed|form|frame|iframe|img|input|link|meta|object|script|style|svg|video)"
    r"[\s/>]",
    re.IGNORECASE,
)
_END_SIGNS = ".,;:!?)]}*_"
_MOST_PASSES = 5  # Limit of passes over nested links; Markdown itself nests only images in links.


def harmless(text: str, source: str = "") -> tuple[str, bool]:
    """Return a text without links, images and hidden characters, and whether it had any link.

    `text` comes from a model, without citation numbers; bare addresses and elements of `source` may stay.
    """
    text = "".join(sign for sign in text if sign in "\n\t" or unicodedata.category(sign) not in _HIDDEN)
    seen, before = text, None
    for _ in range(_MOST_PASSES):
        if text == before:
            break
        before = text
        text = _IMAGE.sub(" ", _DEFINITION.sub(r" \1 ", text))
        text = _LINK.sub(r" \1 ", text)
    text = _ELEMENT.sub(lambda found: _kept_element(found[0], source), text)
    text = _OPENED.sub("< ", text).replace("](", "] (")
    text = _ADDRESS.sub(lambda found: _kept_address(found[0], source), text)
    if text == seen:
        return text, False
    return re.sub(r"[ \t]+(?=[.,;:]|\s)", "", text).strip(" \t"), True


def _kept_address(address: str, source: str) -> str:
    bare = address.rstrip(_END_SIGNS)
    ends = source.find(bare) + len(bare)
    stands = bare in source and re.match(r"[^\w/?&=#%\-]|$|[.](?:\s|$)", source[ends:])
    return address if stands else address[len(bare) :]


def _kept_element(element: str, source: str) -> str:
    return element if element in source and not _ACTIVE.match(element) else " "


_RISKY = ("http", "ftp", "www", "javascript", "vbscript", "data", "mailto", "file", "tel")
_REFUSAL, _AROUND = "NO ANSWER", " \t\n*\"'"


class Held:
    """Streams an answer, holding back an end that may become a link.

    `tell` is called with text that holds no link.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._waiting, self._has_told = tell, "", False

    def take(self, piece: str) -> None:
        """Receive the next piece of the answer."""
        self._waiting += piece
        if not self._has_told:
            text = without_thoughts(self._waiting)
            if _REFUSAL.startswith(text.strip(_AROUND)[: len(_REFUSAL)]):
                return
            self._waiting = text
        end = _safe(self._waiting)
        self._told(self._waiting[:end])
        self._waiting = self._waiting[end:]

    def end(self) -> None:
        """Emit the rest."""
        text = self._waiting if self._has_told else without_thoughts(self._waiting)
        if self._has_told or not text.strip(_AROUND).startswith(_REFUSAL):
            self._told(text)
        self._waiting = ""

    def _told(self, text: str) -> None:
        if not text:
            return
        shown, changed = harmless(text)
        if changed:
            shown += text[len(text.rstrip()) :]
        if shown:
            self._has_told = True
            self._tell(shown)


def _safe(text: str) -> int:
    """Return the length of the prefix that cannot be part of a link."""
    last = len(text) - len(re.split(r"\s", text)[-1])
    word = text[last:]
    is_plain = word.isalnum() and not any(one.startswith(word.lower()) for one in _RISKY)
    ends = [len(text) if is_plain or not word else last]
    for opened in re.finditer(r"!?\[|<(?=[a-zA-Z/!?]|$)", text):
        closing = "]" if opened[0].endswith("[") else ">"
        closed = text.find(closing, opened.end())
        if closed < 0 or (closing == "]" and not _is_closed(text[closed + 1 :])):
            ends.append(opened.start())
            break
    return min(ends)


def _is_closed(after: str) -> bool:
    """Tell whether a link in brackets is complete."""
    rest = after.lstrip(" ")
    if not rest:
        return False
    if rest[0] == "(":
        return ")" in rest
    if rest[0] == "[":
        return "]" in rest and _is_closed(rest[rest.find("]") + 1 :])
    return rest[0] != ":" or "\n" in rest


LEAST_SHARE = 0.6
"""Least share of a sentence's words that its source must contain; chosen by reading, and measured by
`benchmarks/answer_checks.py`."""

_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 2)}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")

_NO_WORDS = "not no never none nothing nobody neither nor without cannot lack lacks lacking unable"
_NO = frozenset(_NO_WORDS.split())
_NOT_ENDING = re.compile(r"n['’]t$", re.IGNORECASE)
_ONLY = frozenset(("only", "just", "necessarily"))
_REACH = 5  # Words after "not" in its scope; chosen by reading.
_STEP = re.compile(r"[\w./_\-:~+&#'’]*\w|[,;:.!?()]")
_SQUEEZED = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Source:
    """The source of a sentence.

    Attributes:
        text: The cited sentences of documents.
        near: Their neighbours, with title and headings.
        question: The question; its names may be repeated, its numbers need a source.
    """

    text: str
    near: str = ""
    question: str = ""

    @cached_property
    def terms(self) -> frozenset[str]:
        """Terms that the sentence may use."""
        return frozenset(terms(f"{self.text}\n{self.near}\n{self.question}"))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers of the documents."""
        return frozenset(_numbers(f"{self.text}\n{self.near}"))

    @cached_property
    def squeezed(self) -> str:
        """All text in lower case without punctuation, for comparing names."""
        return _squeezed(f"{self.text}\n{self.near}\n{self.question}")


def share(sentence: str, source: Source) -> float:
    """Return the share of a sentence's words that its source contains, from 0 to 1."""
    said = frozenset(terms(sentence))
    return len(said & source.terms) / len(said) if said else 1.0


def problem(sentence: str, source: Source) -> str | None:
    """Return in words what a sentence adds to its source, or None."""
    for number in _numbers(sentence):
        if number not in source.numbers:
            return f"the number {number} is not in its source"
    for name in _names(sentence):
        if not _holds(source, name):
            return f"the name {name} is not in its source"
    if share(sentence, source) < LEAST_SHARE:
        return "its source does not say this"
    if swapped := _of_another(sentence, source):
        return swapped
    return _denial(sentence, source)


def _of_another(sentence: str, source: Source) -> str | None:
    """Return a problem if a number belongs to another name in the source."""
    rows = f"{source.text}\n{source.near}".splitlines()
    names = {row: set(_names(row)) for row in rows}
    said = list(words(sentence))
    places = [place for place, word in enumerate(said) if any(word in one for one in names.values())]
    for place, word in enumerate(said):
        number = next(_numbers(word), None)
        if number is None or not places:
            continue
        name = said[min(places, key=lambda other: (abs(other - place), other))]
        of_number = [row for row in rows if number in _numbers(row)]
        of_name = [row for row in rows if name in names[row]]
        is_apart = not any(row in of_name or not names[row] - set(said) for row in of_number)
        if of_number and is_apart and any(any(_numbers(row)) for row in of_name):
            return f"the number {number} is not that of {name} in its source"
    return None


def _numbers(text: str) -> Iterator[str]:
    """Yield standalone numbers, in digits or words."""
    for word in words(text):
        if word.lower() in _NUMBERS:
            yield _NUMBERS[word.lower()]
        elif not any(map(str.isalpha, word)):
            for found in _NUMBER.findall(word):
                yield found.replace(",", "") if _THOUSANDS.fullmatch(found) else found


def _names(sentence: str) -> Iterator[str]:
    """Yield words written as names; a capital at the sentence start does not count."""
    for place, word in enumerate(words(sentence)):
        if not any(map(str.isalpha, word)):
            continue
        is_capital = word[0].isupper() and (place > 0 or (len(word) > 1 and word.isupper()))
        if is_code_name(word) or (is_capital and fold(word) not in STOP_WORDS):
            yield word


def _holds(source: Source, name: str) -> bool:
    if set(terms(name)) <= source.terms:
        return True
    return is_code_name(name) and _squeezed(name) in source.squeezed


def _squeezed(text: str) -> str:
    return _SQUEEZED.sub("", text).casefold()


def _denial(sentence: str, source: Source) -> str | None:
    """Return a problem if only one of sentence and source is negated."""
    said, given = _denied(sentence), _denied(source.text)
    near = given + _denied(source.near)
    for scope in said:
        if not any(_is_same(scope, other) for other in near):
            return "its source does not deny this"
    held = frozenset(terms(sentence))
    for scope in given:
        if len(scope & held) > len(scope) / 2 and not any(_is_same(scope, other) for other in said):
            return "its source denies this"
    return None


def _is_same(scope: frozenset[str], other: frozenset[str]) -> bool:
    return len(scope & other) >= min(len(scope), len(other)) / 2


def _denied(text: str) -> list[frozenset[str]]:
    """Return the terms in the scope of each negation."""
    steps = _STEP.findall(text)
    found = []
    for place, word in enumerate(steps):
        if not (word.lower() in _NO or _NOT_ENDING.search(word)):
            continue
        after = steps[place + 1 :]
        if after and after[0].lower() in _ONLY:
            continue
        if place and steps[place - 1].lower() == "or":  # whether or not
            continue
        scope: list[str] = []
        for other in after:
            if other in ",;:.!?()" or len(scope) >= _REACH:
                break
            scope += terms(other)
        found.append(frozenset(scope[:_REACH]))
    return found
