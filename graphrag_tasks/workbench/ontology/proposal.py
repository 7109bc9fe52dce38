"""A proposed ontology: a schema file, and a report."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.graph.relationships.stage import RelationType
from graphrag_tasks.language.bm25 import fold, terms
from graphrag_tasks.language.names import american, singular
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.workbench.ontology.needs import (
    InducedOntology,
    InducedRelation,
    Need,
    distinct,
    gather,
    induced,
    is_telling,
)

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
    labels, type_of = _types(induced, use, labels_of)
    relations, places = _relations(induced, use)
    relation_of = {
        place.proposed.name.strip(): place.name for place in sorted(places, key=lambda place: bool(place.name))
    }
    types, dropped_types = use.most_used(TYPE, labels, type_of)
    kept, dropped = use.most_used(RELATION, relations, relation_of)
    # The types that a model names for the ends of a relation, however it words it.
    ends: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for proposed, name, inverse in places:
        for side, named in enumerate((proposed.domain, proposed.range)):
            types_named = (type_of.get(one.strip(), _type_key(one)) for one in named)
            ends[name][side ^ inverse].update(types_named)

    def relation_type(name: str) -> RelationType:
        wordings, counts = relations[name], (Counter[str](), Counter[str]())
        for pattern in patterns:
            if (inverse := wordings.get(pattern.relation)) is not None:
                counts[inverse][pattern.head_type] += pattern.count
                counts[not inverse][pattern.tail_type] += pattern.count
        # A model's types hold if they cover nearly all ends that the graph has.
        checked: list[list[str] | None] = []
        for side, count in enumerate(counts):
            del count[""]
            named = sorted(ends[name][side] & {*labels})
            inside = sum(count[label] for one in named for label in labels[one])
            is_held = named and inside >= _OWN_SHARE * count.total()
            checked.append(named if is_held else None)
        others = [one for one in wordings if one != name]
        return RelationType(
            domain=checked[0],
            range=checked[1],
            synonyms=[one for one in others if not wordings[one]],
            inverses=[one for one in others if wordings[one]],
        )

    schema = GraphSchema(
        entity_types={one.name: sorted(labels[one.name]) for one in types},
        relations={name: relation_type(name) for name in sorted(one.name for one in kept)},
    )
    return Consolidated(schema, [*types, *kept], [*dropped_types, *dropped])


class _Use:
    """Use of labels and wordings: triples, questions and examples, by kind and word."""

    def __init__(self, needs: Sequence[Need], patterns: Sequence[Pattern]) -> None:
        self.triples: Counter[tuple[str, str]] = Counter()
        self._questions: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._examples: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for pattern in patterns:
            for label in (pattern.head_type, pattern.tail_type):
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
        self.labels = sorted({label for kind, label in {*self.triples, *self._questions} if kind == TYPE and label})
        for _, wording in sorted(one for one in self.triples if one[0] == RELATION):
            self._by_key[_relation_key(wording)].append(wording)

    def known(self, name: str) -> list[str]:
        """Return the graph's wordings of a relation: this one, or those of the same stems."""
        is_wording = (RELATION, name) in self.triples
        return [name] if is_wording else self._by_key.get(_relation_key(name), [])

    def most_used(
        self, kind: str, words_of: Mapping[str, Iterable[str]], fates: Mapping[str, str]
    ) -> tuple[list[Kept], list[Dropped]]:
        """Return the most used types or relations, and the proposed names that are not them.

        The next one serves most questions that none before it serves, then has most triples. `words_of` has the words
        of each, and `fates` the one of each proposed name ("" if none).
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
            found = dict.fromkeys(one for word in words for one in self._examples[kind, word])
            examples, asked = list(found)[:_EXAMPLES], len(questions[name])
            kept.append(Kept(kind=kind, name=name, examples=examples, questions=asked,
                             triples=triples[name]))  # fmt: skip
        names, dropped = {one.name for one in kept}, []
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


def _types(
    induced: Sequence[InducedOntology], use: _Use, labels_of: Callable[[str], Iterable[str]]
) -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return the labels of each type, and the type of each proposed name ("" if none)."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for label in use.labels:
        known[_type_key(label)].add(label)
    examples: defaultdict[str, set[str]] = defaultdict(set)
    for one in induced:
        for induced_type in one.entity_types:
            examples[induced_type.name.strip()].update(induced_type.examples)
    type_of = {}
    for name in sorted(examples):
        key = _type_key(name)
        if key not in known:  # a model's own name: the label of most of its examples
            votes = Counter(label for one in examples[name] for label in {*labels_of(one)})
            best = max(sorted(votes), key=votes.__getitem__, default="")
            key = _type_key(best) if 2 * votes[best] >= votes.total() else ""
        type_of[name] = key if key in known else ""
    return {key: known[key] for key in {*type_of.values()} - {""}}, type_of


class _Place(NamedTuple):
    """The relation that a proposed one became ("" if none), and whether it is its inverse."""

    proposed: InducedRelation
    name: str
    inverse: bool


def _relations(induced: Sequence[InducedOntology], use: _Use) -> tuple[dict[str, dict[str, bool]], list[_Place]]:
    """Return the wordings of each relation, True for inverses, and what each proposed one became.

    The most used wording names a relation and takes those that are said to mean the same. What these are said to mean
    besides is not followed: chains of loose synonyms would join everything.
    """
    said: defaultdict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    proposed = []
    every = (relation for one in induced for relation in one.relations)
    for relation in sorted(every, key=InducedRelation.model_dump_json):
        members: dict[str, bool] = {}
        same = [(name, False) for name in (relation.name, *relation.synonyms)]
        for name, inverse in (*same, *((name, True) for name in relation.inverses)):
            for wording in use.known(name):
                members.setdefault(wording, inverse)
        proposed.append((relation, members))
        for wording, inverse in members.items():
            said[wording].update((other, turned != inverse) for other, turned in members.items())
    owner: dict[str, str] = {}
    found: dict[str, dict[str, bool]] = {}
    for name in sorted(said, key=lambda one: (-use.triples[RELATION, one], one)):
        if name not in owner:  # what is said more often holds
            told = sorted(said[name].items(), key=lambda one: (one[1], not one[0][1]))
            found[name] = {one: inverse for (one, inverse), _ in told if one not in owner}
            owner |= dict.fromkeys(found[name], name)
    places = []
    for relation, members in proposed:
        first = next(iter(members), "")  # of its wordings that the graph has
        name = owner.get(first, "")
        turned = bool(name) and found[name][first] != members[first]
        places.append(_Place(relation, name, turned))
    return found, places


def _type_key(name: str) -> str:
    """Return a type's name in lower case, American spelling, singular: "CDS_VIEWs", "cds view"."""
    return singular(american(re.sub(r"[\s_-]+", " ", fold(name)).strip()))


