"""Sentence boundaries: corrects the sentence recogniser at full stops.

spaCy's tokenizer takes "B." for an initial everywhere, so that "Valve A follows valve B. Valve C closes." is one
sentence; and it splits "Fig. 3".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag_tasks.language.dictionary import TITLES, noun_gender

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_SCALED = "[nµmk][AFJNSVW]"  # Unit symbols whose full stop the tokenizer does not part: "kW.".
_LETTER = re.compile(rf"(?:[A-Za-z]|{_SCALED})\.")
_UNIT = re.compile(rf"(?:[ACFJKNVWghlmst]|{_SCALED})\.")
"""These, and one-letter unit symbols (SI brochure, 9th edition), litres and degrees."""
_PERSON = re.compile(r"\w+(?:ist|ian|eer)|author|editor|director|inventor|colleagues?")
_BEFORE_NUMBER = re.compile(r"\b(?:[Ff]igs?|[Tt]ab|[Ss]ecs?|[Ee]qs?|Nos?|Nr|[Vv]ols?|[Cc]hs?|pp?|ca|approx)\.\Z")
"""Abbreviations before a number, which rarely end a sentence."""
_MARKED_NAME = re.compile(r"\b[A-Z]\w+!\Z")  # A name with a mark of its own, such as "Yahoo!".
_SEEN = 100  # Tokens examined around a letter; bounds the time of a long sentence.
_OPENING = ("PRP", "DT", "EX", "IN", "WDT", "WP", "WRB", "MD", "RB", "CC")
"""Tags (Penn Treebank) of function words and adverbs, which are not surnames."""
_VERB = ("VB", "MD")


def sentence_spans(document: Doc) -> Iterator[Span]:
    """Yield the sentences of a tagged text with preliminary sentence starts."""
    start = 0
    for sentence in document.sents:
        end = sentence.end
        if end < len(document) and _goes_on(document[end - 2 : end].text, document[end].text):
            continue
        for at in range(start + 2, end):
            if not _LETTER.fullmatch(document[at - 1].text):
                continue
            first, last = max(start, at - _SEEN), min(end, at + _SEEN)
            if _ends(document[first:at], document[at:last]):
                yield document[start:at]
                start = at
        yield document[start:end]
        start = end


def _goes_on(last: str, following: str) -> bool:
    is_number = following[:1].isdigit() and _BEFORE_NUMBER.search(last) is not None
    is_name = following[:1].islower() and _MARKED_NAME.search(last) is not None
    return is_number or is_name or following == "."


def _ends(before: Span, after: Span) -> bool:
    """Tell whether a sentence ends at a letter with a full stop, which may be an initial."""
    letter, first = before[-1], after[0]
    if not first.text[0].isupper() or len(before) < 2:
        return False
    named = before[-2]
    is_label = named.is_lower and named.is_alpha and not named.tag_.startswith(_OPENING)
    is_label = is_label and len(named) > 1 and not _is_person(named.text)
    if is_label and first.lower in {token.lower for token in before}:
        return True
    if not _has_verb(before):
        return False
    if first.tag_.startswith(_OPENING) and not _LETTER.fullmatch(first.text):
        return named.lower_.rstrip(".") not in TITLES
    is_unit = named.like_num and _UNIT.fullmatch(letter.text) is not None
    return (is_unit or is_label) and _has_verb(after)


def _is_person(word: str) -> bool:
    return word in TITLES or noun_gender([word]) != 0 or _PERSON.fullmatch(word) is not None


def _has_verb(tokens: Span) -> bool:
    return any(token.tag_.startswith(_VERB) for token in tokens)
