"""Entity types: from the names themselves, else from the header above the key column of a table.

A header's noun is a kind where it is a term of the corpus, or the head of at least `_LEAST_OF_KIND` names: "image
window", "main window", "About window". Nouns that tell nothing ("previous case") are excluded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import pyarrow as pa

from graphrag_tasks.core.schemas import DOUBTED, KIND, LABEL, SHAPE, USER, WORDS
from graphrag_tasks.entities.normalize.problems import LITERAL_TYPES
from graphrag_tasks.entities.words import words
from graphrag_tasks.language.dictionary import TITLES, first_name_gender
from graphrag_tasks.language.domain import Domain, type_label
from graphrag_tasks.language.names import singular_noun
from graphrag_tasks.storage.sql import Connection, statements

_CODE = r"(?=\S*[A-Z0-9_/])(?:/\w+/)?[A-Za-z]\w*(?:[-~]\w+)?"
_CODE_SHAPE = re.compile(r"(?:/\w+/)?[A-Z][A-Z0-9_]*[A-Z0-9]|[a-z]\w*_\w+|[A-Z][A-Z0-9]*-[0-9]+")
_MARKED = re.compile(r"[0-9_]")
_CODED = re.compile(r" .*[A-Z0-9_/]|[A-Z0-9_/].* ")
_ADJECTIVES = "custom|customer|new|obsolete|old|standard"  # Adjectives that may stand before a kind in any domain.

TECHNICAL: Final = (USER, SHAPE, KIND, WORDS)
"""Type sources that outvote any number of labels; the user's list outvotes the others."""

_SHAPED = re.compile(r"[\d_/.:>+-]|[a-z][A-Z]")  # What every shape contains; names without it skip the patterns.
_SHORT_PLACES: Final = frozenset({"EU", "NYC", "UAE", "UK", "US", "USA", "USSR"})
_OFTEN_WRONG: Final = frozenset({"PERSON", "GPE"})


class NameTypes:
    """Finds the entity types of names; the domain's kinds and shapes come first."""

    def __init__(self, domain: Domain, is_known: Callable[[str], bool]) -> None:
        self._domain = domain
        self._is_known = is_known
        kind = rf"({domain.any_typed_kind})"
        before = rf"(?:(?:{_ADJECTIVES}|{domain.any_qualifier}) )*"
        self._kind_code = re.compile(rf"(?i:{before}{kind}) ({_CODE})")
        self._code_kind = re.compile(rf"({_CODE}) (?i:{kind})")

    def of(self, name: str, label: str, *, is_sure: bool = False) -> tuple[str, str] | None:
        """Return the entity type of a name without noise, and its source; or None.

        `label` is the parser's, empty for none, or that of a language model, which is sure.
        """
        if type_ := self._domain.type_by_name(name.casefold()):
            return type_, USER
        is_plain = name.islower() and name.replace(" ", "").isalpha()  # most are, and tell none
        if not is_plain or self._domain.has_simple_shapes:
            is_shaped = self._domain.has_simple_shapes or _SHAPED.search(name)
            if is_shaped and (type_ := self._domain.type_by_shape(name)):
                return type_, SHAPE
            if type_ := self._by_kind(name):
                return type_, KIND
            if type_ := type_by_words(name, label, self._is_known):
                return type_, WORDS
        if not label or not _is_credible(name, label, self._is_known):
            return None
        return label, LABEL if is_sure or _is_borne_out(name, label) else DOUBTED

    def _by_kind(self, name: str) -> str | None:
        """Return the kind that a name contains: "table VBBE", "MD04 transaction"."""
        if not _CODED.search(name) or name.isupper():  # a statement: "READ TABLE"
            return None
        if match := self._kind_code.fullmatch(name):
            kind, code = match.groups()
            return self._domain.typed_kinds[kind.lower()] if _CODE_SHAPE.fullmatch(code) else None
        if match := self._code_kind.fullmatch(name):
            code, kind = match.groups()
            return self._domain.typed_kinds[kind.lower()] if _MARKED.search(code) else None
        return None


