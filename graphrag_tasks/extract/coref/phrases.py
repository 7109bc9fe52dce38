"""Noun phrases as candidates for things: "the migration report", "SAP HANA", "transaction SE38"."""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.extract.coref.roles import Role, role_of
from graphrag_tasks.language.gender import words

_CORE = frozenset({"compound", "amod", "nummod", "nmod"})
_NOUNS = frozenset({"NOUN", "PROPN", "NUM"})
_DETERMINED = frozenset({"the", "this", "that", "these", "those"})
_NO_THINGS = frozenset(
    {"PERSON", "DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"}
)
_NO_NODES = words("one way case time part example number lot kind type following note step thing")


@dataclass(frozen=True, slots=True)
class Phrase:
    """The core of a noun phrase at its place: its head with the words that say which.

    Attributes:
        sentence: Number of the sentence in the passage.
        start: First token, past the determiner.
        end: One past the last token, which is the head.
        head: The head.
        role: Role of the phrase.
        plural: Whether the head is plural.
        determiner: "the", "this" ... in lower case; "" for all others and none.
        bare: Whether the head stands alone: nothing else belongs to it, and no noun follows that
            a wrong parse may have torn from it.
        compound: Whether a noun before the head says which; adjectives such as "current" do not.
        embedded: Whether it stands inside another noun phrase.
    """

    sentence: int
    start: int
    end: int
    head: int
    role: Role
    plural: bool
    determiner: str
    bare: bool
    compound: bool
    embedded: bool


def find_phrases(parse: Parse, sentence: int) -> list[Phrase]:
    """Return the noun phrases of a sentence that may name a thing, in order."""
    return [
        _phrase(parse, sentence, token)
        for token in range(len(parse))
        if parse.pos[token] in ("NOUN", "PROPN")
        and parse.name_head(token) == token
        and parse.lemmas[token].lower() not in _NO_NODES
        and any(character.isalpha() for character in parse.words[token])
        and not any(e.start <= token < e.end and e.label in _NO_THINGS for e in parse.entities)
    ]


def _phrase(parse: Parse, sentence: int, head: int) -> Phrase:
    start = head
    while start > 0 and _is_core(parse, start - 1, head):
        start -= 1
    while parse.tags[start] in ("JJR", "JJS", "PDT") and start < head:
        start += 1
    children = parse.children(head)
    determiners = [parse.words[i].lower() for i in children if parse.deps[i] == "det"]
    determiner = next((word for word in determiners if word in _DETERMINED), "")
    others = [i for i in children if parse.deps[i] not in ("det", "punct", "case", "cc", "conj")]
    above = parse.ancestors(head)
    return Phrase(
        sentence=sentence,
        start=start,
        end=head + 1,
        head=head,
        role=role_of(parse, parse.role_head(head)),
        plural=parse.tags[head] in ("NNS", "NNPS"),
        determiner=determiner,
        bare=not others and (head + 1 == len(parse) or parse.pos[head + 1] not in _NOUNS),
        compound=any(parse.pos[i] in _NOUNS for i in range(start, head)),
        embedded=any(parse.pos[i] in ("NOUN", "PROPN") for i in above[:2]),
    )


def _is_core(parse: Parse, token: int, head: int) -> bool:
    """Return whether the token is one of the words before the head that belong to its name."""
    if parse.words[token] in ("-", "/"):
        return parse.heads[token] <= head
    path = [token, *parse.ancestors(token)]
    inside = path[: path.index(head)] if head in path else []
    return bool(inside) and all(parse.deps[i] in _CORE for i in inside)