def _relation_key(wording: str) -> str:
    """Return the stems of a relation's words: "is_replaced by", "be replaced by"."""
    words = (fold(one) for one in re.split(r"[\s_]+", wording.strip()))
    return " ".join("be" if one in _FORMS_OF_BE else "".join(terms(one)) or one for one in words)


Outside = Literal["map", "keep", "drop"]
"""Treatment of relations outside an ontology: mapped to "be related to", kept, or dropped."""

_HEADER = "# An ontology from users' questions (graphrag-tasks ontology).\n"


class Report(BaseModel):
    """Report beside an ontology's file: figures, and the outcome of each proposed name.

    Attributes:
        snapshot_id: The snapshot that the questions were searched in.
        based_on: Id of the ontology then in force; empty without one.
        asked: Questions of the file; `distinct` are different, and passages found for `searched`.
        covered: Questions whose entities the ontology has, and a relation that they ask for.
        clusters: Clusters of questions.
        by_model: Clusters that a model answered for.
        not_by_model: Clusters without a valid answer, by kind of failure.
        unsent: Clusters not asked about: nothing of them may be sent.
        triples: Triples between entities; `triples_covered` have a relation of the ontology.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    snapshot_id: str
    based_on: str
    asked: int
    distinct: int
    searched: int
    covered: int
    clusters: int
    by_model: int
    not_by_model: dict[str, int]
    unsent: int
    triples: int
    triples_covered: int
    kept: list[Kept]
    dropped: list[Dropped]


@dataclass(frozen=True)
class Proposal:
    """An ontology with its report.

    `text` is the schema file in YAML, as `read_schema` reads it.
    """

    text: str
    report: Report

    @property
    def id(self) -> str:
        """Hash of the file's bytes."""
        return ontology_id(self.text)

    @property
    def schema(self) -> GraphSchema:
        """The parsed schema."""
        return read_schema(self.text, f"ontology {self.id}")


def ontology_id(text: str) -> str:
    """Return the id of an ontology's file."""
    return content_id("ontology", text)


def propose(
    index: Index,
    questions: Sequence[str],
    client: Client | None = None,
    *,
    based_on: str = "",
    outside: Outside = "keep",
) -> Proposal:
    """Return the ontology that users' questions ask for (QuestionRAG, "Surfacing the structure").

    Questions are clustered, types and relations named for each cluster and its passages, and all consolidated. The same
    questions, snapshot and answers give the same bytes.

    Args:
        index: With all documents: an ontology is for all readers.
        questions: What users asked.
        client: Client of a model that names types and relations; None: those in use are listed.
        based_on: Id of the ontology in force; empty without one.
        outside: Treatment of relations outside the ontology.
    """
    needs, patterns = gather(index, distinct(questions))
    clusters: dict[int, list[Need]] = {}
    for need in needs:
        clusters.setdefault(need.cluster, []).append(need)
    found = induced([*clusters.values()], client, index.snapshot)

    def labels_of(name: str) -> list[str]:
        types = (index.graph.entity_types[row] for row in index.graph.linker.entities(name))
        return [one for one in types if one]

    made = consolidated(found.named, needs, patterns, labels_of)
    schema = made.schema.model_copy(update={"on_violation": outside})
    labels = {label for of_type in schema.entity_types.values() for label in of_type} | {""}
    wordings = {rule["wording"] for rule in schema.rules()}
    report = Report(
        snapshot_id=index.snapshot.snapshot_id,
        based_on=based_on,
        asked=len(questions),
        distinct=len(needs),
        searched=sum(bool(need.passages) for need in needs),
        covered=sum(
            all(label in labels for _, label in need.named) and any(fact.relation in wordings for fact in need.asked)
            for need in needs
        ),
        clusters=len(clusters),
        by_model=found.by_model,
        not_by_model=found.failed,
        unsent=found.unsent,
        triples=sum(pattern.count for pattern in patterns),
        triples_covered=sum(pattern.count for pattern in patterns if pattern.relation in wordings),
        kept=made.kept,
        dropped=made.dropped,
    )
    return Proposal(schema_text(schema), report)


def schema_text(schema: GraphSchema) -> str:
    """Return a schema as file text, which reads back to the same schema."""
    relations = {
        name: {key: value for key, value in relation_type.model_dump().items() if value}
        for name, relation_type in schema.relations.items()
    }
    values = schema.model_dump() | {"relations": relations}
    return _HEADER + yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
