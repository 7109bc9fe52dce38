"""Fill a follow-up question from the question before it, by rules on English words.

"and VBUP?" after "What is table VBBS for?" asks "What is table VBUP for?". What is filled in are
words of the question before, or the only name in the sentence that answered it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_tasks.answering.reply import Reply
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.question.query import MOST_READ
from graphrag_tasks.retrieval.question.sub_questions import asks

UNCLEAR = "What it refers to is not clear: the question before was searched with it."

_AUXILIARY = (
    "am|is|are|was|were|do|does|did|can|could|has|have|had|may|might|must|shall|should|will|would"
)
_CIRCUMSTANCE = (
    r"instead\s+of|in|on|at|with|without|for|from|under|by|during|before|after|since|until|to|via|using"
    "|between"
)
_BARE = re.compile(
    r"(?:(?:and|but|or|so)\s+)?((?:(?:in|since|for|by|with|from|to)\s+)?"
    r"(?:why|how|when|where|who|whom|which|what)"
    r"(?:\s+(?:long|many|much|often|far|else|so|not|exactly|then|come|ones?|way|order))*)\W*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:(?:and|but|or|so|then)\b\s*,?\s*)+", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:what|how)\s+(?:about|of)\s+|(?:the\s+same|that|those)\s+(?:for|of)\s+", re.I
)
_CLAUSE = re.compile(
    r"(?:list|show|give|name|explain|describe|tell|compare|find|count|please|thanks?)\b"
    r"|.*\b(?:i|you|we)\b",
    re.IGNORECASE,
)
_LONGEST = 6
"""Most words of an elliptic question, such as "and the SFTP adapter in 2023"; chosen."""

_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there)\b",
    re.IGNORECASE,
)
_POSSESSIVE = frozenset({"its", "their", "theirs", "his", "hers"})
_PERSON = frozenset({"he", "him", "his", "she", "her", "hers"})
_ACT = frozenset({"this", "that"})
_ASKS_FOR_ACT = re.compile(r"(?:how|why|when)\b", re.IGNORECASE)  # "that" may be what was done
_PLURAL = frozenset({"they", "them", "their", "theirs", "these", "those"})
_POINTING = frozenset({"this", "that", "these", "those"})
_BOUNDARY = re.compile(
    r"[,;:.?!]|\b(?:and|but|or|if|when|while|because|before|after|that|which|who|so)\b", re.I
)
_SAYS_NOTHING = re.compile(  # "it" of "is it possible to …"
    r"\s+(?:be\s+)?(?:possible|true|necessary|safe|better|best|useful|important|allowed|worth|okay|ok"
    r"|good|bad|common|hard|easy|required|legal|take|mean|matter|make\s+sense)\b.*\b(?:to|that|if)\b",
    re.IGNORECASE,
)
_HERE = re.compile(  # the documents themselves, or a moment of the talk
    r"\s+(?:documents?|documentation|corpus|collection|texts?|books?|guides?|manuals?|pages?"
    r"|articles?|ways?|times?|years?|cases?|of|who|which|whose|that)\b",
    re.IGNORECASE,
)
_BEFORE_THAT = re.compile(rf"(?:^|\b(?:{_AUXILIARY}|{_CIRCUMSTANCE}|of|about|how|why))\s*$", re.I)
_AFTER_THAT = re.compile(rf"\s*(?:[?.!,;]|$)|\s+(?:{_CIRCUMSTANCE}|and|or)\b", re.IGNORECASE)
_ASKS_FOR_THING = re.compile(r"(?:which|who)\b", re.IGNORECASE)  # "it" may be what answers it
_MODIFIED = re.compile(r"\b(?:the|an?|my|our|your)\s+\w+\s+$", re.IGNORECASE)
_LAST_WORD = re.compile(r"\s+[\w-]+\W*")
_NOUN_AT_END = re.compile(r"\b(?:the|an?|any|some|which|what|ones?|those)\s+(?:\w+\s+)?$", re.I)
_BE_BESIDE = re.compile(r"\s+(?:is|are|was|were|be)\b", re.IGNORECASE)
_BE_AT_END = re.compile(r"\b(?:is|are|was|were)\s+$", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:the|an?|this|that)\s+$", re.IGNORECASE)
_ARTICLE_AT_START = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_NO_THING = re.compile(r"\b(?:what|which|how\s+many|how\s+much|i|you|we|to)\s+$", re.IGNORECASE)
_VERBS = frozenset(
    ["work", "works", "use", "uses", "need", "needs", "cost", "run", "help", "mean", "change", "do"]
)
_WRITTEN = re.compile(r"\b[A-Z][\w/+#-]*(?:\s+[A-Z0-9][\w/+#-]*)*|\b(?=\w*\d)(?=\w*[A-Za-z])\w+")
_SUBJECT = re.compile(
    rf"(?P<first>.*?)\b(?:{_AUXILIARY})\s+(?:(?:the|an?)\s+)?"
    rf"(?P<said>(?!i\b|you\b|we\b|there\b)[^?.!,;:]+?)"
    rf"(?=\s+(?:{_CIRCUMSTANCE}|of|than)\b|\s*[?.!,;:]|\s*$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Filled:
    """A follow-up as it is searched, and a remark if it could not be filled."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class _Thing:
    """A name in a question; `written`: as in the index, if it is there."""

    start: int
    end: int
    text: str
    written: str
    aside: bool  # behind a preposition

    @property
    def is_name(self) -> bool:
        return any(map(_is_name, self.written.split()))

    @property
    def is_telling(self) -> bool:
        """Whether it is more than a common word, which the index may have as a heading."""
        return " " in self.text or _is_name(self.text) or _is_code(self.written)


