"""Consolidate what is named for all question clusters into one ontology, in the graph's words.

QuestionRAG's model named 194 entity types and 257 relation types for 140 questions. Most are the same in other words,
or absent in the graph: only what its triples have is kept, the most used first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.graph.relationships.graph_schema import RelationType
from graphrag_tasks.language.bm25 import fold, terms
from graphrag_tasks.language.names import american, singular
from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.workbench.ontology.gathering import Need, is_telling
from graphrag_tasks.workbench.ontology.inducing import InducedOntology

TYPE, RELATION = "type", "relation"

_MOST = {TYPE: 30, RELATION: 60}  # Largest number of types and relations, which a person can still review.

_OWN_SHARE = 0.9
"""Share of a relation's typed heads or tails that its domain or range must cover; else it is unrestricted."""

_EXAMPLES = 5  # Examples of a type or relation, for review; chosen.
_WORDING = re.compile(r"\w[\w ./&'’+-]{0,59}")  # What can be the name of a relation: no markup, code or prose.

_FORMS_OF_BE = frozenset({"is", "are", "was", "were", "been", "being"})


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Kept(_Strict):
    """A type or relation of the ontology.

    Attributes:
        kind: `type` or `relation`.
        examples: Entities of the type, or facts of the relation, as in texts.
        questions: Questions that name such an entity, or ask for a fact with the relation.
        triples: Triples between entities that have it.
    """

    kind: str
    name: str
    examples: list[str]
    questions: int
    triples: int


class Dropped(_Strict):
    """A proposed name that is not in the ontology, or under another name.

    Attributes:
        into: Name that it was merged into; empty if dropped.
    """

    kind: str
    name: str
    why: str
    into: str = ""


class Consolidated(NamedTuple):
    """An ontology, what it has, and what became of the other names that were proposed."""

    schema: GraphSchema
    kept: list[Kept]
    dropped: list[Dropped]


def consolidated(
    induced: Sequence[InducedOntology],
    needs: Sequence[Need],
    patterns: Sequence[Pattern],
    labels_of: Callable[[str], Iterable[str]],
) -> Consolidated:
    """Return one ontology, whatever the order of `induced`.

    Args:
        induced: What is named for each cluster.
        needs: What the questions need.
        patterns: Number of the graph's triples by types and relation.
        labels_of: Returns the labels of the entities with a name.
    """
    use = _Use(needs, patterns)
    labels, type_of = _labels(induced, use, labels_of)
    relations, relation_of = _relations(induced, use)
    types, dropped_types = use.most_used(TYPE, labels, type_of)
    wordings = {name: relation.wordings for name, relation in relations.items()}
    kept, dropped_relations = use.most_used(RELATION, wordings, relation_of)
    schema = GraphSchema(
        entity_types={one.name: sorted(labels[one.name]) for one in types},
        relations={
            one.name: _relation_type(one.name, relations[one.name], labels, type_of, patterns)
            for one in sorted(kept, key=lambda one: one.name)
        },
    )
    return Consolidated(schema, [*types, *kept], [*dropped_types, *dropped_relations])


class _Use:
    """Use of labels and wordings: triples, questions and examples, by kind and word."""

    def __init__(self, needs: Sequence[Need], patterns: Sequence[Pattern]) -> None:
        self.triples: Counter[tuple[str, str]] = Counter()
        self._questions: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._examples: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for pattern in patterns:
            for label in filter(None, (pattern.head_type, pattern.tail_type)):
                self.triples[TYPE, label] += pattern.count
            if _WORDING.fullmatch(pattern.relation) and is_telling(pattern.relation):
                self.triples[RELATION, pattern.relation] += pattern.count
        for number, need in enumerate(needs):
            for name, label in need.named:
                self._questions[TYPE, label].add(number)
                self._examples[TYPE, label][name] = None
            for fact in need.asked:
                self._questions[RELATION, fact.relation].add(number)
            for fact in need.facts:
                told = f"{fact.head} {fact.relation} {fact.tail}"
                self._examples[RELATION, fact.relation][told] = None
                self._examples[TYPE, fact.head_type][fact.head] = None
                self._examples[TYPE, fact.tail_type][fact.tail] = None

    def words(self, kind: str) -> list[str]:
        """Return the labels, or the wordings, that triples or questions have."""
        known = {*self.triples, *(self._questions if kind == TYPE else ())}
        return sorted(word for of_kind, word in known if of_kind == kind and word)

    def most_used(
        self, kind: str, words_of: Mapping[str, Iterable[str]], fates: Mapping[str, str]
    ) -> tuple[list[Kept], list[Dropped]]:
        """Return the most used types or relations, and the proposed names that are not them.

        The next one serves most questions that none before it serves, then has most triples.

        `words_of` has the words of each, and `fates` the one of each proposed name ("" if none).
        """
        questions = {
            name: set[int]().union(*(self._questions[kind, word] for word in words)) for name, words in words_of.items()
        }
        triples = {name: sum(self.triples[kind, word] for word in words) for name, words in words_of.items()}
        left, kept, covered = sorted(words_of), list[Kept](), set[int]()
        while left and len(kept) < _MOST[kind]:
            name = max(left, key=lambda one: (len(questions[one] - covered), triples[one]))
            left.remove(name)
            if kind == RELATION:  # a question needs all of its types, and one relation
                covered |= questions[name]
            words = sorted(words_of[name])
            examples = dict.fromkeys(one for word in words for one in self._examples[kind, word])
            kept.append(
                Kept(
                    kind=kind,
                    name=name,
                    examples=list(examples)[:_EXAMPLES],
                    questions=len(questions[name]),
                    triples=triples[name],
                )
            )
        names = {one.name for one in kept}
        dropped = []
        for name, into in sorted(fates.items()):
            if not into:
                why = "the graph has nothing by this name"
            elif into not in names:
                why, into = f"the {len(kept)} kept are more used", ""
            elif name == into or (kind == TYPE and name in words_of[into]):
                continue
            else:
                why = "another wording of it"
            dropped.append(Dropped(kind=kind, name=name, why=why, into=into))
        return kept, dropped


