"""Noun phrases: their text as an argument, and their core as a graph node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from graphrag_tasks.extract.dependency.syntax import (
    COORDINATION_DEPS,
    PLURAL_TAGS,
    RELATIVE_TAGS,
    children,
    conjuncts,
    descendant,
    first_child,
    is_close_apposition,
    is_reference,
    is_within_name,
    subtree,
    surface,
    token_end,
    without_stray_brackets,
)
from graphrag_tasks.extract.frames import PRONOUN, Argument, Frame, Role, Rule, Span
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Doc, Token

EXTRACTOR_NAME = "dependency"
LONGEST_BEHIND = 12  # Most words behind a core that are told beside it; longer ones are mostly wrong parses. Chosen.
MAX_OF_PHRASE = 4  # Longest "of" phrase, in tokens, that stays in a core ("list of credit data").

_CLAUSE_DEPS = frozenset({"relcl", "acl"})
_RESTRICTING_DEPS = _CLAUSE_DEPS | {"prep", "amod"}
_CHOOSING = frozenset({"one", "any", "either"})
_QUOTES = frozenset({'"', "“", "”", "``", "''"})
_OR, _MOST_CHOICES = frozenset({"or", "and/or"}), 3
_PARTLY = frozenset({"certain", "few", "half", "many", "most", "several", "some"})
"""Quantities without which a fact would be told of all things."""
_TRIMMED_DEPS = frozenset({"relcl", "appos", "parataxis"})
_CORE_LEFT_DEPS = frozenset({"compound", "amod", "nummod", "nmod", "quantmod", "poss", "punct", "npadvmod"})
_DETERMINER_TAGS = frozenset({"DT", "PDT", "PRP$", "WP$", "WDT", "CC"})
_NOUN_DEPS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr"})
"""Noun positions: a bare verb there is a name ("choose Save"), a gerund a noun ("for sizing")."""
QUANTIFIERS = words("quantifiers")  # Words that only count the noun of their "of" phrase.
_POINTING = frozenset({"above", "following", "respective", "same", "such"})
"""Adjectives that point to a place in the text, like determiners."""
_CORE_BREAKS = frozenset({"(", ")", "[", "]", "{", "}", "-LRB-", "-RRB-", ",", ";", ":"})
_NODE_POS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X", "SYM"})


def phrase(head: Token, *, without: Collection[Token] = ()) -> list[int]:
    """Return the token indices of a head's noun phrase, without its conjuncts.

    Relative clauses and appositions are left out (each has its own frame), with their punctuation.
    """
    coordinated = (head, *_announced(head))

    def outside(token: Token) -> bool:
        return (
            token in without
            or (token.dep_ in COORDINATION_DEPS and token.head in coordinated)
            or (token.head == head and token.dep_ == "neg" and token.i > head.i)
            or (token.dep_ in _TRIMMED_DEPS and not is_close_apposition(token))
        )

    doc = head.doc
    indices = subtree(head, outside=outside)
    if children(head, *COORDINATION_DEPS):
        indices = [i for i in indices if i <= head.i or doc[i].head != head or not doc[i].is_punct]
    return without_stray_brackets(doc, indices)


def core(head: Token, *, without: Collection[Token] = ()) -> Span:
    """Return the core of a noun phrase without some tokens: see `Argument`.

    It is empty for verbs, adverbs and the like, and for adjectives that need a complement ("able to read").
    """
    doc = head.doc
    head = _counted(head)
    if not _is_node(head):
        return Span("", head.idx, head.idx)
    first, last = _core_start(head, without), _core_end(head, without)
    while first < head.i and _droppable_in_core(doc[first]):
        first += 1
    first, last = _whole_words(doc, first, last)
    start, end = doc[first].idx, token_end(doc[last])
    return Span(doc.text[start:end], start, end)


def _whole_words(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Return a span with the parts of its words beside a hyphen, and the mark that ends a quote."""
    while first > 1 and doc[first - 1].text == "-" and _touch(doc, first - 2, first):
        first -= 2
    while last + 2 < len(doc) and doc[last + 1].text == "-" and _touch(doc, last, last + 2):
        last += 2
    opens = sum(doc[i].text in _QUOTES for i in range(first, last + 1))
    if opens == 1 and last + 1 < len(doc) and doc[last + 1].text in _QUOTES:
        last += 1
    return first, last