def filled(question: str, before: Reply | str, index: Index) -> Filled | None:
    """Return a follow-up question with what it leaves out; None if it leaves out nothing.

    Args:
        question: The follow-up.
        before: The question before, or its reply: then also what that was asked as, and the only
            name of the sentences that were quoted.
        index: Its names are those that the reader may see.

    Raises:
        QueryError: `before` is neither a question nor a reply.
    """
    if not isinstance(before, Reply | str):
        what = f"after must be a question or a reply (got {type(before).__name__})"
        raise QueryError(what, "", "Give the question before as text")
    asked = before if isinstance(before, str) else before.asked_as or before.question
    asked, said = " ".join(asked[:MOST_READ].split()), " ".join(question.split())
    if not asked or not said or len(said) > MOST_READ:
        return None
    if bare := _BARE.fullmatch(said):
        return Filled(_with_other_word(_upper(bare[1]), asked))
    rest = said[lead.end() :] if (lead := _LEAD.match(said)) else said
    things = _things(asked, index)
    if pronoun := _pronoun(rest, _things(rest, index)):
        word = pronoun[0].lower()
        is_person = word in _PERSON and asked[:4].lower() == "who "
        is_act = (
            word in _ACT and _ASKS_FOR_ACT.match(asked) and _AFTER_THAT.match(rest[pronoun.end() :])
        )
        name = "" if is_person or is_act else _antecedent(asked, things, is_plural=word in _PLURAL)
        name = name or ("" if is_act else _quoted_name(before, index))
        return Filled(_upper(_put(rest, pronoun, name))) if name else _both(said, asked)
    about = _ABOUT.match(rest)
    phrase = (rest[about.end() :] if about else rest).rstrip(" ?.!")
    is_short = 0 < len(phrase.split()) <= _LONGEST and not asks(phrase)
    begun = bool(about or lead or _is_phrase(phrase, index))
    if not is_short or not begun or _CLAUSE.match(phrase):
        return None
    text = _with_circumstance(phrase, asked, index) or _with_thing(phrase, asked, things, index)
    return Filled(text) if text else _both(said, asked)


def _is_phrase(phrase: str, index: Index) -> bool:
    """Tell whether a text is nothing but a name, or words on place, time or purpose."""
    if re.match(rf"(?:{_CIRCUMSTANCE})\b", phrase, re.IGNORECASE):
        return True
    return any(one.text == _ARTICLE_AT_START.sub("", phrase) for one in _things(phrase, index))


def _both(said: str, asked: str) -> Filled:
    return Filled(f"{said} {asked}", UNCLEAR)


