"""Frames: what a sentence says, one n-ary record for each predicate.

All offsets are characters of the sentence, counted from 0, with `end` one past the last one.
A frame keeps all arguments of its predicate together, for splitting it into shorter variants
of the same statement costs precision; the binary triples of the graph are derived from it
(`graphrag_tasks.extract.triples`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PRONOUN = "PRON"
"""Entity type of an argument whose head is a pronoun: to be resolved or dropped, not a name."""


class Role(StrEnum):
    """What an argument is to its predicate: a closed set."""

    SUBJECT = "subject"
    """Who or what the predicate is said of; the patient when the frame is passive."""
    OBJECT = "object"
    """The direct object: what the predicate acts on."""
    INDIRECT_OBJECT = "indirect_object"
    """The recipient, when it comes without a preposition."""
    COMPLEMENT = "complement"
    """A noun or adjective that the predicate ascribes to the subject, or to the object."""
    OBLIQUE = "oblique"
    """A noun phrase that a preposition ties to the predicate."""
    AGENT = "agent"
    """The doer in a passive frame: the noun phrase after "by"."""
    CLAUSE = "clause"
    """A clause that is said, thought, wanted or asked; not a node of the graph."""
    ADVERBIAL = "adverbial"
    """An adverb, or a phrase that says how; not a node of the graph."""
    TIME = "time"
    """A noun phrase without preposition that says when or how long; not a node of the graph."""


class Rule(StrEnum):
    """The rule that found a frame: the construction, or else where its subject came from."""

    SVO = "svo"
    """A verb with a subject of its own and an object."""
    PASSIVE = "passive"
    """A passive verb with a subject of its own."""
    COPULA = "copula"
    """Subject, form of "be", and a noun or adjective."""
    VERB_PREP = "verb_prep"
    """A verb with a subject of its own and prepositional arguments only."""
    CLAUSAL = "clausal"
    """A verb with a subject of its own whose only argument is a clause, as in "X says that"."""
    ADVERBIAL = "adverbial"
    """A verb with a subject of its own that has nothing but adverbs or times beside it."""
    INHERITED = "inherited"
    """The subject is that of another verb: conjunct, infinitive, participle, adverbial clause."""
    RELATIVE = "relative"
    """A relative clause; the noun it belongs to is one of the arguments."""
    ACL = "acl"
    """A participle or infinitive after a noun, which is its subject."""
    EXISTENTIAL = "existential"
    """ "There is X in Y": the subject slot is filled by "there"."""
    IMPERATIVE = "imperative"
    """A command: the reader is the subject, which is left out."""
    APPOSITION = "apposition"
    """Two noun phrases side by side, the second of which says what the first one is."""
    POSSESSIVE = "possessive"
    """A noun in the possessive form, and what it has."""
    QUALIFIER = "qualifier"
    """A noun phrase and the one that a preposition ties to it: "authentication for requests"."""
    EXAMPLE = "example"
    """A noun phrase and what it includes: "X such as A and B", "X including A"."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a frame.

    The argument's surface need not be contiguous, since relative clauses, appositions and
    conjuncts are left out: then `text` joins its pieces by a space, and `start` and `end` cover
    them all. Where it is contiguous, `sentence[start:end] == text`. The core always is.

    Attributes:
        role: A value of `Role`.
        text: The full surface, without the preposition.
        start: First character of the surface.
        end: One past its last character.
        preposition: The preposition of an oblique or agent, lower case; None otherwise.
        entity_type: spaCy's entity label of the head, or `PRONOUN`; None where it has neither.
        head_start: First character of the syntactic head.
        head_end: One past its last character.
        core_text: The noun-phrase core, for use as a graph node: head with compounds,
            adjectives, numbers and a short "of" phrase, without determiners, relative clauses,
            appositions, other prepositional phrases and conjuncts. Empty when the argument is
            not a noun or adjective phrase and so cannot be a node.
        core_start: First character of the core.
        core_end: One past its last character.
        slot: Number of the syntactic slot in the frame: the conjuncts of one coordination
            ("to VBAK and VBAP") are arguments of their own that share role and slot.
    """

    role: str
    text: str
    start: int
    end: int
    preposition: str | None
    entity_type: str | None
    head_start: int
    head_end: int
    core_text: str
    core_start: int
    core_end: int
    slot: int = 0

    def in_slot(self, slot: int) -> Argument:
        """Return the argument in another slot, as `dataclasses.replace` does but quicker."""
        return Argument(
            self.role, self.text, self.start, self.end, self.preposition, self.entity_type,
            self.head_start, self.head_end, self.core_text, self.core_start, self.core_end, slot,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """One predicate with all its arguments.

    Attributes:
        predicate: The surface with auxiliaries, negation and particles, its words joined by a
            space; "is" for appositions, "has" for possessives and "include" for examples, where
            no verb stands for it.
        predicate_lemma: Canonical form without tense, negation and adverbs: the verb's lemma
            and particle ("set up"), "be" for the copula, "be compatible" for an adjective with
            a preposition of its own, "plan to replace" for a chain of verbs. A passive has the
            lemma of its active form.
        start: First character of the predicate's head word.
        end: One past its last character.
        arguments: Subjects first, then the others in the order of the sentence.
        negated: Whether the sentence denies it ("not", "never", "no longer", "no tables").
        modality: What keeps it from being stated as fact, lower case: a modal verb ("must",
            "can", "need to") or the marker of a condition ("if", "unless"); None for a fact.
        passive: Whether the subject is the patient.
        rule: A value of `Rule`.
        extractor: Name of the extractor that produced it.
        confidence: Probability that it is right (`extract.confidence` for the rule extractor).
    """

    predicate: str
    predicate_lemma: str
    start: int
    end: int
    arguments: tuple[Argument, ...]
    negated: bool
    modality: str | None
    passive: bool
    rule: str
    extractor: str
    confidence: float

    def having(self, *roles: Role) -> list[Argument]:
        """Return the arguments of any of these roles, in order."""
        return [argument for argument in self.arguments if argument.role in roles]
