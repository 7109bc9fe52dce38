"""Frames: n-ary predicate records of a sentence, and the protocol of extractors.

Offsets are characters of the sentence, from 0, with `end` exclusive. A frame keeps all arguments of its predicate
together: splitting it into variants costs precision. Binary triples are derived from frames
(`graphrag_tasks.extract.triples`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

PRONOUN = "PRON"  # Entity type of an argument whose head is a pronoun: to be resolved or dropped.

ParseListener = Callable[[str, Iterable[Any]], None]
"""Called with a sentence and its spaCy tokens, so that each sentence is parsed only once."""


class Role(StrEnum):
    """Role of an argument. Clauses, adverbials and times are not graph nodes."""

    SUBJECT = "subject"  # the patient, if the frame is passive
    OBJECT = "object"
    INDIRECT_OBJECT = "indirect_object"  # the recipient, without a preposition
    COMPLEMENT = "complement"  # a noun or adjective ascribed to the subject or object
    OBLIQUE = "oblique"  # a noun phrase with a preposition
    AGENT = "agent"  # the noun phrase after "by" in a passive frame
    CLAUSE = "clause"  # what is said, thought, wanted or asked
    ADVERBIAL = "adverbial"
    TIME = "time"  # a noun phrase without preposition that says when or how long


class Rule(StrEnum):
    """The rule that found a frame: its construction, or the origin of its subject.

    The rules from `SVO` to `ADVERBIAL` are of verbs with their own subject.
    """

    SVO = "svo"
    PASSIVE = "passive"
    COPULA = "copula"  # a form of "be" with a noun or adjective
    VERB_PREP = "verb_prep"  # prepositional arguments only
    CLAUSAL = "clausal"  # its only argument is a clause: "X says that"
    ADVERBIAL = "adverbial"  # adverbs or times only
    INHERITED = "inherited"  # the subject is that of another verb
    RELATIVE = "relative"  # a relative clause, whose noun is one of the arguments
    ACL = "acl"  # a participle or infinitive after the noun that is its subject
    EXISTENTIAL = "existential"  # "there is X in Y"
    IMPERATIVE = "imperative"  # a command, without a subject
    APPOSITION = "apposition"  # the second noun phrase says what the first one is
    QUALIFIER = "qualifier"  # nouns tied by a preposition: "authentication for requests"
    EXAMPLE = "example"  # "X such as A and B", "X including A"


class Span(NamedTuple):
    """A text and its character span in the sentence.

    A name that the sentence omits has an empty span: `start == end`.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a frame: its text, its syntactic head, and its core.

    The text leaves out relative clauses, appositions and conjuncts. If that makes a gap, `text` joins the pieces by a
    space, and `start` and `end` cover them all. The contiguous core is the graph node: the head with compounds,
    adjectives, numbers and a short "of" phrase. It is empty if the argument is not a noun or adjective phrase.
    """

    role: str  # a value of `Role`
    text: str  # without the preposition
    start: int
    end: int
    preposition: str | None = None  # of an oblique or agent, lower case
    entity_type: str | None = None  # spaCy's entity label of the head, or `PRONOUN`
    head_start: int
    head_end: int
    core_text: str
    core_start: int
    core_end: int
    slot: int = 0  # conjuncts of one coordination ("to VBAK and VBAP") share role and slot
    behind: str = ""  # words of a common noun's phrase behind its core: "that stores orders"
    is_restricted: bool = False  # whether a clause among them says which things are meant
    is_alternative: bool = False  # whether "or" or "one of" leaves open which one is meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A predicate with all its arguments.

    The predicate has its auxiliaries, negation and particles; without a verb it is "is", "has" or "include". The lemma
    has no tense, negation and adverbs: "set up", "be compatible", "plan to replace". A passive has the lemma of its
    active form.
    """

    predicate: str
    predicate_lemma: str
    start: int  # of the predicate's head word
    end: int
    arguments: tuple[Argument, ...]  # subjects first, then in the order of the sentence
    negated: bool = False  # "not", "never", "no longer", "no tables"
    modality: str | None = None  # modal verb ("must", "need to") or condition ("if"), lower case
    passive: bool = False  # whether the subject is the patient
    condition: str = ""  # the clause under which it holds: "if the cache is full"
    is_believed: bool = False  # whether it is only what somebody believes or claims
    rule: str  # a value of `Rule`
    extractor: str
    confidence: float  # probability that it is right

    def having(self, *roles: Role) -> list[Argument]:
        """Return the arguments with one of these roles, in order."""
        return [argument for argument in self.arguments if argument.role in roles]


class Extractor(Protocol):
    """Turns sentences into frames, by rules or by a language model.

    The frames of a sentence depend only on its text and on the fingerprint, so they can be cached by content.
    """

    @property
    def name(self) -> str:
        """Short name, the value of `extractor` in its frames."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides the output apart from the text: rules and model version."""

    @property
    def oversized_sentences(self) -> int:
        """Number of sentences that were too long, and got no frames."""

    def extract(self, sentences: Sequence[str]) -> Iterator[list[Frame]]:
        """Yield a list of frames for each sentence, in order; it may be empty."""
