"""Commands that relate two names: "Use VBBE instead of VBBS".

Taggers often take the first word of a command for a noun, so these lines are matched by patterns. As the subject, the
reader, is missing, the object takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.extract.frames import Frame, Span
from graphrag_tasks.extract.linear.names import LinearRule, name_at, name_of, names_at, pair
from graphrag_tasks.extract.words import any_of

_VERBS = any_of("object_verbs")
_COMMAND = re.compile(rf"(?:please\s|always\s|just\s)?({_VERBS})\s(?=\S)", re.IGNORECASE)
_TIE = re.compile(r"\s(instead of|rather than|in place of|in favor of|for|with|by|to|into|from|over|in|as|on)\s")
_TO_VERB = re.compile(r"\sto\s(?:[a-z]+ly\s)?([a-z]+)\s(?=\S)")
_TIES = {
    "replace": ("with", "by"),
    "substitute": ("with", "by", "for"),
    "exchange": ("with", "by", "for"),
    "prefer": ("to", "over", "instead of", "rather than"),
    "avoid": ("in", "for"),
}
_NOT_NAMES = re.compile(
    r"(?:more|further|additional|details|example|this|that|which|it|case|them|"
    r"be|between|by|for|from|on|or|out|with|\w+ing)\b"
)
_TWO_COMMANDS = re.compile(rf"\b(?:and|or|then)\s(?:{_VERBS}|\w+\s(?:the|an?|your|this|all|it))\b")
_CLAUSE = re.compile(r"[.;:]\s|\b(?:that|which|is|are|be|whether|how|if)\b")
_MAX_GAP = 90
"""Characters from a command to the word that relates its names; a word further on belongs elsewhere. Chosen."""


def cookbook(text: str) -> Iterator[Frame]:
    """Yield a frame for each pair of a command's object and a prepositional object."""
    command = _COMMAND.match(text)
    if command is None or _TWO_COMMANDS.search(text, command.end()):
        return
    verb = command[1].casefold()
    ties = _TIE.finditer(text, command.end() - 1, command.end() + _MAX_GAP)
    tie = next((match for match in ties if verb not in _TIES or match[1] in _TIES[verb]), None)
    objects = _objects(text, command.end(), tie.start()) if tie else []
    if tie is None or not objects:
        return
    purpose = _TO_VERB.match(text, tie.start())
    if purpose and verb == "use":
        relation, place = f"be used to {purpose[1]}", purpose.end()
    else:
        relation, place = f"{verb} {tie[1]}", tie.end()
    if _NOT_NAMES.match(text, place) or (tie[1] == "to" and _COMMAND.match(text, place)):
        return
    others = [span for span in names_at(text, place) if not _NOT_NAMES.match(span.text)]
    for span in objects:
        for other in others:
            yield pair(LinearRule.COOKBOOK, span, relation, other)


def _objects(text: str, start: int, end: int) -> list[Span]:
    """Return the objects between the verb and its preposition, including "of" phrases."""
    if _CLAUSE.search(text[start:end]):
        return []
    names = names_at(text, start, end)
    if names and text[names[-1].end : end].strip(" .,") == "":
        return names
    whole = name_of(text, start, end)
    return [whole] if whole is not None and name_at(text, start, end) else []
