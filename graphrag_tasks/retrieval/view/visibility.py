"""The part of a snapshot that a reader may see, as a snapshot.

Every table that retrieval reads comes through here. Rows of hidden documents are removed before anything is ranked or
counted, so scores, neighbours and statistics come only from visible documents. What was made from several documents is
recomputed from the visible rows: names, types and counts of entities, weight, confidence and wording of relations, and
the communities.

Only two things remain of hidden documents: which names were merged into one entity, and which common nouns were not
(`docs/explanation/security.md`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.errors import AccessError
from graphrag_tasks.graph.name_tables import NAME_TABLES, name_tables
from graphrag_tasks.graph.weights import ASSOCIATION, CONDITION, FACT, LEAST_WORTH, joint_confidence, wording
from graphrag_tasks.language.bm25 import word_tables
from graphrag_tasks.sources.labels import may_see
from graphrag_tasks.storage.artifacts import column
from graphrag_tasks.storage.snapshots.store import Snapshot


class _Everybody(Enum):
    ALL_DOCUMENTS = "all documents"


ALL_DOCUMENTS: Final = _Everybody.ALL_DOCUMENTS
"""Instead of principals: see everything, for the operator of the store; never for a user."""

Principals = Collection[str] | _Everybody | None  # The labels of a reader; None if labels are off.

_TABLES = {"chunk": "chunks", "entity": "entities", "relation": "relations"}


def visible(snapshot: Snapshot, principals: Principals) -> Snapshot:
    """Return what a reader with these labels sees; without labels, what is public."""
    if principals is ALL_DOCUMENTS:
        return snapshot
    documents = snapshot.table("documents", ["document_id", "labels"])
    labelled = documents["labels"].null_count < documents.num_rows
    where = snapshot.folder.uri
    if principals is None:
        if labelled:
            raise AccessError(
                "the snapshot has access labels, and no principals are given", where,
                "Name the labels that the reader holds: open_index(…, principals=[…]), query --as, "
                "pages.principals",
            )  # fmt: skip
        return snapshot
    if isinstance(principals, str):
        raise AccessError("principals must be a list of labels", where, f"Give [{principals!r}]")
    if documents.num_rows and not labelled:
        raise AccessError(
            "principals are given, but the snapshot has no access labels", where,
            "Set access.enabled = true and index again, or open it without principals",
        )  # fmt: skip
    wrong = next((principal for principal in principals if not isinstance(principal, str)), None)
    if wrong is not None:
        raise AccessError(f"a label must be text (got {wrong!r})", where, "Give a list of labels")
    held = frozenset(principals)
    seen = pa.array([may_see(document, held) for document in documents["labels"].to_pylist()], pa.bool_())
    if pc.all(seen).as_py() is not False:
        return snapshot
    return VisibleSnapshot(snapshot, documents.filter(seen)["document_id"].combine_chunks())


class VisibleSnapshot(Snapshot):
    """The rows of a snapshot that rest on some of its documents.

    Vectors of entities and relations are zero if visible documents word them differently, so that a question that
    guesses a hidden name does not find them.
    """

    def __init__(self, snapshot: Snapshot, documents: pa.Array[Any]) -> None:
        self.folder = snapshot.folder
        self.manifest = replace(snapshot.manifest, sources={}, collections={}, tables={}, stats={}, fingerprints={})
        self._whole = snapshot
        self._documents = documents

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Return the visible rows of a table."""
        made = self._made(name)
        if made is not None:
            return made.select(columns) if columns else made
        schema = schemas.schema_of(name)
        if schema is None or "document_id" not in schema.names:
            raise AccessError(f"the table '{name}' cannot be read with principals", self.folder.uri)
        return self._rows(name, columns)

    def _made(self, name: str) -> pa.Table | None:
        """Return a table that is recomputed from visible rows; None if it is only filtered."""
        kind, _, part = name.partition("_")
        if name in ("entities", "aliases", "relations", "changes"):
            return getattr(self, f"_{name}")
        if name in ("communities", "members"):
            return self._communities[name]
        if kind in _TABLES and part == "vectors":
            return self._vectors(kind)
        if name in NAME_TABLES:
            return self._names[name]
        if name in schemas.CLUSTER_TABLES:  # of hidden chunks, too
            return schemas.empty(name)
        return self._words[name] if part in ("terms", "postings") else None

    def _rows(self, name: str, columns: list[str] | None = None) -> pa.Table:
        read = columns if columns is None else [*columns, "document_id"]
        rows = self._whole.table(name, list(dict.fromkeys(read)) if read else None)
        rows = rows.filter(pc.is_in(rows["document_id"], value_set=self._documents))
        return rows.select(columns) if columns else rows

    def verify(self, names: Iterable[str] | None = None) -> None:
        """Compare the files of the whole snapshot with its manifest."""
        self._whole.verify(names)

    def find_rows(self, name: str, key: str, value: str, columns: list[str] | None = None) -> pa.Table:
        """Return the visible rows of a table with this value, or some of their columns."""
        rows = self.table(name, columns)
        return rows.filter(pc.equal(rows[key], value))

    def searchable(self, kind: str) -> pa.Array[Any]:
        """Return the ids of the visible chunks, entities or relations with an unchanged vector."""
        rows = self._nodes(kind)
        return column(rows.filter(rows["as_published"]), f"{kind}_id")

    @cached_property
    def _changes(self) -> pa.Table:
        """Changes whose both versions are visible."""
        rows = self._rows("changes")
        return rows.filter(pc.is_in(rows["older_document_id"], value_set=self._documents))

    @cached_property
    def _mentions(self) -> pa.Table:
        return self.table("mentions", ["entity_id", "chunk_id", "alias", "type"])

    @cached_property
    def _aliases(self) -> pa.Table:
        return _counted(self._mentions, ["entity_id", "alias"], "mentions").sort_by(
            [("entity_id", "ascending"), ("alias", "ascending")]
        )

    @cached_property
    def _entities(self) -> pa.Table:
        """Entities in visible mentions or titles, named as there."""
        titles = self.table("titles", ["entity_id", "alias"])
        named = titles.append_column("mentions", pa.array(np.zeros(titles.num_rows, np.int64)))
        names = _most_frequent(pa.concat_tables([self._aliases, named]), "alias")
        labels = self._mentions.filter(pc.is_valid(self._mentions["type"]))
        types = _most_frequent(_counted(labels, ["entity_id", "type"], "mentions"), "type")
        whole = self._whole.table(
            "entities", ["entity_id", "name", "type", "type_source", "is_named", "mentions", "is_term"]
        )
        whole = whole.filter(pc.is_in(whole["entity_id"], value_set=pa.array(names, pa.string())))
        known = {*_pairs(self._aliases, "alias"), *_pairs(titles, "alias")}
        published = dict(_pairs(whole, "name"))
        shown = [name if (one, name) in known else names[one] for one, name in published.items()]
        mentions = _count_of(self._mentions, whole)
        all_titles = _count_of(self._whole.table("titles", ["entity_id"]), whole)
        hides_nothing = pc.and_(
            pc.equal(mentions, column(whole, "mentions")), pc.equal(_count_of(titles, whole), all_titles)
        )
        labels_here = pa.array(map(types.get, published), pa.string())
        # A key's header, or a name by which another is a person's, may stand in a hidden document.
        by_itself = pc.is_in(whole["type_source"], value_set=pa.array(schemas.NAME_SOURCES))
        as_told = pc.and_(hides_nothing, by_itself)
        chunks = self._mentions.group_by(["entity_id", "chunk_id"]).aggregate([])
        return pa.table(
            {
                "entity_id": whole["entity_id"],
                "name": pa.array(shown, pa.string()),
                "type": pc.if_else(as_told, column(whole, "type"), None),
                "type_source": pc.if_else(as_told, column(whole, "type_source"), None),
                "is_named": pc.if_else(hides_nothing, column(whole, "is_named"), pc.is_valid(labels_here)),
                "mentions": mentions,
                "chunks": _count_of(chunks, whole),
                "is_term": whole["is_term"],
                "as_published": _equal(shown, published.values()),
            }
        )

    @cached_property
    def _relations(self) -> pa.Table:
        """Relations in visible documents, with their weight and confidence there."""
        evidence = self.table("evidence", ["relation_id", "triple_id", "said", "confidence", "phrase", "conditional"])
        triples = self.table("triples", ["triple_id", "worth"])
        worth = triples.filter(pc.greater_equal(triples["worth"], LEAST_WORTH))
        tells = pc.and_not(
            pc.is_in(evidence["triple_id"], value_set=column(worth, "triple_id")), evidence["conditional"]
        )
        told = set(evidence["relation_id"].filter(tells).to_pylist())
        columns = ["relation_id", "head_id", "relation", "tail_id", "text", "negated"]
        whole = self._whole.table("relations", columns)
        whole = whole.filter(pc.is_in(whole["relation_id"], value_set=column(evidence, "relation_id")))
        weights, confidence = joint_confidence(evidence, column(whole, "relation_id"))
        names = dict(_pairs(self._entities, "name"))
        phrases, conditional = _phrases(evidence, column(whole, "relation_id").to_pylist())
        texts = []
        for row in whole.to_pylist():
            head, tail = names[row["head_id"]], names[row["tail_id"]]
            texts.append(wording(head, row["relation"], tail, negated=row["negated"]))
        return pa.table(
            {
                **{name: whole[name] for name in columns if name != "text"},
                "text": pa.array(texts, pa.string()),
                "phrase": pa.array(phrases, pa.string()),
                "kind": pa.array(
                    [
                        CONDITION if one else FACT if row["relation_id"] in told else ASSOCIATION
                        for row, one in zip(whole.to_pylist(), conditional, strict=True)
                    ],
                    pa.string(),
                ),
                "weight": pa.array(weights, pa.float32()),
                "confidence": pa.array(confidence, pa.float32()),
                "as_published": _equal(texts, whole["text"].to_pylist()),
            }
        )

    @cached_property
    def _communities(self) -> Mapping[str, pa.Table]:
        """Communities of the visible graph, with summaries from visible sentences."""
        with brought_by("index"):
            from graphrag_tasks.graph import communities as finding

        found = finding.communities(
            **{name: self.table(name, columns) for name, columns in finding.COLUMNS.items()},
            config=CommunitiesConfig(**self.manifest.settings["communities"]),
            summarizer=finding.ExtractiveSummarizer(),
        )
        return found.collected().tables

    @cached_property
    def _words(self) -> Mapping[str, pa.Table]:
        return word_tables(self.table("documents"), self.table("chunks"))

    @cached_property
    def _names(self) -> Mapping[str, pa.Table]:
        return name_tables(self.table)

    def _nodes(self, kind: str) -> pa.Table:
        """Return the ids of visible rows, and whether each is worded as published."""
        if kind != "chunk":
            return self.table(_TABLES[kind], [f"{kind}_id", "as_published"])
        rows = self.table("chunks", ["chunk_id"])
        return rows.append_column("as_published", pa.array(np.ones(rows.num_rows, dtype=bool)))

    def _vectors(self, kind: str) -> pa.Table:
        """Return the vectors of visible rows; zero if their wording differs from the published."""
        rows = self._nodes(kind)
        whole = self._whole.table(f"{kind}_vectors", ["id", "vector"])
        ids = column(rows, f"{kind}_id")
        whole = whole.take(pc.index_in(ids, value_set=column(whole, "id")))
        vectors = column(whole, "vector")
        width = vectors.type.list_size
        matrix = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, width).copy()
        matrix[~rows["as_published"].to_numpy()] = 0.0
        flat = pa.array(matrix.ravel(), pa.float32())
        return pa.table({"id": ids, "vector": pa.FixedSizeListArray.from_arrays(flat, width)})


