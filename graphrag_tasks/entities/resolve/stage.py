"""The resolve stage: names of one thing become one entity; every decision is a row.

Four steps: block (`selection`), score (`candidates`), guard, and cluster without chains (`clusters`). The user's
overrides (`overrides`) have the last word. Decisions depend on the set of names and their counts, not on their order.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from functools import partial
from itertools import chain, product
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, ResolveConfig
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.entities.resolve.candidates import (
    CandidatePair,
    Confirmer,
    Name,
    NameEncoder,
    ShorterNames,
    candidates,
    canonical_forms,
    comparable_names,
    names_of,
    similar_names,
    statements_of,
)
from graphrag_tasks.entities.resolve.rules import PERSON_RULE, PROPER, find_ties
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.language.domain import Domain, Overrides, Pair, default_domain
from graphrag_tasks.language.names import has_lone_letter, is_code, numbers, singular_noun
from graphrag_tasks.storage.sql import Rows, id_of, sql_over, statements, stream

_MOST_COMPARED = 400  # Most pairs of members compared before a join; larger clusters compare their centres.


_PEOPLE_AND_PLACES = (frozenset({"PERSON"}), frozenset({"GPE", "LOC"}))
_SPELLED = frozenset({"brackets", "apostrophe", "accents", "spelling", "number", "spacing"})


def objection(left: Name, right: Name, rules: Collection[str]) -> str | None:
    """Return the guard that keeps a pair apart, or None.

    * `numbers`: versions, dates or quantities differ ("S/4HANA 1809", "S/4HANA 1909").
    * `code`: an identifier has one spelling ("VBBS_OLD", "VBBS OLD").
    * `letter`: a single letter is a name of its own ("model S", "models").
    * `proper_number`: a name is no plural of another ("Carlo", "Carlos").
    * `call`: a call in code is no thing without "()" ("digest()", "digest").
    * `plus`: a final "+" makes another thing ("CTS", "CTS+").
    * `types`: one is a person, the other a place.
    """
    used = _SPELLED.intersection(rules)
    if numbers(left.key) != numbers(right.key):
        return "numbers"
    if used and (is_code(left.key) or is_code(right.key)):
        return "code"
    if "spacing" in used and (has_lone_letter(left.key) or has_lone_letter(right.key)):
        return "letter"
    if "number" in used and (_is_proper(left) or _is_proper(right)):
        return "proper_number"
    if ("()" in left.key) != ("()" in right.key):
        return "call"
    if left.key != right.key and left.key.rstrip("+") == right.key.rstrip("+"):
        return "plus"
    if _conflict(left.type, right.type):
        return "types"
    return None


def _is_proper(name: Name) -> bool:
    return name.type in PROPER and not name.name[0].islower()


def _conflict(left: str | None, right: str | None) -> bool:
    people, places = _PEOPLE_AND_PLACES
    return (left in people and right in places) or (left in places and right in people)


class Clusters:
    """Names and their clusters; every name begins in a cluster of its own.

    Args:
        apart: Returns why two names can never be the same entity, or None.
        rank: Sort key of a name: the lowest of a cluster is its centre.
    """

    def __init__(self, apart: Callable[[str, str], str | None], rank: Callable[[str], tuple[int, str]]) -> None:
        self._apart = apart
        self._rank = rank
        self._cluster: dict[str, list[str]] = {}

    def members(self, name: str) -> list[str]:
        """Return the names of a name's cluster, its centre first."""
        return self._cluster.get(name, [name])

    def join(self, left: str, right: str) -> str | None:
        """Join the clusters of two names, or return why their members must stay apart."""
        one, other = self.members(left), self.members(right)
        if one is other or left == right:
            return None
        compared: Iterable[tuple[str, str]] = product(one, other)
        if len(one) * len(other) > _MOST_COMPARED:
            compared = [(one[0], other[0]), (left, right)]
        for first, second in compared:
            reason = self._apart(first, second)
            if reason:
                return reason
        # The smaller goes into the larger, so that a long chain of pairs takes no square of time.
        small, large = sorted((one, other), key=len)
        self._cluster.setdefault(large[0], large)
        for name in small:
            insort(large, name, key=self._rank)
            self._cluster[name] = large
        return None

    def centres(self) -> Mapping[str, str]:
        """Return the centre of each name in a cluster of two or more."""
        return {name: members[0] for name, members in self._cluster.items() if len(members) > 1}


