"""Noun phrases inside an argument: "authentication for the request", "trees in arithmetic"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from graphrag_tasks.extract.frames import PRONOUN, Argument, Frame, Role
from graphrag_tasks.extract.linear.names import Name, names_at
from graphrag_tasks.extract.linear.pairs import LinearRule, pair

_PREPOSITION = re.compile(
    r"\s(of|for|in|on|between|from|to|with|within|about|into|via|at|without)\s(?=\S)"
)
_NOMINAL = frozenset({"of", "for", "between", "about", "without", "to"})
"""Prepositions that belong to an object rather than to its verb, whatever the parse says."""
_GERUND = re.compile(r"[a-z]+ing\s")
_NOUN_ROLES = (
    Role.SUBJECT, Role.OBJECT, Role.INDIRECT_OBJECT, Role.COMPLEMENT, Role.OBLIQUE, Role.AGENT,
)  # fmt: skip
_VAGUE_HEADS = frozenset({"part", "one", "case", "kind", "type", "example", "number", "instead"})
"""Nouns that say nothing without what follows them: "one of the components"."""
_NOT_NAMES = re.compile(
    r"(?:example|case|addition|general|particular|order|terms|default|this|it)\b"
)


def qualifiers(text: str, frames: Iterable[Frame]) -> Iterator[Frame]:
    """Yield one frame for each noun phrase that a preposition ties to the core of an argument.

    Args:
        text: The sentence.
        frames: Frames that were found in it; those of a parse know where an argument ends. What
            they relate already is left to them.
    """
    known = {argument.core_start for frame in frames for argument in frame.arguments}
    seen: set[int] = set()
    for frame in frames:
        for argument in frame.having(*_NOUN_ROLES):
            if argument.core_text and argument.core_end not in seen:
                seen.add(argument.core_end)
                found = _of_argument(text, argument)
                yield from (one for one in found if one.arguments[1].start not in known)


def _of_argument(text: str, argument: Argument) -> Iterator[Frame]:
    tie = _PREPOSITION.match(text, argument.core_end, argument.end)
    if tie is None or argument.entity_type == PRONOUN:
        return
    if argument.core_text.casefold() in _VAGUE_HEADS:
        return
    if argument.role == Role.OBJECT and tie[1] not in _NOMINAL:
        return
    if _GERUND.match(text, tie.end()) or _NOT_NAMES.match(text, tie.end()):
        return
    head = Name(argument.core_text, argument.core_start, argument.core_end)
    for tail in names_at(text, tie.end(), argument.end):
        yield pair(LinearRule.QUALIFIER, head, f"be {tie[1]}", tail)