def _touch(doc: Doc, first: int, last: int) -> bool:
    """Tell whether no space parts the tokens of a span."""
    length = sum(len(doc[i].text) for i in range(first, last + 1))
    return token_end(doc[last]) - doc[first].idx == length


def _behind(head: Token, node: Span, without: Collection[Token]) -> tuple[str, bool]:
    """Return the words of a noun phrase behind its core, and whether a clause is among them.

    "Patients who take insulin", "users with admin rights": without them a fact would be told of all patients. What
    follows a comma or a bracket only adds something, and names need no restriction.
    """
    counted, head = head, _counted(head)
    if head.pos_ != "NOUN":
        return "", False
    quantities = [counted, *children(head, "amod", "det", "nummod")]
    quantity = next((f"({one.lower_})" for one in quantities if one.lower_ in _PARTLY and one.idx < node.start), "")
    doc, last, has_clause = head.doc, head.i, False
    while token_end(doc[last]) < node.end:
        last += 1
    end = last
    for child in head.rights:
        if child.right_edge.i <= last:
            continue
        first = max(child.left_edge.i, last + 1)
        is_joined = first == end + 1 and doc[first].dep_ != "cc" and not doc[first].is_punct
        if not is_joined or child in without:
            break
        if child.dep_ not in _RESTRICTING_DEPS:
            break
        end = child.right_edge.i
        has_clause = has_clause or child.dep_ in _CLAUSE_DEPS
    span = surface(doc, range(last + 1, end + 1)) if end - last <= LONGEST_BEHIND else None
    return " ".join(filter(None, [quantity, span.text if span else ""])), has_clause


def noun_arguments(
    role: Role,
    head: Token,
    *,
    slot: int = 0,
    preposition: str | None = None,
    split: bool = True,
    without: Collection[Token] = (),
) -> list[Argument]:
    """Return one argument for a noun phrase, or one for each of its conjuncts.

    Names announced by a plural noun are conjuncts too: "the tables MKPF and MSEG". Without `split`, conjuncts are left
    out; so are subtrees of the tokens `without`.
    """
    arguments = []
    things = list(_things(head)) if split else [head]
    is_alternative = _is_choice(things)
    for conjunct in things:
        span = surface(head.doc, phrase(conjunct, without=without))
        if span is not None:
            node = core(conjunct, without=without)
            behind, is_restricted = _behind(conjunct, node, without)
            made = _argument(role, conjunct, span, node, preposition, slot)
            arguments.append(replace(made, behind=behind, is_restricted=is_restricted, is_alternative=is_alternative))
    return arguments


def is_restricting(clause: Token) -> bool:
    """Tell whether a clause says which things of its common noun are meant."""
    if clause.dep_ not in _CLAUSE_DEPS or clause.head.pos_ != "NOUN":
        return False
    first = clause.left_edge
    return first.i > clause.head.i and not (first.is_punct or clause.doc[first.i - 1].is_punct)


def _is_choice(things: Sequence[Token]) -> bool:
    """Tell whether a sentence leaves open which of some things it means: "one of", "A or B".

    "A, or B" gives another name, and a longer list means each: "against all losses, costs or ...".
    """
    if things[0].lower_ in _CHOOSING and _counted(things[0]) is not things[0]:
        return True
    marks = [mark for one in things for mark in children(one, "cc") if mark.lower_ in _OR]
    if not marks or len(things) > _MOST_CHOICES:
        return False
    is_other_name = len(things) == 2 and marks[0].doc[marks[0].i - 1].text in (",", "(")
    return not is_other_name


def _things(head: Token) -> Iterator[Token]:
    for conjunct in conjuncts(head):
        yield conjunct
        for name in _announced(conjunct):
            yield from conjuncts(name)[1:]


def _announced(head: Token) -> list[Token]:
    if head.tag_ not in PLURAL_TAGS:
        return []
    return [name for name in children(head, "appos") if is_close_apposition(name)]


