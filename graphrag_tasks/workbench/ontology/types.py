"""Consolidate entity types of all clusters, each with the graph's labels.

A schema defines types by labels, so each proposed name is matched to a label by form, examples,
last word or meaning, or is dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_tasks.workbench.ontology.drafts import TypeDraft
from graphrag_tasks.workbench.ontology.gathering import Gathered
from graphrag_tasks.workbench.ontology.report import TYPE, Dropped, Kept
from graphrag_tasks.workbench.ontology.selection import Encode, Support, nearest, selected
from graphrag_tasks.workbench.ontology.wordings import (
    MOST_TYPE_WORDS,
    is_general_type,
    is_name,
    type_key,
)

_SAME_MEANING = 0.85
"""Cosine from which two types are one: of the example graph's 59 labels, the nearest two
("element" and "data element") have 0.73."""

_EXAMPLES = 5
"""Examples of a type, for review; chosen."""


@dataclass
class _Type:
    """A type being consolidated, named by the key of a label."""

    labels: set[str]
    drafts: list[TypeDraft] = field(default_factory=list)

    @property
    def clusters(self) -> frozenset[int]:
        return frozenset(draft.cluster for draft in self.drafts)


@dataclass(frozen=True)
class Types:
    """The entity types of an ontology: labels of each, support, and dropped ones.

    `name_of` maps proposed names to types, for heads and tails of relations.
    """

    labels: Mapping[str, list[str]]
    kept: tuple[Kept, ...]
    dropped: tuple[Dropped, ...]
    name_of: Mapping[str, str]

    @property
    def of_label(self) -> dict[str, str]:
        """The type of each label."""
        return {label: name for name, labels in self.labels.items() for label in labels}


def consolidated_types(
    drafts: Sequence[TypeDraft],
    gathered: Gathered,
    labels_of: Callable[[str], Iterable[str]],
    encode: Encode,
    most: int,
) -> Types:
    """Return at most `most` types.

    `labels_of` returns the labels of the entities with a name; `encode` returns unit vectors.
    """
    support = _label_support(gathered)
    known: defaultdict[str, list[str]] = defaultdict(list)
    for label in sorted(support):
        known[type_key(label)].append(label)
    by_name: defaultdict[str, list[TypeDraft]] = defaultdict(list)
    for draft in drafts:
        by_name[draft.name].append(draft)
    leads, why = _leads(by_name, dict(known), labels_of, encode)
    found: dict[str, _Type] = {}
    for name, key in leads.items():
        found.setdefault(key, _Type(set(known[key]))).drafts += by_name[name]
    merged = _merged(found, support, encode)
    for key, (into, _) in merged.items():
        found[into].labels |= found[key].labels
        found[into].drafts += found.pop(key).drafts
    needs = [
        (place, label) for place, need in enumerate(gathered.needs) for label in sorted(need.types)
    ]
    supports = {
        key: Support(
            one,
            frozenset(number for number, (_, label) in enumerate(needs) if label in one.labels),
            sum(support[label] for label in one.labels),
            len(one.clusters),
        )
        for key, one in found.items()
    }
    ends = 2 * sum(pattern.count for pattern in gathered.patterns)
    chosen, left = selected(supports, needs=len(needs), triples=ends, most=most)
    fates = _fates(leads, why, merged, left, {key: one.labels for key, one in found.items()})
    return Types(
        {key: sorted(found[key].labels) for key in chosen},
        tuple(_kept(key, supports[key], gathered) for key in chosen),
        tuple(
            Dropped(
                kind=TYPE, name=name, why=reason, into=into,
                clusters=len({type_draft.cluster for type_draft in by_name[name]}),
            )
            for name, (into, reason) in sorted(fates.items())
            if reason
        ),
        {type_key(name): into for name, (into, _) in fates.items() if into},
    )  # fmt: skip


def _fates(
    leads: Mapping[str, str],
    why: Mapping[str, str],
    merged: Mapping[str, tuple[str, str]],
    left: Mapping[str, str],
    labels: Mapping[str, Collection[str]],
) -> dict[str, tuple[str, str]]:
    """Return the outcome of each name ("" if dropped), and a reason if it changed."""
    fates: dict[str, tuple[str, str]] = {name: ("", reason) for name, reason in why.items()}
    for name, key in leads.items():
        into, reason = merged.get(key, (key, why.get(name, "")))
        if into in left:
            fates[name] = ("", left[into])
        elif reason or name in (into, *labels[into]):
            fates[name] = (into, reason)
        else:
            fates[name] = (into, "another form of the name")
    return fates


def _label_support(gathered: Gathered) -> Counter[str]:
    """Return how many ends of triples have each label."""
    found: Counter[str] = Counter()
    for pattern in gathered.patterns:
        found[pattern.head_type] += pattern.count
        found[pattern.tail_type] += pattern.count
    for need in gathered.needs:
        for label in need.types:
            found[label] += 0
    del found[""]
    return found


def _leads(
    by_name: Mapping[str, Sequence[TypeDraft]],
    known: Mapping[str, Sequence[str]],
    labels_of: Callable[[str], Iterable[str]],
    encode: Encode,
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the label key of each name, and reasons for names with none or another."""
    leads: dict[str, str] = {}
    why: dict[str, str] = {}
    open_: list[str] = []
    for name in sorted(by_name):
        key = type_key(name)
        if not is_name(name, MOST_TYPE_WORDS):
            why[name] = "is no name of a type"
        elif is_general_type(key):
            why[name] = "too general: everything is one"
        elif key in known:
            leads[name] = key
        elif label := _of_examples(by_name[name], labels_of):
            leads[name] = type_key(label)
            why[name] = f"its examples have the label {label}"
        elif (head := key.split(" ")[-1]) in known:
            leads[name] = head
            why[name] = f"a kind of '{head}'"
        else:
            open_.append(name)
    near = nearest([type_key(one) for one in open_], sorted(known), encode, _SAME_MEANING)
    for name in open_:
        if key := near.get(type_key(name), ""):
            leads[name] = key
            why[name] = f"means nearly the same as '{key}'"
        else:
            why[name] = "no entity of the graph has a label for it"
    return leads, why


