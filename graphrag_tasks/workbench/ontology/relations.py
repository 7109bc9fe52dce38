"""Consolidate relation types of all clusters, in the graph's wordings.

Wordings with the same meaning, or its inverse, are one relation. If statements contradict each
other (synonym and inverse), the more frequent one holds, and the other is reported.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_tasks.graph.relationships.graph_schema import RelationType
from graphrag_tasks.workbench.ontology.drafts import MODEL, RelationDraft
from graphrag_tasks.workbench.ontology.gathering import Gathered
from graphrag_tasks.workbench.ontology.report import RELATION, Dropped, Kept
from graphrag_tasks.workbench.ontology.selection import Encode, Support, nearest, selected
from graphrag_tasks.workbench.ontology.types import Types
from graphrag_tasks.workbench.ontology.wordings import (
    BY_AGENT,
    MOST_RELATION_WORDS,
    Wording,
    is_general_relation,
    is_name,
    type_key,
)

_SAME_MEANING = 0.85
"""Cosine from which a proposed wording equals one of the graph's, if voice and prepositions
agree; as for types."""

_MOST_WORDINGS = 12
"""Most wordings of a relation: chains of loose synonyms would join everything."""

_OWN_SHARE = 0.9
"""Share of a relation's typed heads or tails that its domain or range must cover; else it is
unrestricted."""

_FEWEST_ENDS = 3
"""Fewest typed heads or tails for a domain or range: fewer may agree by chance."""

_EXAMPLES = 5
"""Examples of a relation, for review; chosen."""

Oriented = tuple[str, bool]
"""A wording of the graph, and whether it is the inverse."""


@dataclass(frozen=True)
class Relations:
    """The relation types of an ontology, their support, and the dropped ones."""

    types: Mapping[str, RelationType]
    kept: tuple[Kept, ...]
    dropped: tuple[Dropped, ...]
    conflicts: tuple[str, ...]


@dataclass
class _Group:
    """Wordings of one relation, each possibly inverse, and their drafts."""

    wordings: dict[str, bool]
    drafts: list[RelationDraft] = field(default_factory=list)


def consolidated_relations(
    drafts: Sequence[RelationDraft],
    gathered: Gathered,
    types: Types,
    encode: Encode,
    most: int,
) -> Relations:
    """Return at most `most` relations; `types` restricts their heads and tails."""
    support: Counter[str] = Counter()
    for pattern in gathered.patterns:
        if is_name(pattern.relation, MOST_RELATION_WORDS):
            support[pattern.relation] += pattern.count
    by_name: defaultdict[str, list[RelationDraft]] = defaultdict(list)
    for draft in drafts:
        by_name[draft.name].append(draft)
    matches, why = _matches(by_name, support, encode)
    joined = _Joined(support)
    joined.add([*_by_forms(support), *_statements(drafts, matches)])
    groups: dict[str, _Group] = {}
    fates: dict[str, tuple[str, str]] = {name: ("", reason) for name, reason in why.items()}
    for name in sorted(by_name):
        if name in why:
            continue
        (wording, _), *_ = _wordings_of(by_name[name], matches)
        root = joined.root(wording)
        groups.setdefault(root, _Group(joined.group(root))).drafts += by_name[name]
        fates[name] = (root, "")
    supports = {name: _support(group, support, gathered) for name, group in groups.items()}
    chosen, left = selected(
        supports, needs=len(gathered.needs), triples=sum(support.values()), most=most
    )
    return Relations(
        {name: _relation(name, groups[name], gathered, types) for name in sorted(chosen)},
        tuple(_kept(name, supports[name], gathered) for name in chosen),
        tuple(_dropped(by_name, fates, left)),
        tuple(sorted(joined.conflicts)),
    )


def _matches(
    by_name: Mapping[str, Sequence[RelationDraft]], support: Mapping[str, int], encode: Encode
) -> tuple[dict[str, list[Oriented]], dict[str, str]]:
    """Return the graph's wordings for each proposed wording, and reasons for names without one."""
    proposed = {
        one
        for drafts in by_name.values()
        for draft in drafts
        for one in (draft.name, *draft.synonyms, *draft.inverses)
        if is_name(one, MOST_RELATION_WORDS) and not is_general_relation(_plain(one))
    }
    known: defaultdict[Wording, list[str]] = defaultdict(list)
    for wording in sorted(support, key=lambda one: (-support[one], one)):
        if not is_general_relation(wording):
            known[Wording.of(wording)].append(wording)
    matches = {one: _by_form(one, support, known) for one in sorted(proposed)}
    frames: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for key, wordings in known.items():
        frames[key.frame].append(wordings[0])
    for frame in sorted({Wording.of(one).frame for one, found in matches.items() if not found}):
        open_ = [one for one, found in matches.items() if not found]
        same = [one for one in open_ if Wording.of(one).frame == frame]
        for one, found in nearest(same, sorted(frames[frame]), encode, _SAME_MEANING).items():
            matches[one] = [(found, False)]
    return matches, {
        name: reason
        for name, drafts in by_name.items()
        if (reason := _why_not(name, drafts, matches))
    }