def _with_other_word(word: str, asked: str) -> str:
    """Return the question before with another question word: "Why?"."""
    lower = asked[0].lower() + asked[1:] if asked[1:2].islower() else asked
    if re.match(rf"(?:{_AUXILIARY})\b", lower):
        return f"{word} {lower}"
    adverb = re.match(rf"(?:why|how|when|where)\s+(?=(?:{_AUXILIARY})\b)", lower)
    return f"{word} {lower[adverb.end() :]}" if adverb else f"{word}: {lower}"


def _pronoun(text: str, own: Sequence[_Thing]) -> re.Match[str] | None:
    """Return the first pronoun that nothing in its own question stands for."""
    for found in _PRONOUN.finditer(text):
        word, left, right = found[0].lower(), text[: found.start()], text[found.end() :]
        if found[0].isupper():  # IT, the trade
            continue
        if word == "there" and (_BE_BESIDE.match(right) or _BE_AT_END.search(left)):
            continue
        if word in _POINTING and _HERE.match(right):
            continue
        if word == "that" and not (
            _BEFORE_THAT.search(left)
            or _AFTER_THAT.match(right)
            or (_LAST_WORD.fullmatch(right) and not _NOUN_AT_END.search(left))
        ):
            continue
        if word == "it" and own and _SAYS_NOTHING.match(right):
            continue
        between = [text[one.end : found.start()] for one in own if one.end <= found.start()]
        if between and (word in _POSSESSIVE or any(map(_BOUNDARY.search, between))):
            continue
        return found
    return None


def _put(text: str, pronoun: re.Match[str], name: str) -> str:
    """Return a question with a name in the place of its pronoun."""
    word, right = pronoun[0].lower(), text[pronoun.end() :]
    if word in _POSSESSIVE or (word == "her" and not _AFTER_THAT.match(right)):
        name += "’" if name.endswith("s") else "’s"
    if word == "there":
        name = f"in {name}"
    noun = re.match(r"\s+(\w+?)s?\b", right)
    if word in _POINTING and noun and noun[1].lower() in name.lower().split():
        right = right[noun.end() :]  # "that table" is "table VBBS"
    return text[: pronoun.start()] + name + right


def _antecedent(asked: str, things: Sequence[_Thing], *, is_plural: bool) -> str:
    """Return what a pronoun stands for: the first name, better none behind a preposition."""
    telling = [one for one in things if one.is_telling]
    if not telling and not _ASKS_FOR_THING.match(asked):
        whole = [one for one in things if not _MODIFIED.search(asked[: one.start])]
        telling = [one for one in whole if not one.aside]
    if not telling:
        return ""
    first = next((one for one in telling if not one.aside), telling[0])
    end = first.end
    for one in things if is_plural else ():
        if one.start > end and re.fullmatch(
            r"(?:,|\s|\band\b|\bor\b|\bthe\b)+", asked[end : one.start]
        ):
            end = one.end
    if is_plural and end == first.end and not first.text.endswith("s"):
        return ""  # "they" are no single thing
    article = "the " if _ARTICLE.search(asked[: first.start]) else ""
    return article + asked[first.start : end]


def _quoted_name(before: Reply | str, index: Index) -> str:
    """Return the name in the sentences that were chosen as the answer, if it is the only one."""
    if isinstance(before, str) or before.model:
        return ""
    best = [one.text for one in before.sentences if one.is_best]
    names = {name.lower(): name for text in best for name in index.names_in(text)}
    return next(iter(names.values())) if len(names) == 1 else ""


def _with_circumstance(phrase: str, asked: str, index: Index) -> str:
    """Return the question before with another phrase of place, time or purpose: "in 2023"."""
    begun = re.match(rf"(?:{_CIRCUMSTANCE})\b", phrase, re.IGNORECASE)
    if not begun:
        return ""
    phrase = phrase[0].lower() + phrase[1:]
    ends = rf"(?=\s+(?:{_CIRCUMSTANCE})\b|\s*[,?.!;:]|\s*$)"
    old = [*re.finditer(rf"\b{begun[0]}\s+[^,?.!;:]+?{ends}", asked, re.IGNORECASE)]
    if re.search(r"\b\d{4}\b", phrase):
        old = [*re.finditer(rf"\b(?:(?:{_CIRCUMSTANCE})\s+)?\d{{4}}\b", asked, re.I)] or old
    if old:
        return asked[: old[-1].start()] + phrase + asked[old[-1].end() :]
    if begun[0].lower() == "for" and _things(phrase, index):
        return _with_thing(phrase[begun.end() :].strip(), asked, _things(asked, index), index)
    return f"{asked.rstrip(' ?.!')} {phrase}?"