def _of_examples(
    drafts: Sequence[TypeDraft], labels_of: Callable[[str], Iterable[str]]
) -> str | None:
    """Return the label of most examples; None if fewer than half agree."""
    examples = sorted({name for draft in drafts for name in draft.examples})
    votes = Counter(label for name in examples for label in sorted(set(labels_of(name))))
    if not votes:
        return None
    best = min(votes, key=lambda label: (-votes[label], label))
    return best if 2 * votes[best] >= votes.total() else None


def _merged(
    found: Mapping[str, _Type], support: Mapping[str, int], encode: Encode
) -> dict[str, tuple[str, str]]:
    """Return the type that each type is merged into, and why: a kind of it, or nearly equal."""
    merged: dict[str, tuple[str, str]] = {}
    for key in sorted(found, key=lambda key: (len(key.split()), key)):
        head = key.split(" ")[-1]
        if head != key and head in found:
            merged[key] = (head, f"a kind of '{head}'")
    if not found:
        return {}
    left = [key for key in found if key not in merged]
    weights = {key: sum(support[label] for label in found[key].labels) for key in left}
    ordered = sorted(left, key=lambda key: (-weights[key], key))
    vectors = encode(ordered)
    for place, key in enumerate(ordered):
        for other in range(place):
            into = ordered[other]
            if into not in merged and float(vectors[place] @ vectors[other]) >= _SAME_MEANING:
                merged[key] = (into, f"means nearly the same as '{into}'")
                break
    return {
        key: (merged.get(into, (into, ""))[0], reason) for key, (into, reason) in merged.items()
    }


def _kept(key: str, one: Support[_Type], gathered: Gathered) -> Kept:
    labels = one.candidate.labels
    examples = dict.fromkeys(
        name
        for need in gathered.needs
        for name, label in need.named
        if label in labels
    )  # fmt: skip
    others = sorted(name for name, label in gathered.labels.items() if label in labels)
    asking = sum(bool(labels & need.types) for need in gathered.needs)
    triples = sum(
        pattern.count
        for pattern in gathered.patterns
        if {pattern.head_type, pattern.tail_type} & labels
    )
    return Kept(
        kind=TYPE,
        name=key,
        examples=list(dict.fromkeys([*examples, *others]))[:_EXAMPLES],
        sources=sorted({draft.source for draft in one.candidate.drafts}),
        clusters=one.clusters,
        questions=round(asking / max(len(gathered.needs), 1), 4),
        triples=round(triples / max(sum(p.count for p in gathered.patterns), 1), 4),
    )