def clause_argument(role: Role, head: Token) -> list[Argument]:
    """Return the argument that spans a verb's or adverb's subtree; its core is empty."""
    span = surface(head.doc, subtree(head))
    nothing = Span("", head.idx, head.idx)
    return [] if span is None else [_argument(role, head, span, nothing, None, 0)]


def noun_frame(
    rule: Rule,
    predicate: str,
    lemma: str,
    anchor: Token,
    arguments: tuple[Argument, ...],
    *,
    negated: bool = False,
    passive: bool = False,
    confidence: float = 0.0,
) -> Frame:
    """Return a frame without a verb, anchored at the relating word."""
    return Frame(
        predicate=predicate, predicate_lemma=lemma, start=anchor.idx, end=token_end(anchor),
        arguments=arguments, negated=negated, passive=passive, rule=rule.value,
        extractor=EXTRACTOR_NAME, confidence=confidence,
    )  # fmt: skip


def is_denied(head: Token) -> bool:
    """Tell whether a determiner negates a noun phrase ("no tables", "neither field")."""
    return any(child.lower_ in ("no", "neither") for child in children(head, "det", "preconj"))


def _argument(role: Role, head: Token, span: Span, node: Span, preposition: str | None, slot: int) -> Argument:
    entity_type = PRONOUN if head.pos_ == "PRON" else head.ent_type_ or None
    return Argument(
        role=role.value, text=span.text, start=span.start, end=span.end,
        preposition=preposition, entity_type=entity_type, slot=slot,
        head_start=head.idx, head_end=token_end(head),
        core_text=node.text, core_start=node.start, core_end=node.end,
    )  # fmt: skip


def _is_node(head: Token) -> bool:
    if not any(map(str.isalnum, head.text)) or is_reference(head):
        return False
    if head.pos_ == "ADJ":
        return first_child(head, "xcomp", "ccomp", "prep") is None
    if head.tag_ == "VBG" and head.dep_ in _NOUN_DEPS:
        return first_child(head, "dobj", "prep") is None
    named_verb = head.tag_ in ("VB", "VBP") and head.dep_ in _NOUN_DEPS
    return head.pos_ in _NODE_POS or named_verb


def _counted(head: Token) -> Token:
    if head.lower_ not in QUANTIFIERS and not _is_number(head):
        return head
    preposition = next((token for token in children(head, "prep") if token.lower_ == "of"), None)
    noun = descendant(preposition, "pobj")
    return head if noun is None or noun.tag_ in RELATIVE_TAGS else noun


def _is_number(head: Token) -> bool:
    """Tell whether a noun only counts: "a number of components", but not "the number of times"."""
    article = first_child(head, "det") if head.lower_ == "number" else None
    return article is not None and article.lower_ == "a"


def _core_start(head: Token, without: Collection[Token]) -> int:
    start = head.i
    for child in reversed(list(head.lefts)):
        joined = child.right_edge.i + 1 == start and child.dep_ in _CORE_LEFT_DEPS
        if not joined or child.tag_ in _DETERMINER_TAGS or child in without:
            break
        if any(token.text in _CORE_BREAKS for token in child.subtree):
            break
        start = child.left_edge.i
    return start


def _core_end(head: Token, without: Collection[Token]) -> int:
    end = head.i
    for child in head.rights:
        if child.left_edge.i != end + 1 or child in without:
            break
        noun = first_child(child, "pobj")
        if child.dep_ in ("nummod", "nmod") or is_close_apposition(child):
            end = child.i
        elif noun is not None and is_within_name(child):
            end = noun.i
        elif noun is not None and _is_short_of(child, noun):
            return noun.i
        else:
            break
    return end


def _is_short_of(preposition: Token, noun: Token) -> bool:
    is_of = preposition.lower_ == "of" and preposition.dep_ == "prep"
    return is_of and noun.tag_ not in RELATIVE_TAGS and noun.i - preposition.i < MAX_OF_PHRASE


def _droppable_in_core(token: Token) -> bool:
    if token.lower_ in _POINTING and token.head.i > token.i:
        return True
    return token.tag_ in _DETERMINER_TAGS or token.is_punct or token.is_space
