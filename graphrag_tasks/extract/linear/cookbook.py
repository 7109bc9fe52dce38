"""Commands that relate two things: "Use VBBE instead of VBBS", "Replace IDocs with events".

Taggers take the first word of such lines for a noun as often as not, so the lines are read as
patterns. Without its missing subject, the reader, what is left of a command is its object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.names import Name, name_at, name_of, names_at
from graphrag_tasks.extract.linear.pairs import LinearRule, pair

_VERBS = (
    "use|replace|substitute|exchange|prefer|avoid|create|define|convert|migrate|move|import|export|"
    "upload|deploy|transport|map|adapt|extend|assign|add|store|implement|configure|send|connect"
)
_COMMAND = re.compile(rf"(?:please\s|always\s|just\s)?({_VERBS})\s(?=\S)", re.IGNORECASE)
_TIE = re.compile(
    r"\s(instead of|rather than|in place of|in favor of|for|with|by|to|into|from|over|in|as|on)\s"
)
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
_MAX_GAP = 90


def cookbook(text: str) -> Iterator[Frame]:
    """Yield one frame for each pair of a command's object and what a preposition ties to it."""
    command = _COMMAND.match(text)
    if command is None or _TWO_COMMANDS.search(text, command.end()):
        return
    verb = command[1].casefold()
    tie = _first_tie(text, command.end(), verb)
    if tie is None:
        return
    objects = _objects(text, command.end(), tie.start())
    if not objects:
        return
    purpose = _TO_VERB.match(text, tie.start())
    if purpose and verb == "use":
        relation, place = f"be used to {purpose[1]}", purpose.end()
    else:
        relation, place = f"{verb} {tie[1]}", tie.end()
    if _NOT_NAMES.match(text, place) or (tie[1] == "to" and _COMMAND.match(text, place)):
        return
    others = [one for one in names_at(text, place) if not _NOT_NAMES.match(one.text)]
    for one in objects:
        for other in others:
            yield pair(LinearRule.COOKBOOK, one, relation, other)


def _first_tie(text: str, start: int, verb: str) -> re.Match[str] | None:
    ties = _TIES.get(verb)
    for tie in _TIE.finditer(text, start - 1, start + _MAX_GAP):
        if ties is None or tie[1] in ties:
            return tie
    return None


def _objects(text: str, start: int, end: int) -> list[Name]:
    """Return the objects between the verb and its preposition, an "of" phrase among their words."""
    if re.search(r"[.;:]\s|\b(?:that|which|is|are|be|whether|how|if)\b", text[start:end]):
        return []
    names = names_at(text, start, end)
    if names and text[names[-1].end : end].strip(" .,") == "":
        return names
    whole = name_of(text, start, end)
    return [whole] if whole is not None and name_at(text, start, end) else []