_PLACES, _ORGANISATIONS = map(words, ("heads_of_places", "heads_of_organisations"))
_SMALL = words("small_words_of_names")
_PART_OF_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*(?:['’.-][^\W\d_]*)*")
_MOST_WORDS_OF_PERSON = 4
_PERSON = "PERSON"
_PLACE = "GPE"


def type_by_words(name: str, label: str, is_known: Callable[[str], bool]) -> str | None:
    """Return the label PERSON, GPE or ORG where a capitalised name's words show it, or None.

    A person of several words has a title or a common first name, and a label, an initial, another first name, or a last
    name that is no word; a country is listed in CLDR; places and organisations end in a word like "Road" or "Ltd". Of
    2,975 names that readers typed, on which this was chosen, 132 were told so and 131 rightly.
    """
    every = name.split(" ")
    folded = [re.sub(r"\W", "", word).casefold() for word in every]
    if not name[:1].isupper() or not all(word in _SMALL or not word[0].islower() for word in every):
        return None
    if name.casefold() in territories():
        return _PLACE
    if len(every) == 1:
        return None
    lettered = [word for word in folded if not word.isdigit()]
    if lettered and lettered[-1] in _PLACES and not _PREPOSITIONS.intersection(every):
        return _PLACE
    if folded[-1] in _ORGANISATIONS:
        return "ORG"
    return _PERSON if _is_person(every, folded, label, is_known) else None


def _is_person(every: Sequence[str], folded: Sequence[str], label: str, is_known: Callable[[str], bool]) -> bool:
    if len(every) > _MOST_WORDS_OF_PERSON or every[-1].isupper() or not all(map(_PART_OF_NAME.fullmatch, every)):
        return False
    if folded[0] in TITLES and folded[0] not in _NO_TITLES:
        return label == _PERSON or not is_known(folded[-1])
    if not first_name_gender(folded[0]) or label not in ("", _PERSON):
        return False
    has_initial = any(len(word) == 1 for word in folded[1:-1])
    return label == _PERSON or has_initial or first_name_gender(folded[-1]) != 0 or not is_known(folded[-1])


def _is_borne_out(name: str, label: str) -> bool:
    """Tell whether a name bears its label out: of one word, a person's is a first name; a place's is no "-ing".

    Of the same 2,975 names, 17 of 19 such people were people, and 33 of 36 such places places.
    """
    if label == _PERSON:
        return " " not in name and first_name_gender(name.casefold()) != 0
    return label == _PLACE and not name.endswith("ing") and all(map(_PART_OF_NAME.fullmatch, name.split(" ")))


_NO_TITLES = frozenset({"st", "saint", "general", "chief", "major"})  # They begin names of places and licences, too.


@cache
def territories() -> frozenset[str]:
    """Return the names of countries and continents in small letters, as CLDR has them."""
    from babel import Locale  # of the extra `index`; readers of a store do without

    return frozenset(name.casefold() for name in Locale("en").territories.values())


def _is_credible(name: str, label: str, is_known: Callable[[str], bool]) -> bool:
    """Return whether a model label is plausible for a name.

    Proper names begin with a capital, and literals are no entities; abbreviations are no people and hardly places;
    people have a person's name.
    """
    if label in LITERAL_TYPES or name.split(" ")[0].islower():
        return False
    if label not in _OFTEN_WRONG:
        return True
    words = re.findall(r"[^\W\d_]+", name)
    if " " not in name and name[1:] != name[1:].lower():
        return name in _SHORT_PLACES
    return label != "PERSON" or any(first_name_gender(word) or not is_known(word) for word in map(str.casefold, words))


_LEAST_OF_KIND = 3  # Fewest names with a head noun for it to be a kind: with two, one in ten more types is wrong.
_LEAST_OF_COLUMN = 3  # Fewest keys in a column for its header to be their type.

_SQL = statements(__package__, "kinds.sql")

_NO_KINDS = words("nouns_of_parts")
_PREPOSITIONS = words("prepositions")
_BREAKS = words("breaks_of_names")
_ENDS_OF_HEADERS = words("ends_of_headers")
_NOUN = re.compile(r"[A-Za-z]?[a-z]{2,}")
_HEADERS = pa.schema([pa.field(name, pa.string()) for name in ("header", "kind", "noun")])


def kind_of_header(header: str) -> tuple[str, str] | None:
    """Return the type and head noun that a header gives its cells: "Account Name": account."""
    every = header.split(" ")
    while every and every[-1].lower() in _ENDS_OF_HEADERS:
        every = every[:-1]
    if not every or not _NOUN.fullmatch(every[-1]):
        return None
    if any(word in _PREPOSITIONS or word.lower() in _BREAKS or not word[-1:].isalnum() for word in every):
        return None
    noun = singular_noun(every[-1].lower())
    return type_label(" ".join([*every[:-1], noun])), noun


def add_kinds(connection: Connection, terms: Sequence[str]) -> None:
    """Create the table `kinds_of`: `kind` by the `key` of a name."""
    nouns = set(map(singular_noun, terms))
    rows = [
        dict(zip(_HEADERS.names, (header, *found), strict=True))
        for (header,) in connection.sql(_SQL["headers"]).fetchall()
        if (found := kind_of_header(header)) and (found[1] in nouns or found[1] not in _NO_KINDS)
    ]
    connection.register("kinds_of_headers", pa.Table.from_pylist(rows, schema=_HEADERS))
    connection.register("term_nouns", pa.table({"noun": pa.array(sorted(nouns), pa.string())}))
    connection.execute(_SQL["kinds_of"], {"least_of_kind": _LEAST_OF_KIND, "least_of_column": _LEAST_OF_COLUMN})