def _with_thing(phrase: str, asked: str, things: Sequence[_Thing], index: Index) -> str:
    """Return the question before about another thing; "" if it is not clear in which place."""
    new = _ARTICLE_AT_START.sub("", phrase)
    kind = _shape(_spelling(new, index))
    of_name = re.match(
        r"((?:what|which)\s+(?:is|are|was|were)\s+the\s+).+?(\s+of\s+.+)", asked, re.I
    )
    names = [one for one in things if one.is_name]
    if kind == "word" and of_name and any(one.text in of_name[2] for one in names):
        return f"{of_name[1]}{new}{of_name[2]}"
    words = set(new.lower().split())
    kin = _only([one for one in things if words.intersection(one.text.lower().split())])
    if kin is None and kind == "word" and names and len(names) == len(things):
        return f"What about {phrase} of {_antecedent(asked, things, is_plural=False)}?"
    if not things:
        return _with_subject(new, asked)
    old = (
        kin
        or _only([one for one in things if _shape(one.written) == kind])
        or _only([one for one in things if _shape(one.written) == "mixed" and kind == "name"])
        or _only(things)
    )
    if old is None:
        return ""
    if kind == "name" and _shape(old.text) == "mixed":  # "table VBBS": "table" stays
        held = old.text.split()
        own = [place for place, word in enumerate(held) if _is_name(word)]
        new = " ".join([*held[: own[0]], new, *held[own[-1] + 1 :]])
    left = re.sub(r"\ban?\s+$", "an " if new[0] in "aeiouAEIOU" else "a ", asked[: old.start])
    return left + new + asked[old.end :]


def _with_subject(new: str, asked: str) -> str:
    """Return the question before with another subject, where it has no name: "ale fermented"."""
    found = _SUBJECT.match(asked)
    if not found:
        return ""
    words = found["said"].split()
    is_all = found["first"].strip().lower() in ("what", "who", "where") or len(words) == 1
    held = words if is_all else words[:-1]
    start = found.start("said")
    end = start + len(" ".join(held))
    return asked[:start] + new + asked[end:]


def _only(things: Sequence[_Thing]) -> _Thing | None:
    """Return the only thing, or the only one that is not behind a preposition."""
    main = [one for one in things if not one.aside] if len(things) > 1 else things
    return main[0] if len(main) == 1 else None


def _things(text: str, index: Index) -> list[_Thing]:
    """Return the names in a question: those of the index, and words written as names."""
    found: list[_Thing] = []
    place = 0
    spans = []
    for name in index.names_in(text):
        place = text.index(name, place)
        spans.append((place, place + len(name)))
        place += len(name)
    for match in _WRITTEN.finditer(text):
        start = match.start()
        if start == 0 or text[start - 2] in ".?!":
            first = match[0].split()[0]
            start += 0 if _is_code(first) else len(first) + 1
        if start < match.end() and text[start : match.end()] != "I":
            spans.append((start, match.end()))
    taken = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        said = text[start:end]
        is_asked_for = said.islower() and _NO_THING.search(text[:start])
        if start < taken or said in _VERBS or is_asked_for:
            continue
        taken = end
        left = _ARTICLE.sub("", text[:start])
        aside = re.search(rf"\b(?:{_CIRCUMSTANCE})\s+$", left, re.IGNORECASE) is not None
        found.append(_Thing(start, end, said, _spelling(said, index), aside))
    return found


def _spelling(name: str, index: Index) -> str:
    """Return a name as the index writes it, if it is typed in lower case."""
    rows = index.graph.names.get(name) if name.islower() else None
    return name if rows is None else index.graph.entity_names[int(rows[0])]


def _is_name(word: str) -> bool:
    return word != word.lower() or any(map(str.isdigit, word))


def _is_code(word: str) -> bool:
    return word[1:] != word[1:].lower() or any(map(str.isdigit, word)) or "_" in word


def _shape(name: str) -> str:
    words = [_is_name(word) for word in name.split()]
    return "name" if all(words) else "mixed" if any(words) else "word"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