def _type_key(name: str) -> str:
    """Return a type's name in lower case, American spelling, singular: "CDS_VIEWs", "cds view"."""
    return singular(american(re.sub(r"[\s_-]+", " ", fold(name)).strip()))


def _labels(
    induced: Sequence[InducedOntology], use: _Use, labels_of: Callable[[str], Iterable[str]]
) -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return the labels of each type, and the type of each proposed name ("" if none)."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for label in use.words(TYPE):
        known[_type_key(label)].add(label)
    examples: defaultdict[str, set[str]] = defaultdict(set)
    for one in induced:
        for induced_type in one.entity_types:
            examples[induced_type.name.strip()].update(induced_type.examples)
    type_of = {}
    for name in sorted(examples):
        key = _type_key(name)
        if key not in known:  # a model's own name: the label of most of its examples
            votes = Counter(label for one in examples[name] for label in sorted(set(labels_of(one))))
            best = max(sorted(votes), key=lambda label: votes[label], default="")
            key = _type_key(best) if 2 * votes[best] >= votes.total() else ""
        type_of[name] = key if key in known else ""
    return {key: known[key] for key in {*type_of.values()} - {""}}, type_of


def _relation_key(wording: str) -> str:
    """Return the stems of a relation's words: "is_replaced by", "be replaced by"."""
    words = (fold(one) for one in re.split(r"[\s_]+", wording.strip()))
    return " ".join("be" if one in _FORMS_OF_BE else "".join(terms(one)) or one for one in words)


class _Relation(NamedTuple):
    """A relation's wordings, True for inverses, and the types that are named for its ends."""

    wordings: dict[str, bool]
    heads: set[str]
    tails: set[str]


def _relations(induced: Sequence[InducedOntology], use: _Use) -> tuple[dict[str, _Relation], dict[str, str]]:
    """Return the relations by name, and the relation of each proposed name ("" if none).

    The most used wording names a relation and takes those that are said to mean the same. What these are said to mean
    besides is not followed: chains of loose synonyms would join everything.
    """
    by_key: defaultdict[str, list[str]] = defaultdict(list)
    known = use.words(RELATION)
    for wording in known:
        by_key[_relation_key(wording)].append(wording)
    by_name = {wording: [wording] for wording in known}
    said: defaultdict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    proposed = []
    for relation in sorted(
        (relation for one in induced for relation in one.relations), key=lambda relation: relation.model_dump_json()
    ):
        members: dict[str, bool] = {}
        same = [(name, False) for name in (relation.name, *relation.synonyms)]
        for name, inverse in (*same, *((name, True) for name in relation.inverses)):
            for wording in by_name.get(name) or by_key[_relation_key(name)]:
                members.setdefault(wording, inverse)
        proposed.append((relation, members))
        for wording, inverse in members.items():
            others = ((other, turned != inverse) for other, turned in members.items())
            said[wording].update(others)
    owner: dict[str, tuple[str, bool]] = {}
    found: dict[str, _Relation] = {}
    for name in sorted(said, key=lambda one: (-use.triples[RELATION, one], one)):
        if name not in owner:
            statements = sorted(said[name].items(), key=lambda one: (one[1], not one[0][1]))
            wordings = {one: inverse for (one, inverse), _ in statements if one not in owner}
            found[name] = _Relation(wordings, set(), set())
            owner |= {one: (name, inverse) for one, inverse in wordings.items()}
    relation_of: dict[str, str] = {}
    for relation, members in proposed:
        name = relation.name.strip()
        relation_of.setdefault(name, "")
        for wording in list(members)[:1]:
            root, inverse = owner[wording]
            ends = (relation.domain, relation.range)
            heads, tails = reversed(ends) if inverse != members[wording] else ends
            found[root].heads.update(heads)
            found[root].tails.update(tails)
            relation_of[name] = root
    return found, relation_of


def _relation_type(
    name: str,
    relation: _Relation,
    labels: Mapping[str, Iterable[str]],
    type_of: Mapping[str, str],
    patterns: Sequence[Pattern],
) -> RelationType:
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for pattern in patterns:
        inverse = relation.wordings.get(pattern.relation)
        if inverse is not None:
            heads[pattern.tail_type if inverse else pattern.head_type] += pattern.count
            tails[pattern.head_type if inverse else pattern.tail_type] += pattern.count

    def checked(proposed: Iterable[str], ends: Counter[str]) -> list[str] | None:
        """Return a model's types of the ends, if they cover nearly all that the graph has."""
        types = sorted({type_of.get(one.strip(), _type_key(one)) for one in proposed} & {*labels})
        del ends[""]
        inside = sum(ends[label] for one in types for label in labels[one])
        return types if types and inside >= _OWN_SHARE * ends.total() else None

    others = [(wording, inverse) for wording, inverse in relation.wordings.items() if wording != name]
    return RelationType(
        domain=checked(relation.heads, heads),
        range=checked(relation.tails, tails),
        synonyms=[wording for wording, inverse in others if not inverse],
        inverses=[wording for wording, inverse in others if inverse],
    )