def _by_form(
    proposed: str, support: Mapping[str, int], known: Mapping[Wording, Sequence[str]]
) -> list[Oriented]:
    if proposed in support:
        return [(proposed, False)]
    key = Wording.of(proposed)
    if same := known.get(key):
        return [(one, False) for one in same]
    return [(one, True) for one in known.get(key.inverse, ())] if key.inverse else []


def _why_not(
    name: str, drafts: Sequence[RelationDraft], matches: Mapping[str, Sequence[Oriented]]
) -> str:
    if not is_name(name, MOST_RELATION_WORDS):
        return "is no name of a relation"
    if is_general_relation(_plain(name)):
        return "too general: it only says that two things go together"
    if not _wordings_of(drafts, matches):
        return "no triple of the graph has it, or a synonym of it"
    return ""


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def _wordings_of(
    drafts: Iterable[RelationDraft], matches: Mapping[str, Sequence[Oriented]]
) -> list[Oriented]:
    """Return the graph's wordings of drafts of a relation, those of its name first."""
    found: dict[str, bool] = {}
    ordered = list(drafts)
    for turned, names in (
        (False, [draft.name for draft in ordered]),
        (False, [name for draft in ordered for name in draft.synonyms]),
        (True, [name for draft in ordered for name in draft.inverses]),
    ):
        for name in names:
            for wording, is_inverse in matches.get(name, ()):
                found.setdefault(wording, turned != is_inverse)
    return list(found.items())


Statement = tuple[str, str, bool]
"""Two wordings of one relation, and whether one is the inverse."""


def _statements(
    drafts: Sequence[RelationDraft], matches: Mapping[str, Sequence[Oriented]]
) -> list[Statement]:
    """Return the statements of drafts about wordings, most frequent first."""
    said: Counter[Statement] = Counter()
    for draft in drafts:
        # where the graph does not have its name, a synonym stands for it
        names = matches.get(draft.name) or _wordings_of([draft], matches)[:1]
        for turned, others in ((False, draft.synonyms), (True, draft.inverses)):
            for other in others:
                for first, first_turned in names:
                    for second, second_turned in matches.get(other, ()):
                        if first != second:
                            flip = turned != (first_turned != second_turned)
                            said[(min(first, second), max(first, second), flip)] += 1
    return sorted(said, key=lambda one: (-said[one], one))


def _by_forms(support: Mapping[str, int]) -> Iterator[Statement]:
    """Yield wordings that are equal by form: "replace" and "be replaced by"."""
    by_key: defaultdict[Wording, list[str]] = defaultdict(list)
    for wording in sorted(support):
        if not is_general_relation(wording):
            by_key[Wording.of(wording)].append(wording)
    for key, same in by_key.items():
        yield from ((same[0], one, False) for one in same[1:])
        active = by_key.get(key.inverse) if key.voice == BY_AGENT and key.inverse else None
        if active:
            yield same[0], active[0], True


