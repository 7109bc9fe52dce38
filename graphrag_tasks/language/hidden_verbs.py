"""Verbs that the tagger takes for plural nouns: "The server stores files."."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_tasks.language.tokens import Doc

if TYPE_CHECKING:
    from spacy.tokens import Span

_NOUNS = frozenset({"NN", "NNP"})
_BEGINS_OF_OBJECTS = frozenset({"CD", "DT", "JJ", "NN", "NNS", "NNP", "NNPS", "PRP$", "TO", "IN", "VBN", "VBG"})
_ENDS = frozenset({".", "!"})


def may_be_verb(sentence: Doc | Span, place: int) -> bool:
    """Tell whether the token at a place of a tagged sentence may be its verb, not a plural noun.

    It stands between a singular noun and what may begin an object, and the sentence ends as one: headings do not.
    """
    last = len(sentence) - 1
    if not 0 < place < last - 1 or sentence[last].text not in _ENDS:
        return False
    before, word, after = (sentence[place + step] for step in (-1, 0, 1))
    return before.tag_ in _NOUNS and word.tag_ == "NNS" and word.text.islower() and after.tag_ in _BEGINS_OF_OBJECTS
