"""Fill a follow-up question from the question before it: its only name is put in, or both are searched.

"and VBUP?" after "What is table VBBS for?" asks "What is table VBUP for?". Where there is no only name, both questions
are searched, and the reply says so: a guess is worse than that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphrag_tasks.answering.reply import Reply
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.question.query import MOST_READ
from graphrag_tasks.retrieval.question.router import asks

UNCLEAR = "What it refers to is not clear: the question before was searched with it."

_LONGEST = 6  # Most words of an elliptic question, such as "and the SFTP adapter in 2023"; chosen.

_BARE = re.compile(r"(?:(?:and|but|or|so)\s+)?(?:why|how|when|where|who|whom|which|what)(?:\s+\w+)?\W*", re.IGNORECASE)
_LEAD = re.compile(r"^(?:(?:and|but|or|so|then)\b\s*,?\s*)*(?:(?:what|how)\s+(?:about|of)\s+)?", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
# IT is a trade; "it" of "is it possible to …" is nothing; "that" is often "the table that …"
_IT = re.compile(r"\b[Ii]ts?\b(?!\s+\w+\b.*\bto\b)")
_PRONOUN = re.compile(
    rf"{_IT.pattern}|\b(?i:they|them|theirs?|he|him|his|she|hers?|this|these|those|that(?=\s+\w+\W*$|\W*$))\b"
    r"(?!\s+(?:documents?|documentation|corpus|collection|of|who|which|that)\b)"
)
_NAME_WORD = r"[\w/+#-]*[A-Z\d_][\w/+#-]*"
_WRITTEN = rf"\b(?!I\b|\d+\b){_NAME_WORD}(?:\s+{_NAME_WORD})*"
"""Words that are written as a name: VBBS, HackRF One, hackrf_sweep, Pin 16."""


@dataclass(frozen=True)
class Filled:
    """A follow-up as it is searched, and a remark if it could not be filled."""

    text: str
    note: str = ""


def filled(question: str, before: Reply | str, index: Index) -> Filled | None:
    """Return a follow-up question with what it leaves out; None if it leaves out nothing.

    Args:
        question: The follow-up.
        before: The question before, or its reply: then also what that was asked as, and the only name of the sentences
            that were quoted.
        index: Its names are those that the reader may see.
    """
    if not isinstance(before, Reply | str):
        what = f"after must be a question or a reply (got {type(before).__name__})"
        raise QueryError(what, "", "Give the question before as text")
    asked = before if isinstance(before, str) else before.asked_as or before.question
    asked, said = " ".join(asked[:MOST_READ].split()), " ".join(question.split())
    if not asked or not said or len(said) > MOST_READ:
        return None
    rest = _LEAD.sub("", said)
    names = _names(asked, index)
    phrase = _ARTICLE.sub("", rest.rstrip(" ?.!"))
    text = ""
    if pronoun := _PRONOUN.search(rest):
        name = names[0][0] if len(names) == 1 else "" if names else _quoted_name(before, index)
        if name and names and re.search(r"\bthe\s+$", asked[: names[0].start()], re.IGNORECASE):
            name = f"the {name}"
        if name and _IT.match(pronoun[0]) and not re.search(rf"(?!^){_WRITTEN}", rest[: pronoun.start()]):
            name = f"{name}’s" if pronoun[0].lower() == "its" else name
            text = rest[: pronoun.start()] + name + rest[pronoun.end() :]
    elif not _BARE.fullmatch(said):
        is_begun = rest != said or index.names_in(phrase) == (phrase,)
        if not is_begun or not 0 < len(phrase.split()) <= _LONGEST or asks(phrase):
            return None
        written = [one for one in names if re.search(_WRITTEN, one[0])]
        if len(written) == 1 and (named := re.search(_WRITTEN, phrase)):
            lead, start = phrase[: named.start()], written[0].start()
            phrase = phrase.removeprefix(lead) if asked[:start].endswith(lead) else phrase  # "instead of"
            new = re.sub(_WRITTEN, lambda _: phrase, written[0][0], count=1)  # "table VBBS": "table" stays
            text = asked[:start] + new + asked[written[0].end() :]
    return Filled(text[0].upper() + text[1:]) if text else Filled(f"{said} {asked}", UNCLEAR)


def _quoted_name(before: Reply | str, index: Index) -> str:
    """Return the name in the sentences that were chosen as the answer, if it is the only one."""
    if isinstance(before, str) or before.model:
        return ""
    best = [one.text for one in before.sentences if one.is_best]
    names = {name.lower(): name for text in best for name in index.names_in(text)}
    return next(iter(names.values())) if len(names) == 1 else ""


def _names(text: str, index: Index) -> list[re.Match[str]]:
    """Return the names in a question: those of the index, and words written as names."""
    known = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in index.names_in(text)]
    return [*re.finditer("|".join([*known, rf"(?!^){_WRITTEN}"]), text)]