class _Joined:
    """Groups of wordings with inversion: a union-find with parity."""

    def __init__(self, support: Mapping[str, int]) -> None:
        self._support = support
        self._groups: dict[str, dict[str, bool]] = {}
        self.conflicts: set[str] = set()

    def add(self, statements: Iterable[Statement]) -> None:
        """Join wordings by statements, except those that contradict earlier ones."""
        for first, second, flip in statements:
            one, other = self._of(first), self._of(second)
            if one is other:
                if (one[first] != one[second]) != flip:
                    how = "the reverse of" if flip else "the same as"
                    self.conflicts.add(f"'{first}' is said to be {how} '{second}'")
            elif len(one) + len(other) > _MOST_WORDINGS:
                what = f"'{first}' and '{second}' would make a relation of too many wordings"
                self.conflicts.add(what)
            else:
                turned = (one[first] != other[second]) != flip
                for wording, is_turned in other.items():
                    one[wording] = is_turned != turned
                    self._groups[wording] = one

    def root(self, wording: str) -> str:
        """Return the most frequent wording of a group: its name."""
        return min(self._of(wording), key=lambda one: (-self._support[one], one))

    def group(self, root: str) -> dict[str, bool]:
        """Return the wordings of a group, with their inversion relative to its name."""
        found = self._of(root)
        return {one: is_turned != found[root] for one, is_turned in sorted(found.items())}

    def _of(self, wording: str) -> dict[str, bool]:
        return self._groups.setdefault(wording, {wording: False})


def _support(group: _Group, support: Mapping[str, int], gathered: Gathered) -> Support[_Group]:
    serves = frozenset(
        place
        for place, need in enumerate(gathered.needs)
        if any(fact.relation in group.wordings for fact in need.asked)
    )
    triples = sum(support[wording] for wording in group.wordings)
    return Support(group, serves, triples, len({draft.cluster for draft in group.drafts}))


def _relation(name: str, group: _Group, gathered: Gathered, types: Types) -> RelationType:
    others = [(one, turned) for one, turned in group.wordings.items() if one != name]
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for pattern in gathered.patterns:
        turned = group.wordings.get(pattern.relation)
        if turned is not None:
            heads[pattern.tail_type if turned else pattern.head_type] += pattern.count
            tails[pattern.head_type if turned else pattern.tail_type] += pattern.count
    by_model = [draft for draft in group.drafts if draft.source == MODEL]
    return RelationType(
        domain=_ends(
            heads, types, [name for relation_draft in by_model for name in relation_draft.domain]
        ),
        range=_ends(
            tails, types, [name for relation_draft in by_model for name in relation_draft.range]
        ),
        synonyms=[one for one, turned in others if not turned],
        inverses=[one for one, turned in others if turned],
    )


def _ends(labels: Counter[str], types: Types, proposed: Iterable[str]) -> list[str] | None:
    """Return the types of a relation's heads or tails; None if unrestricted.

    Types that a model proposed, if they cover nearly all typed ends in the graph; else the graph's
    types, if the ontology covers nearly all of them.
    """
    of_label, counted = types.of_label, Counter[str]()
    for label, count in labels.items():
        if label:
            counted[of_label.get(label, "")] += count
    whole = counted.total()
    if whole < _FEWEST_ENDS:
        return None
    wanted = {types.name_of[key] for one in proposed if (key := type_key(one)) in types.name_of}
    for chosen in (wanted, set(counted) - {""}):
        if chosen and sum(counted[one] for one in chosen) >= _OWN_SHARE * whole:
            return sorted(chosen)
    return None


def _kept(name: str, one: Support[_Group], gathered: Gathered) -> Kept:
    facts = dict.fromkeys(
        f"{fact.head} {fact.relation} {fact.tail}"
        for need in gathered.needs
        for fact in need.facts
        if fact.relation in one.candidate.wordings
    )
    triples = sum(pattern.count for pattern in gathered.patterns)
    return Kept(
        kind=RELATION,
        name=name,
        examples=list(facts)[:_EXAMPLES],
        sources=sorted({draft.source for draft in one.candidate.drafts}),
        clusters=one.clusters,
        questions=round(len(one.needs) / max(len(gathered.needs), 1), 4),
        triples=round(one.triples / max(triples, 1), 4),
    )


def _dropped(
    by_name: Mapping[str, Sequence[RelationDraft]],
    fates: Mapping[str, tuple[str, str]],
    left: Mapping[str, str],
) -> Iterator[Dropped]:
    for name, (into, reason) in sorted(fates.items()):
        if into in left:
            into, reason = "", left[into]
        elif into and into != name:
            reason = "another wording of it, or its reverse"
        if reason:
            clusters = len({draft.cluster for draft in by_name[name]})
            yield Dropped(kind=RELATION, name=name, why=reason, into=into, clusters=clusters)
