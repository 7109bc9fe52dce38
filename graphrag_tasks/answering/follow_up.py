"""Fill a follow-up question from the question before it, by a few rules on English words.

"and VBUP?" after "What is table VBBS for?" asks "What is table VBUP for?". What the rules do not decide is searched
with both questions, and the reply says so: a guess is worse than that.
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

_AUXILIARY = "(?i:am|is|are|was|were|do|does|did|can|could|has|have|had|may|might|must|shall|should|will|would)"
_PREPOSITION = (
    r"(?:instead\s+of|in|on|at|with|without|for|from|under|by|during|before|after|since|until|to"
    "|via|using|between)"
)
_BARE = re.compile(
    r"(?:(?:and|but|or|so)\s+)?((?:(?:in|since|for|by|with|from|to)\s+)?"
    r"(?:why|how|when|where|who|whom|which|what)"
    r"(?:\s+(?:long|many|much|often|far|else|so|not|exactly|then|ones?))*)\W*",
    re.IGNORECASE,
)
_ASKED_OF = re.compile(rf"(?:(?i:why|how|when|where)\s+)?({_AUXILIARY}\b.*)")
_LEAD = re.compile(r"^(?:(?:and|but|or|so|then)\b\s*,?\s*)*(?:(?:what|how)\s+(?:about|of)\s+)?", re.IGNORECASE)
_BEGINS_WITH_PREPOSITION = re.compile(rf"{_PREPOSITION}\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_ARTICLE_AT_END = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
_ASKED_FOR = re.compile(r"\b(?:what|which|many|much)\s+$", re.IGNORECASE)

# IT is a trade; "it" of "is it possible to …" is nothing; "that" is often "the table that …"
_PRONOUN = re.compile(
    r"\b(?P<it>[Ii]ts?)\b(?!\s+(?:possible|necessary|safe|better|allowed|worth|easy|hard)\b.*\bto\b)"
    rf"|(?P<left>\b{_AUXILIARY}\s+)?\b(?P<that>[Tt]his|[Tt]hat|there)\b(?P<end>\W*$)?"
)
_OTHER_PRONOUN = re.compile(
    r"\b(?:they|them|theirs?|he|him|his|she|hers?|this|these|those|that(?=\s+\w+\W*$))\b"
    r"(?!\s+(?:documents?|documentation|corpus|collection|of|who|which|that)\b)",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"what\s+(?:is|are|was|were|do|does|did)\b", re.IGNORECASE)
_PROPERTY_OF = re.compile(r"(what\s+(?:is|are|was|were)\s+the\s+)(.+?)(\s+of\s+(?:(?:the|an?)\s+)?)", re.IGNORECASE)
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
    if bare := _BARE.fullmatch(said):
        text = _with_other_word(bare[1], asked)
    elif pronoun := _pronoun(rest):
        text = _with_name(rest, pronoun, _meant(pronoun, asked, before, index))
    elif _OTHER_PRONOUN.search(rest):
        text = ""
    else:
        phrase = rest.rstrip(" ?.!")
        new = _ARTICLE.sub("", phrase)
        preposition = _BEGINS_WITH_PREPOSITION.match(phrase)
        is_begun = rest != said or preposition or index.names_in(new) == (new,)
        if not is_begun or not 0 < len(phrase.split()) <= _LONGEST or asks(phrase):
            return None
        if preposition:
            text = _with_phrase(phrase, preposition[0], asked)
        else:
            text = _with_thing(new, asked, index, is_definite=phrase[:4].lower() == "the ")
    return Filled(text[0].upper() + text[1:]) if text else Filled(f"{said} {asked}", UNCLEAR)


def _with_other_word(word: str, asked: str) -> str:
    """Return the question before with another question word: "Why?"."""
    found = _ASKED_OF.match(asked)
    old = found[1] if found else asked
    old = old[0].lower() + old[1:] if old[1:2].islower() else old
    return f"{word} {old}" if found else f"{word}: {old}"


def _pronoun(text: str) -> re.Match[str] | None:
    """Return the first pronoun that a name can replace."""
    for found in _PRONOUN.finditer(text):
        is_there = found["that"] == "there"
        if found["it"] or found["end"] is not None or (found["left"] and not is_there):
            return found
    return None


def _with_name(text: str, pronoun: re.Match[str], name: str) -> str:
    """Return a question with a name in the place of its pronoun; "" if one stands before it."""
    word = (pronoun["it"] or pronoun["that"]).lower()
    start, end = pronoun.span("it" if pronoun["it"] else "that")
    if not name or re.search(rf"(?!^){_WRITTEN}", text[:start]):
        return ""
    name = {"its": f"{name}’s", "there": f"in {name}"}.get(word, name)
    return text[:start] + name + text[end:]


def _meant(pronoun: re.Match[str], asked: str, before: Reply | str, index: Index) -> str:
    """Return what a pronoun stands for: the first written name, or the only thing asked about."""
    what_is, names = _WHAT_IS.match(asked), _names(asked, index)
    if asked.lower().startswith("which ") or (pronoun["that"] and not what_is):
        return ""  # the answer to "Which …", or what was done ("that" after "How is …")
    if not names:
        return _quoted_name(before, index)
    told = [one for one in names if _is_written(one[0])]
    told = told or (names if what_is and len(names) == 1 else [])
    if not told:
        return ""
    return ("the " if _ARTICLE_AT_END.search(asked[: told[0].start()]) else "") + told[0][0]


def _quoted_name(before: Reply | str, index: Index) -> str:
    """Return the name in the sentences that were chosen as the answer, if it is the only one."""
    if isinstance(before, str) or before.model:
        return ""
    best = [one.text for one in before.sentences if one.is_best]
    names = {name.lower(): name for text in best for name in index.names_in(text)}
    return next(iter(names.values())) if len(names) == 1 else ""


def _with_phrase(phrase: str, preposition: str, asked: str) -> str:
    """Return the question before with another phrase of place, time or purpose: "in 2023"."""
    ends = rf"(?=\s+{_PREPOSITION}\b|\s*[,?.!;:]|\s*$)"
    old = [*re.finditer(rf"\b{preposition}\s+[^,?.!;:]+?{ends}", asked, re.IGNORECASE)]
    phrase = phrase[0].lower() + phrase[1:]
    if not old:
        return f"{asked.rstrip(' ?.!')} {phrase}?"
    return asked[: old[0].start()] + phrase + asked[old[0].end() :] if len(old) == 1 else ""


def _with_thing(new: str, asked: str, index: Index, *, is_definite: bool) -> str:
    """Return the question before about another thing; "" if it is not clear in which place."""
    names, is_written = _names(asked, index), _is_written(new)
    if of := _PROPERTY_OF.match(asked):  # "the size" after "What is the price of VBUP?"
        if is_definite and not is_written:
            return of[1] + new + asked[of.end(2) :]
        names = [one for one in names if one.start() == of.end()]
    fitting = [one for one in names if _is_written(one[0])] if is_written else names
    if len(fitting) != 1 or _is_written(fitting[0][0]) != is_written:
        return ""
    (old,) = fitting
    if _ASKED_FOR.search(asked[: old.start()]):  # "temperature" of "What temperature is …"
        return ""
    if re.fullmatch(_WRITTEN, new):  # "table VBBS": "table" stays
        new = re.sub(_WRITTEN, lambda _: new, old[0], count=1)
    left = re.sub(r"\ban?\s+$", "an " if new[0] in "aeiouAEIOU" else "a ", asked[: old.start()])
    return left + new + asked[old.end() :]


def _names(text: str, index: Index) -> list[re.Match[str]]:
    """Return the names in a question: those of the index, and words written as names."""
    known = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in index.names_in(text)]
    return [*re.finditer("|".join([*known, rf"(?!^){_WRITTEN}"]), text)]


def _is_written(name: str) -> bool:
    return re.search(_WRITTEN, name) is not None