def _phrases(evidence: pa.Table, relations: list[str]) -> tuple[list[str], list[bool]]:
    """Return each relation's most frequent visible phrase, and whether all state conditions."""
    asserted: dict[str, Counter[str]] = defaultdict(Counter)
    stated: dict[str, Counter[str]] = defaultdict(Counter)
    for row in evidence.select(["relation_id", "phrase", "conditional"]).to_pylist():
        stated[row["relation_id"]][row["phrase"]] += 1
        asserted[row["relation_id"]][row["phrase"]] += not row["conditional"]

    def rank(relation: str, phrase: str) -> tuple[int, int, str]:
        return -asserted[relation][phrase], -stated[relation][phrase], phrase

    phrases = [min(stated[one], key=partial(rank, one)) for one in relations]
    return phrases, [not asserted[one].total() for one in relations]


def _pairs(rows: pa.Table, name: str) -> Iterator[tuple[str, str]]:
    return zip(rows["entity_id"].to_pylist(), rows[name].to_pylist(), strict=True)


def _counted(rows: pa.Table, by: list[str], name: str) -> pa.Table:
    counted = rows.group_by(by).aggregate([([], "count_all")])
    return counted.select([*by, "count_all"]).rename_columns([*by, name])


def _count_of(rows: pa.Table, entities: pa.Table) -> pa.Array[Any]:
    counted = _counted(rows, ["entity_id"], "count")
    place = pc.index_in(column(entities, "entity_id"), value_set=column(counted, "entity_id"))
    return column(counted, "count").take(place).fill_null(0).cast(pa.int32())


def _most_frequent(counted: pa.Table, name: str) -> dict[str, str]:
    """Return the most mentioned value of each entity; ties go to the alphabetically first."""
    order = [("mentions", "ascending"), (name, "descending")]
    return dict(_pairs(counted.sort_by(order), name))


def _equal(these: Iterable[str], those: Iterable[str]) -> pa.Array[Any]:
    return pa.array([one == other for one, other in zip(these, those, strict=True)], pa.bool_())