SAME, DIFFERENT, UNSURE = "same", "different", "unsure"
BY_RULES, BY_OVERRIDE, BY_CONFIRMER = "rules", "override", "confirmer"

_SQL = statements(
    __package__,
    "types.sql",
    entity_id=id_of("entity", "key"),
    sources=[*schemas.NAME_SOURCES, schemas.DOUBTED],
    doubted=schemas.DOUBTED,
    words=schemas.WORDS,
    part=schemas.PART,
    role=schemas.ROLE,
    column=schemas.COLUMN,
    key=schemas.KEY,
    most_of_kind=25,  # Mentions of a name that the header of one table tells something of: it is no word of all texts.
    table=schemas.TABLE,
)
_DECIDED = pa.schema([one for one in schemas.RESOLVED if one.name not in ("type_source", "is_named")])
"""`schemas.RESOLVED` without what `types.sql` adds."""

_SAME_SCORE = 0.8  # Score from which on a pair is merged: higher merges less and errs less. Chosen by reading.
_UNSURE_SCORE = 0.5  # Score from which on a pair is unsure, and a model may be asked; chosen by reading.

_SIMILAR_SCORE = 0.85
"""Cosine from which on a model is asked whether two names are one thing; chosen with `benchmarks.confirm`."""


@stage(
    per="corpus",
    reads=(
        scan("triples"),
        scan("entity_dictionary"),
        scan("surface_forms"),
        scan("names"),
        scan("sentences"),
        scan("cells"),
    ),
    makes=("merges", "resolved"),
    settings={"config": "resolve", "language": "language"},
    given=("overrides", "domain", "confirmer", "name_vectors", "unsent_documents"),
    libraries=("spacy", "duckdb", "pyyaml"),
)
def resolve(
    triples: Rows,
    entity_dictionary: Rows,
    surface_forms: Rows,
    names: Rows,
    sentences: Rows,
    cells: Rows,
    *,
    config: ResolveConfig,
    language: LanguageConfig,
    overrides: Overrides | None = None,
    domain: Domain | None = None,
    confirmer: Confirmer | None = None,
    name_vectors: NameEncoder | None = None,
    unsent_documents: Set[str] = frozenset(),
) -> StageResult:
    """Decide which names are the same entity.

    Triples, titles, sentences and tables tie names (`rules`). A `confirmer` is asked about pairs that the rules leave
    open, and about names with similar `name_vectors`, but not about names that occur in `unsent_documents`. Returns
    `merges`, every candidate pair with rules, score, guard and verdict; and `resolved`, the entity of every name, as a
    stream by key.
    """
    overrides, domain = overrides or Overrides(), domain or default_domain()
    shorter_names = ShorterNames(domain)
    inputs = {
        "triples": triples, "entity_dictionary": entity_dictionary,
        "surface_forms": surface_forms, "names": names, "sentences": sentences, "cells": cells,
    }  # fmt: skip
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs))
        ties = find_ties(connection, known_words(language.model))
        canonical = canonical_forms(names)
        near = _similar(names, name_vectors)
        wanted = {*ties.keys, *overrides.keys}
        wanted |= {key for one in near for key in (one.left, one.right)}
        known = comparable_names(connection, names, canonical, sorted(wanted), shorter_names)
        resolution = _Resolution(known, overrides, domain, config)
        found = candidates(known, ties, canonical, shorter_names)
        for candidate in sorted(found, key=lambda one: (-one.score, one.left, one.right)):
            resolution.weigh(candidate)
        for candidate in near:
            resolution.doubt(candidate)
        if confirmer:
            unsent = names_of(connection, unsent_documents) if unsent_documents else frozenset()
            resolution.confirm(confirmer, partial(statements_of, connection), unsent)
        for pair in overrides.different:
            resolution.separate(pair)
        decided = pa.Table.from_pylist(list(resolution.rows()), schema=_DECIDED)
        connection.register("decided", decided)
        connection.execute(_SQL["chosen"])
        stats: dict[str, int | float] = {"names": connection.sql("SELECT count(*) FROM names").fetchall()[0][0]}
        entities = len(set(decided["entity_id"].to_pylist()))
        stats["entities"] = stats["names"] - decided.num_rows + entities
        verdicts = Counter(row["verdict"] for row in resolution.decisions)
        stats |= {f"merges_{verdict}": verdicts[verdict] for verdict in (SAME, DIFFERENT, UNSURE)}
        stats["overrides_unused"] = resolution.unused
        merges = pa.Table.from_pylist(resolution.decisions, schema=schemas.MERGES)
        order = [(column, "ascending") for column in ("left", "right", "by")]
        tables = {"merges": merges.sort_by(order), "resolved": stream(connection, _SQL["resolved"], "resolved", stats)}
        return StageResult(tables, stats, stack.pop_all())


