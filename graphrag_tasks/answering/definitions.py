"""Tell terms from their definitions, and whether a sentence defines what a question names.

Glossaries write a term on a line of its own and its definition below it; prose says "A tun is …".
"""

from __future__ import annotations

import re

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.context.items import defines
from graphrag_tasks.retrieval.context.signals import is_content

_MOST_WORDS = 6  # Words of what is defined; chosen.
_ASKS_TO_DEFINE = frozenset({"defin", "definit", "mean"})
_IS = re.compile(r"\s+(?:is|are|was|were|means?|refers? to|stands? for)\s")
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)


def leads(line: str, text: str) -> bool:
    """Tell whether a line leads the text behind it: as a question, or a few words without an end.

    Such words are a heading, or a term that the text defines.
    """
    return line.endswith("?") or defines(line, text)


def named_alone(question: str) -> frozenset[str]:
    """Return the terms of what a question names, as "What is a tun?" names nothing but a tun."""
    return frozenset(filter(is_content, terms(question))).difference(_ASKS_TO_DEFINE)


def says_what_it_is(named: frozenset[str], term: str, text: str) -> bool:
    """Tell whether a sentence defines exactly what a question names.

    Args:
        named: By `named_alone`.
        term: What stands as a line of its own before the sentence; may be empty.
        text: The sentence.
    """
    subject = term or next(iter(_IS.split(text, maxsplit=1)[:-1]), "")
    subject = _ARTICLE.sub("", subject)
    if not named or not subject or subject.count(" ") >= _MOST_WORDS:
        return False
    words = frozenset(terms(subject))
    # "dry-hopping" has terms for the whole and for its parts
    return named == words or ("-" in subject and named < words and len(words - named) == 1)
