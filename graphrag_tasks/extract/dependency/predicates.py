"""The predicate of a frame: text, canonical lemma, negation, modality, voice, and whether what it tells is so."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from graphrag_tasks.extract.dependency.subjects import Origin
from graphrag_tasks.extract.dependency.syntax import (
    ADDRESSEES,
    AUXILIARY_DEPS,
    children,
    conjunction_heads,
    descendant,
    first_child,
    has_subject,
    has_to,
    is_enabled,
    is_verbal,
    subtree,
    surface,
)
from graphrag_tasks.extract.words import past_participle, words
from graphrag_tasks.language.tokens import Token

_SEMI_MODALS = frozenset({"have", "need", "ought", "seem", "appear", "tend", "be", "go"})
"""Verbs that express modality before an infinitive."""
_ABILITIES = words("abilities")  # Adjectives that express modality before an infinitive.
_HARDLY = frozenset({"barely", "hardly", "nowhere", "rarely", "scarcely", "seldom"})
_PERFECT_OR_PROGRESSIVE = frozenset({"be", "have"})  # Auxiliaries that no bare infinitive follows.
_COMING_VERBS = frozenset({"come", "get", "happen", "proceed", "tend"})
"""Verbs that only say that the next one began, or may be so: "came to accept"."""
_ABILITY_NOUNS = frozenset(
    {"ability", "authorization", "capability", "chance", "opportunity", "permission", "possibility"}
    | {"power", "right"}
)
_CONDITION_MARKERS = frozenset({"if", "unless", "whether"})


class Predicate(NamedTuple):
    """The predicate of a frame; `Frame` explains the fields."""

    text: str
    lemma: str
    negated: bool
    modality: str | None
    passive: bool


def verb_chain(verb: Token) -> list[Token]:
    """Return a verb with the infinitives or gerunds that form one predicate with it.

    "plans to replace" is one predicate, and so is "is able to replace". In "asks SAP to replace" an object intervenes:
    the second verb is a clause with its own subject.
    """
    chain = [verb]
    for member in chain:
        ability = _ability(member)
        candidates = [*member.children, *(ability.children if ability is not None else ())]
        chain.extend([child for child in candidates if is_chained(child)][:1])
    return chain


def is_chained(token: Token) -> bool:
    """Tell whether the verb belongs to the predicate of its head verb."""
    head = token.head
    if is_enabled(token):
        return True
    is_come_to = token.dep_ == "advcl" and has_to(token) and head.lemma_ in _COMING_VERBS
    if (
        not (token.dep_ == "xcomp" or is_come_to)
        or token.i < head.i
        or not is_verbal(token)
        or has_subject(token)
        or is_instrument(token)
    ):
        return False
    if head.dep_ == "acomp":
        return head.lower_ in _ABILITIES and has_to(token) and is_verbal(head.head)
    objects = children(head, "dobj", "attr", "oprd", "acomp")
    return is_verbal(head) and not any(item.i < token.i for item in objects)


def is_instrument(participle: Token) -> bool:
    """Tell whether a participle acts as a preposition: "modeled using a flow step"."""
    return (
        participle.lower_ == "using"
        and participle.dep_ in ("advcl", "prep", "xcomp")
        and participle.i > participle.head.i
        and is_verbal(participle.head)
        and first_child(participle, "dobj") is not None
    )


def chaining_adjective(verb: Token) -> Token | None:
    """Return the adjective that links a verb to an infinitive, as in "is able to"."""
    ability = _ability(verb)
    return ability if ability is not None and any(map(is_chained, ability.children)) else None


def _ability(verb: Token) -> Token | None:
    adjective = first_child(verb, "acomp")
    return adjective if adjective is not None and adjective.lower_ in _ABILITIES else None


def is_predicate_adverb(adverb: Token) -> bool:
    """Tell whether an adverb stands right before its verb, as part of the predicate."""
    distance = adverb.head.i - adverb.i
    return 0 < distance <= 2 and adverb.tag_ != "WRB" and not list(adverb.children)


def relational_adjective(chain: list[Token]) -> Token | None:
    """Return the adjective that forms a relation with a copula, as in "is compatible with".

    In a relative clause the noun may come first: "the type that it is relevant for".
    """
    verb = chain[-1]
    adjective = first_child(verb, "acomp")
    if adjective is None or first_child(adjective, "conj") is not None:
        return None
    prepositions = [child for child in children(verb, "prep") if child.i > adjective.i]
    prepositions.extend(children(adjective, "prep"))
    stranded = chain[0].dep_ == "relcl"
    related = any(
        first_child(preposition, "pobj") or (stranded and not list(preposition.children))
        for preposition in prepositions
    )
    return adjective if related else None


def build_predicate(chain: list[Token], origin: Origin) -> Predicate:
    """Return the predicate of a verb chain."""
    verb = chain[0]
    shared = _shared_auxiliaries(verb, origin)
    parts = {part.i: part for member in chain for part in _parts(member)}
    parts |= {part.i: part for part in shared}
    adjective = relational_adjective(chain)
    if adjective is not None:
        parts[adjective.i] = adjective
    span = surface(verb.doc, sorted(parts))
    semi_modal = _semi_modal(chain)
    main = chain[1:] if semi_modal else chain
    return Predicate(
        text=" ".join(span.text.split()) if span else verb.text,
        lemma=_lemma(main, adjective),
        negated=any(part.dep_ == "neg" for part in parts.values()) or any(_is_no_longer(member) for member in chain),
        modality=_condition(verb) or _modal(parts) or semi_modal or _attitude(verb) or _ability_to(verb),
        passive=_is_passive(main[0], shared if main[0] is verb else []),
    )


def _parts(verb: Token) -> list[Token]:
    adverbs = [child for child in children(verb, "advmod") if is_predicate_adverb(child)]
    for adverb in filter(_is_no_more, children(verb, "advmod")):
        adverbs += [*adverb.children, adverb]
    parts = [verb, *children(verb, "prt", *AUXILIARY_DEPS), *adverbs]
    adjective = chaining_adjective(verb)
    if adjective is not None:
        parts += [adjective, *children(adjective, "advmod", "neg")]
    return parts


def _shared_auxiliaries(verb: Token, origin: Origin) -> list[Token]:
    """Return the auxiliaries that a conjunct omits: "can be read and [can be] changed"."""
    if verb.dep_ != "conj" or verb.tag_ not in ("VB", "VBN", "VBG") or has_subject(verb):
        return []
    if children(verb, "aux", "auxpass"):
        return []
    if origin is Origin.IMPERATIVE:  # "do not exceed 3 V or drop below 0 V"
        is_denied = any(mark.lower_ == "or" for mark in children(verb.head, "cc"))
        return children(verb.head, "aux", "neg") if is_denied else []
    shareable = AUXILIARY_DEPS if verb.tag_ == "VBN" else AUXILIARY_DEPS - {"auxpass"}
    for head in conjunction_heads(verb):
        if is_verbal(head) and children(head, *AUXILIARY_DEPS):
            return [
                auxiliary
                for auxiliary in children(head, *shareable)
                if verb.tag_ != "VB" or auxiliary.lemma_ not in _PERFECT_OR_PROGRESSIVE
            ]
    return []


def _semi_modal(chain: list[Token]) -> str | None:
    if len(chain) < 2 or not has_to(chain[1]):
        return None
    adjective = chaining_adjective(chain[0])
    if adjective is not None:
        return f"{adjective.lower_} to"
    return f"{chain[0].lemma_} to" if chain[0].lemma_ in _SEMI_MODALS else None


def _attitude(verb: Token) -> str | None:
    """Return the adjective that governs an infinitive with its own frame: "easy to"."""
    if verb.dep_ == "xcomp" and verb.head.dep_ == "acomp" and has_to(verb):
        return f"{verb.head.lower_} to"
    return None


def _ability_to(verb: Token) -> str | None:
    """Return "can" where a noun tells it: "has the ability to export data"."""
    is_able = verb.dep_ == "acl" and has_to(verb) and verb.head.lemma_ in _ABILITY_NOUNS
    return "can" if is_able else None


def _modal(parts: dict[int, Token]) -> str | None:
    modals = [parts[i] for i in sorted(parts) if parts[i].tag_ == "MD"]
    return (modals[0].lemma_ or modals[0].lower_).lower() if modals else None


def _condition(verb: Token) -> str | None:
    for head in conjunction_heads(verb):
        for marker in children(head, "mark"):
            if head.dep_ in ("advcl", "ccomp", "ROOT") and marker.lower_ in _CONDITION_MARKERS:
                return marker.lower_
    return None


def _is_no_longer(verb: Token) -> bool:
    adverbs = children(verb, "advmod")
    return any(_is_no_more(adverb) or adverb.lower_ in _HARDLY for adverb in adverbs)


def _is_no_more(adverb: Token) -> bool:
    return adverb.lower_ in ("longer", "more") and [c.lower_ for c in adverb.children] == ["no"]


def _is_passive(verb: Token, shared: list[Token]) -> bool:
    if children(verb, "auxpass", "nsubjpass", "csubjpass"):
        return True
    if any(word.dep_ == "auxpass" for word in shared):
        return verb.tag_ == "VBN"
    return verb.tag_ == "VBN" and verb.dep_ in ("acl", "advcl") and not children(verb, "aux")


def _lemma(chain: list[Token], adjective: Token | None) -> str:
    parts = [_base(chain[0])]
    for verb in chain[1:]:
        if children(verb, "auxpass"):
            parts.append(f"to be {past_participle(_base(verb))}")
        elif has_to(verb):
            parts.append(f"to {_base(verb)}")
        else:
            parts.append(verb.lower_)
        parts.extend(particle.lower_ for particle in children(verb, "prt"))
    parts[1:1] = [particle.lower_ for particle in children(chain[0], "prt")]
    if adjective is not None:
        parts.append(adjective.lower_)
    return " ".join(parts)


def _base(verb: Token) -> str:
    return (verb.lemma_ or verb.text).lower()


# Multi-word prepositions and light verbs, with their nouns.

_PREPOSITIONAL_ADVERBS = words("prepositional_adverbs")
_LINKING_NOUNS = words("linking_nouns")  # Nouns of three-word prepositions: "in case of", "by means of".
_LINKING_WITH_ARTICLE = frozenset({"basis", "case", "context", "course", "form", "help", "place"})
_LIGHT_VERBS = frozenset({"have", "take", "gain", "get", "give", "make"})  # Verbs that mean little without their noun.


def governed(preposition: Token) -> tuple[Token | None, str]:
    """Return a preposition's noun, and the preposition's words ("out of")."""
    noun = first_child(preposition, "pobj")
    if noun is not None and (linked := _complex(preposition, noun)) is not None:
        return linked
    if noun is None:
        nested = first_child(preposition, "prep", "pcomp")
        noun = descendant(nested, "pobj")
        if nested is None or noun is None or nested.i != preposition.i + 1:
            return None, preposition.lower_
        return noun, f"{preposition.lower_} {nested.lower_}"
    parts = [preposition, *(c for c in preposition.children if _is_part_of(preposition, c))]
    return noun, " ".join(word.lower_ for word in sorted(parts, key=lambda word: word.i))


def _complex(preposition: Token, noun: Token) -> tuple[Token, str] | None:
    """Return the noun and words of a three-word preposition, as in "in case of"."""
    if noun.lower_ not in _LINKING_NOUNS:
        return None
    if first_child(noun, "det") and noun.lower_ not in _LINKING_WITH_ARTICLE:
        return None
    if preposition.lower_ == "as" and noun.lower_ not in ("part", "result"):
        return None
    last, item = first_child(noun, "prep"), descendant(noun, "prep", "pobj")
    if last is None or item is None or last.lower_ not in ("of", "with", "to"):
        return None
    if preposition.i + 3 < last.i or noun.i + 1 != last.i:
        return None
    return item, f"{preposition.lower_} {noun.lower_} {last.lower_}"


def is_linking(noun: Token) -> bool:
    """Tell whether a noun is part of a preposition: "with respect to the length"."""
    return noun.dep_ == "pobj" and _complex(noun.head, noun) is not None


def by_doing(preposition: Token) -> tuple[Token, Token] | None:
    """Return the gerund and its object that tell how the reader acts: "by clicking the link".

    None if the verb has a subject in the text: then the gerund has its own frame.
    """
    gerund, item = first_child(preposition, "pcomp"), descendant(preposition, "pcomp", "dobj")
    if preposition.lower_ not in ("by", "via", "through") or gerund is None or item is None:
        return None
    subject = first_child(preposition.head, "nsubj")
    if subject is not None and subject.lower_ not in ADDRESSEES:
        return None
    return gerund, item


def light_noun(noun: Token) -> tuple[Token, str] | None:
    """Return the object and words of a light verb's noun: "have access to", "be part of".

    Such a noun has neither article nor adjective.
    """
    verb = noun.head
    is_light = verb.lemma_ in _LIGHT_VERBS or (verb.lemma_ == "be" and noun.lower_ == "part")
    if noun.i < verb.i or not is_light or noun.tag_ != "NN":
        return None
    preposition, item = first_child(noun, "prep"), descendant(noun, "prep", "pobj")
    if preposition is None or item is None or preposition.i != noun.i + 1:
        return None
    if children(noun, "det", "amod", "poss", "nummod", "compound", "conj"):
        return None
    return item, f"{noun.lower_} {preposition.lower_}"


def _is_part_of(preposition: Token, child: Token) -> bool:
    """Tell whether a child forms one word with its preposition: "instead of", "because of"."""
    if child.dep_ == "advmod":
        return child.i + 1 == preposition.i and child.lower_ in _PREPOSITIONAL_ADVERBS
    return child.dep_ in ("pcomp", "prep") and child.i == preposition.i + 1 and child.n_rights == 0


# Whether a verb tells what is so, what is not so, or what is left open, by the words above it.

LONGEST_CONDITION = 14  # Most words of a condition that is told beside a fact; of longer ones only that there is one.
_SOME_CASES = "in some cases"
_CONDITIONS = frozenset({"if", "unless", "provided", "assuming"})
_SURE = frozenset({"careful", "certain", "sure"})
_IN_PLACE = frozenset({"instead", "rather", "lieu"})
_DENYING_ADJECTIVES = words("denying_adjectives")
_DOUBTING_ADJECTIVES = words("doubting_adjectives")
_PREVENTING_VERBS = words("preventing_verbs")
_KEEPING_VERBS = words("keeping_verbs")
"""Verbs that prevent with "from" alone: "keeps the host from sending", but "keeps sending"."""
_BELIEVING_VERBS = words("believing_verbs")
_SUPPOSING_VERBS = words("supposing_verbs")


class Standing(Enum):
    """What a sentence says of what a verb tells."""

    TOLD = "told"
    DENIED = "denied"
    OPEN = "open"
    BELIEVED = "believed"


def standing_of(verb: Token) -> Standing:
    """Return what the words above a verb say of it; TOLD where they say nothing."""
    clause = _head_of_clause(verb)
    if _is_in_place(clause):
        return Standing.DENIED
    above = clause.head
    if clause.dep_ == "pcomp":
        if above.lower_ == "without":
            return Standing.DENIED
        is_kept_from = above.head.lemma_ in _PREVENTING_VERBS | _KEEPING_VERBS
        return Standing.OPEN if above.lower_ == "from" and is_kept_from else Standing.TOLD
    if clause.dep_ == "advcl" and has_to(clause) and first_child(above, "neg"):
        return Standing.OPEN
    if clause.dep_ in ("ccomp", "csubj"):
        if _is_called(above, _DENYING_ADJECTIVES):
            return Standing.DENIED
        is_wanted = above.lemma_ in _SUPPOSING_VERBS or _is_made_sure(above)
        if is_wanted or _is_called(above, _DOUBTING_ADJECTIVES):
            return Standing.OPEN
        return Standing.BELIEVED if above.lemma_ in _BELIEVING_VERBS else Standing.TOLD
    if clause.dep_ == "xcomp" and clause.tag_ == "VBG" and above.lemma_ in _PREVENTING_VERBS:
        return Standing.OPEN
    return Standing.TOLD


def condition_of(verb: Token) -> str:
    """Return the clause under which a verb's clause holds: "unless the cache is full", or "".

    A clause before the first of coordinated verbs holds for all of them.
    """
    for head in conjunction_heads(verb):
        for clause in children(head, "advcl"):
            is_condition = any(mark.lower_ in _CONDITIONS for mark in children(clause, "mark", "advmod"))
            if is_condition and (head is verb or clause.i < head.i):
                words = subtree(clause)
                span = surface(verb.doc, words) if len(words) <= LONGEST_CONDITION else None
                return span.text if span else _SOME_CASES
    return ""


def _head_of_clause(verb: Token) -> Token:
    """Return the first of the coordinated verbs of a clause: "without reading or writing"."""
    while verb.dep_ == "conj" and is_verbal(verb.head) and not _is_in_place(verb):
        verb = verb.head
    return verb


def _is_in_place(verb: Token) -> bool:
    """Return whether another verb stands in place of this one: "X rather than Y"."""
    start = verb.left_edge.i
    marks = [*children(verb, "mark", "cc"), *children(verb.head, "cc", "mark"), verb.head]
    return any(
        mark.lower_ in ("than", "of") and mark.i > 0 and start <= mark.i + 1 <= verb.i
        and verb.doc[mark.i - 1].lower_ in _IN_PLACE
        for mark in marks
    )  # fmt: skip


def _is_made_sure(above: Token) -> bool:
    """Tell whether somebody is to see that it is so: "make sure that", but "it is certain that"."""
    verb = above.head if above.pos_ == "ADJ" else above
    subject = first_child(verb, "nsubj")
    return _is_called(above, _SURE) and (subject is None or subject.lower_ != "it")


def _is_called(above: Token, adjectives: frozenset[str]) -> bool:
    if above.pos_ == "ADJ":
        return above.lower_ in adjectives
    return any(child.lower_ in adjectives for child in children(above, "acomp", "attr"))
