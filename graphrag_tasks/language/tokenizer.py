"""Tokenizer for technical text: names, paths, options and placeholders stay whole.

spaCy splits at slashes, hyphens and brackets inside a word: "/SCMB/TOOL" or "--foo-bar" become several nouns. Here a
technical name is one token. English words ("custom-code") and pairs of names ("VBAK/VBAP") are split as before, as the
model expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

Search = Callable[[str], Any]  # Searches a text, as a regular expression's `search`.

_SEGMENT = r"[\w.$%{}@*+~<>-]*[\w$%}*>]"
_IDENTIFIER = r"/?[A-Za-z_]\w*(?:/\w+)*"

TECHNICAL_NAMES = {
    "url": r"(?:https?|s?ftp|file|git|ssh|ldaps?|jdbc:\w+)://[^\s<>\"']*[\w/#=&%~+-]",
    "path": rf"(?:~|\.\.?|[A-Za-z]:|\$\w+|%\w+%)?(?:[/\\]{_SEGMENT})+[/\\]?",
    "relative path": r"\w[\w-]*(?:/[\w.-]*\w)*/[\w-]+\.[A-Za-z]\w{1,4}",
    "code": r"[A-Z][A-Z_]*\d[A-Z0-9_]*",
    "upper-case name": r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)+",
    "structure component": r"(?:sy|[a-z][a-z0-9]*_[a-z0-9_]*)(?:-[a-z0-9_]+)+",
    "class member": rf"{_IDENTIFIER}(?:(?:=>|->|~|::){_IDENTIFIER})+(?:\(\))?",
    "call": r"[A-Za-z_]\w*(?:\.\w+)*\(\)",
    "dotted name": r"[a-z]\w+(?:\.\w\w+){2,}",
    "option": r"--?[A-Za-z]\w*(?:-\w+)*(?:=[\w.,/:@-]*\w)?",
    "setting": r"[A-Za-z_][\w.-]*=[\w./:@-]*\w",
    "placeholder": r"<[A-Za-z][\w.-]*>(?:[:/.]<[A-Za-z][\w.-]*>)*|\$?\{\{?[\w.-]+\}?\}|%\w+%",
    "language": r"[A-Z]\+\+|[A-Z]#|\.NET",
    "wildcard": r"[A-Z][A-Z0-9_]*\*|\*\.[A-Za-z]\w*",
    "single letters": r"[A-Z]/[A-Z]",
}
"""Patterns of words that are one token, by kind."""

MAX_NAME = 500  # Longest name; bounds the matching time.
MAX_WORD = 100  # Longest other word given to the rules, whose time grows with the square.

_ALTERNATIVES = "|".join(f"(?:{pattern})" for pattern in TECHNICAL_NAMES.values())
_NAME = re.compile(_ALTERNATIVES, re.ASCII)
_LETTER_WORD = re.compile(r"[A-Za-z]-[A-Za-z]{3,}", re.ASCII)  # e-mail, X-rays, T-shirt
_MARK = r"[.,;:!?)\]}'\"’”]"
_LAST_MARK = re.compile(rf"{_MARK}$")
_NAME_AND_MARKS = re.compile(rf"(?:{_ALTERNATIVES}){_MARK}+", re.ASCII)
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")


class TechnicalTokenizer:
    """A copy of a model's tokenizer that keeps technical names whole and takes linear time.

    Tokens and the spaces between them always reproduce the text.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        from spacy.tokenizer import Tokenizer

        self._rules = Tokenizer(
            tokenizer.vocab,
            rules=tokenizer.rules,
            prefix_search=_unless_name(tokenizer.prefix_search),
            suffix_search=_last_mark_of_name(tokenizer.suffix_search),
            infix_finditer=tokenizer.infix_finditer,
            token_match=_either(_either(tokenizer.token_match, is_technical_name), _LETTER_WORD.fullmatch),
            url_match=tokenizer.url_match,
            faster_heuristics=tokenizer.faster_heuristics,
        )

    def __call__(self, text: str) -> Doc:
        """Return the tokens of a text.

        Words too long for rules are one token if they are names, else cut into pieces of `MAX_WORD` characters.
        """
        if _LONG_WORD.search(text) is None:
            doc: Doc = self._rules(text)
            return doc
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        place = 0
        for long_word in _LONG_WORD.finditer(text):
            self._append(text[place : long_word.start()], words, spaces)
            pieces = _pieces(long_word.group())
            place = long_word.end()
            words += pieces
            spaces += [False] * len(pieces)
        self._append(text[place:], words, spaces)
        return Doc(self._rules.vocab, words=words, spaces=spaces)

    def _append(self, text: str, words: list[str], spaces: list[bool]) -> None:
        """Append a text's tokens; a leading space belongs to the token before."""
        if spaces and text.startswith(" "):
            spaces[-1] = True
            text = text[1:]
        for token in self._rules(text):
            words.append(token.text)
            spaces.append(bool(token.whitespace_))


def is_technical_name(word: str) -> bool:
    """Tell whether a whole word is a technical name."""
    return len(word) <= MAX_NAME and _NAME.fullmatch(word) is not None


def _pieces(word: str) -> list[str]:
    if is_technical_name(word):
        return [word]
    return [word[start : start + MAX_WORD] for start in range(0, len(word), MAX_WORD)]


def _unless_name(search: Search | None) -> Search | None:
    """Wrap a prefix search to strip nothing from names before punctuation, such as "<host>."."""
    if search is None:
        return None
    return lambda text: None if _NAME_AND_MARKS.fullmatch(text) else search(text)


def _last_mark_of_name(search: Search | None) -> Search | None:
    """Wrap a suffix search to strip the punctuation after a name, such as "SE16N."."""
    if search is None:
        return None
    return lambda text: (_LAST_MARK.search if _NAME_AND_MARKS.fullmatch(text) else search)(text)


def _either(first: Search | None, second: Search) -> Search:
    if first is None:
        return second
    return lambda text: first(text) or second(text)