def _similar(names: Rows, encoder: NameEncoder | None) -> list[CandidatePair]:
    if encoder is None:
        return []
    columns = ("key", "name", "type", "mentions", "is_term")
    rows = [
        Name(*row)
        for batch in names.to_batches()
        for row in zip(*(batch[column].to_pylist() for column in columns), strict=True)
    ]
    return similar_names(rows, encoder, _SIMILAR_SCORE)


class _Resolution:
    def __init__(self, names: Mapping[str, Name], overrides: Overrides, domain: Domain, config: ResolveConfig) -> None:
        self.decisions: list[dict[str, Any]] = []
        self.unused = 0
        self._weighed: set[frozenset[str]] = set()
        self._names = names
        self._overrides = overrides
        self._domain = domain
        self._config = config
        self._people: set[str] = set()  # Full names of people that shorter ones stand for.
        self._apart = {frozenset((pair.left, pair.right)) for pair in overrides.different}
        self._together = {frozenset((pair.left, pair.right)) for pair in overrides.same}
        self._clusters = Clusters(self._objection, self._rank)
        for pair in overrides.same:
            self._unite(pair)

    def _rank(self, key: str) -> tuple[int, str]:
        return -self._names[key].mentions, key

    def _objection(self, left: str, right: str) -> str | None:
        pair = frozenset((left, right))
        if pair in self._apart:
            return "override"
        if pair in self._together:
            return None
        return objection(self._names[left], self._names[right], ())

    def _unite(self, pair: Pair) -> None:
        """Join two names by the user's override, whatever the guards say."""
        if not {pair.left, pair.right} <= self._names.keys():
            self.unused += 1
            return
        left, right = sorted((pair.left, pair.right), key=self._rank)
        for member in self._clusters.members(left):
            for other in self._clusters.members(right):
                self._together.add(frozenset((member, other)))
        self._clusters.join(left, right)
        self._decide(left, right, (), 1.0, None, SAME, BY_OVERRIDE)

    def separate(self, pair: Pair) -> None:
        """Record that the user's override keeps two names apart; nothing joined them."""
        if not {pair.left, pair.right} <= self._names.keys():
            self.unused += 1
            return
        left, right = sorted((pair.left, pair.right), key=self._rank)
        self._decide(left, right, (), 0.0, None, DIFFERENT, BY_OVERRIDE)

    def weigh(self, candidate: CandidatePair) -> None:
        """Decide on a candidate pair, and join the clusters if both are the same thing."""
        left, right = self._names[candidate.left], self._names[candidate.right]
        pair = frozenset((candidate.left, candidate.right))
        if pair in self._apart or pair in self._together:
            return
        guard = objection(left, right, candidate.rules)
        verdict = DIFFERENT
        if guard is None and candidate.score >= _SAME_SCORE:
            guard = self._clusters.join(candidate.left, candidate.right)
            guard = guard and f"cluster:{guard}"
            verdict = DIFFERENT if guard else SAME
            if verdict == SAME and PERSON_RULE in candidate.rules:
                self._people.add(max(candidate.left, candidate.right, key=len))
        elif guard is None and candidate.score >= _UNSURE_SCORE:
            verdict = UNSURE
        rules, score = candidate.rules, candidate.score
        self._decide(candidate.left, candidate.right, rules, score, guard, verdict)

    def doubt(self, candidate: CandidatePair) -> None:
        """Leave a pair that no rule ties open for the confirmer, unless a guard keeps it apart."""
        left, right = candidate.left, candidate.right
        pair = frozenset((left, right))
        if pair in self._weighed or pair in self._apart or right in self._clusters.members(left):
            return
        guard = objection(self._names[left], self._names[right], candidate.rules)
        if guard is None:
            self._decide(left, right, candidate.rules, candidate.score, None, UNSURE)

    def confirm(
        self,
        confirmer: Confirmer,
        statements: Callable[[Iterable[str]], Mapping[str, Sequence[str]]],
        unsent: Set[str] = frozenset(),
    ) -> None:
        """Ask the confirmer about open pairs, except those with `unsent` names."""
        unsure = [
            row for row in self.decisions if row["verdict"] == UNSURE and unsent.isdisjoint((row["left"], row["right"]))
        ]
        if not unsure:
            return
        keys = sorted(map(_keys, unsure))
        asked = [(self._names[left], self._names[right]) for left, right in keys]
        contexts = statements(chain.from_iterable(keys))
        answers = dict(zip(keys, confirmer.confirm(asked, contexts), strict=True))
        for row in unsure:
            answer = answers[_keys(row)]
            if answer is None:
                continue
            guard = self._clusters.join(row["left"], row["right"]) if answer else None
            row["guard"] = guard and f"cluster:{guard}"
            row["verdict"] = SAME if answer and not guard else DIFFERENT
            row["by"] = BY_CONFIRMER

    def _decide(
        self,
        left: str,
        right: str,
        rules: Iterable[str],
        score: float,
        guard: str | None,
        verdict: str,
        by: str = BY_RULES,
    ) -> None:
        self._weighed.add(frozenset((left, right)))
        decision = {"left": left, "right": right, "rules": list(rules), "score": score}
        self.decisions.append(decision | {"guard": guard, "verdict": verdict, "by": by})

    def rows(self) -> Iterable[dict[str, Any]]:
        """Yield a row with the entity of each name that was compared."""
        centres = self._clusters.centres()
        entities: dict[str, dict[str, Any]] = {}
        for key in sorted(self._names):
            centre = centres.get(key, key)
            if centre not in entities:
                entities[centre] = self._entity(centre)
            yield {"key": key} | entities[centre]

    def _entity(self, centre: str) -> dict[str, Any]:
        members, renamed = self._clusters.members(centre), self._overrides.rename
        return {
            "entity_id": content_id("entity", centre),
            "centre": centre,
            "name": next((renamed[member] for member in members if member in renamed), None) or self._shown(members),
            "type": self._voted_type(members),
            "is_term": any(self._names[member].is_term for member in members),
        }

    def _shown(self, members: Sequence[str]) -> str:
        """Return the display name: that of most mentions; of a one-word term, in the singular; a person's full one."""
        names = [self._names[member] for member in members]
        centre = next((name for name in names if name.key in self._people), names[0])
        if not centre.is_term or " " in centre.key:
            return centre.name
        return next((name.name for name in names if singular_noun(name.key) == name.key), centre.name)

    def _voted_type(self, members: Iterable[str]) -> str | None:
        """Return the majority type of the mentions, or None; a technical type always wins."""
        members = list(members)
        if listed := next(filter(None, map(self._domain.type_by_name, members)), None):
            return listed
        if not self._people.isdisjoint(members):
            return "PERSON"
        votes: Counter[str] = Counter()
        for member in members:
            name = self._names[member]
            votes[name.type or ""] += name.mentions
        return min(votes, key=lambda one: (one not in self._domain.types, -votes[one], one)) or None


def _keys(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["left"], row["right"]
