"""What a reader may see of a snapshot, as a snapshot: nothing behind it knows of access labels.

Every table that retrieval reads comes through here. Rows of documents that the reader may not see
are left out before anything is ranked or counted, so scores, neighbours and statistics come from
visible documents alone, and k results are k visible ones. What was made from several documents is
made again from the visible rows: the name of an entity, its label and counts, the weight,
confidence and wording of a relation, and the communities with their summaries.

What remains of hidden documents is which names were found to be one entity, and which common nouns
are none (`docs/security.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import AccessError
from graphrag_tasks.graph.relationships.support import joint_confidence, wording
from graphrag_tasks.language.bm25 import word_tables
from graphrag_tasks.retrieval.view.arrays import column
from graphrag_tasks.snapshots.store import Snapshot
from graphrag_tasks.sources.labels import may_see


class _Everybody(Enum):
    ALL_DOCUMENTS = "all documents"


ALL_DOCUMENTS: Final = _Everybody.ALL_DOCUMENTS
"""In place of principals: see everything, as who runs the store may; never for a user."""

Principals = Collection[str] | _Everybody | None
"""The labels that a reader holds; None where labels are off."""


def visible(snapshot: Snapshot, principals: Principals) -> Snapshot:
    """Return what a reader sees of a snapshot.

    Args:
        snapshot: A published snapshot.
        principals: The labels that the reader holds; none of them: what is public.

    Raises:
        AccessError: The snapshot has labels and no principals are given, or the other way round.
    """
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
    held = frozenset(principals)
    seen = pa.array([may_see(one, held) for one in documents["labels"].to_pylist()], pa.bool_())
    if pc.all(seen).as_py() is not False:
        return snapshot
    return VisibleSnapshot(snapshot, documents.filter(seen)["document_id"].combine_chunks())


class VisibleSnapshot(Snapshot):
    """The rows of a snapshot that rest on some of its documents.

    Vectors of entities and relations whose published wording is not that of visible documents are
    zero: a question that guesses the hidden name must not come near them.

    Args:
        snapshot: The whole snapshot.
        documents: Ids of the documents that may be seen.
    """

    def __init__(self, snapshot: Snapshot, documents: pa.Array[Any]) -> None:
        self.folder = snapshot.folder
        self.manifest = replace(
            snapshot.manifest, sources={}, collections={}, tables={}, stats={}, fingerprints={}
        )
        self._whole = snapshot
        self._documents = documents
        self._made: dict[str, Callable[[], pa.Table]] = {
            "entities": lambda: self._entities,
            "aliases": lambda: self._aliases,
            "relations": lambda: self._relations,
            "communities": lambda: self._communities["communities"],
            "members": lambda: self._communities["members"],
            "chunk_vectors": lambda: self._vectors("chunk", self.table("chunks", ["chunk_id"])),
            "entity_vectors": lambda: self._vectors("entity", self._entities),
            "relation_vectors": lambda: self._vectors("relation", self._relations),
            "text_terms": lambda: self._words["text_terms"],
            "text_postings": lambda: self._words["text_postings"],
            "heading_terms": lambda: self._words["heading_terms"],
            "heading_postings": lambda: self._words["heading_postings"],
            "links": lambda: self._links,
        }

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Return the visible rows of a table.

        Raises:
            AccessError: Its rows do not say which documents they rest on.
        """
        if name in self._made:
            rows = self._made[name]()
            return rows.select(columns) if columns else rows
        schema = schemas.schema_of(name)
        if schema is None or "document_id" not in schema.names:
            raise AccessError(f"the table '{name}' cannot be read with principals", self.folder.uri)
        return self._rows(name, columns)

    def _rows(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Return the rows of the visible documents, as they are."""
        read = columns if columns is None else [*columns, "document_id"]
        rows = self._whole.table(name, list(dict.fromkeys(read)) if read else None)
        rows = rows.filter(pc.is_in(rows["document_id"], value_set=self._documents))
        return rows.select(columns) if columns else rows

    def verify(self, names: Iterable[str] | None = None) -> None:
        """Compare the files of the whole snapshot with its manifest."""
        self._whole.verify(names)

    def find_rows(self, name: str, key: str, value: str) -> pa.Table:
        """Return the visible rows of a table that have a value."""
        rows = self.table(name)
        return rows.filter(pc.equal(rows[key], value))

    def searchable(self, kind: str) -> pa.Array[Any]:
        """Return the ids of the visible rows of one kind whose published vector is theirs."""
        if kind == "chunk":
            return column(self.table("chunks", ["chunk_id"]), "chunk_id")
        rows = self._entities if kind == "entity" else self._relations
        return column(rows.filter(rows["as_published"]), f"{kind}_id")

    @cached_property
    def _links(self) -> pa.Table:
        """Links without the target of those that lead to no visible document, be it there or not.

        How the visible document writes a link (`href`) is its own text and stays.
        """
        rows = self._rows("links")
        seen = pc.is_in(rows["target_document_id"], value_set=self._documents)
        shown = pc.or_(seen, pc.equal(rows["kind"], "external"))
        for name in ("target", "target_document_id"):
            known = pc.if_else(shown, rows[name], pa.scalar(None, pa.string()))
            rows = rows.set_column(rows.column_names.index(name), name, known)
        return rows

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
        """Entities that a visible document mentions or has in a title, as it calls them."""
        titles = self.table("titles", ["entity_id", "alias"])
        named = titles.append_column("mentions", pa.array(np.zeros(titles.num_rows, np.int64)))
        names = _most_frequent(pa.concat_tables([self._aliases, named]), "alias")
        labels = self._mentions.filter(pc.is_valid(self._mentions["type"]))
        types = _most_frequent(_counted(labels, ["entity_id", "type"], "mentions"), "type")
        whole = self._whole.table("entities", ["entity_id", "name", "type", "mentions"])
        whole = whole.filter(pc.is_in(whole["entity_id"], value_set=pa.array(names, pa.string())))
        ids, published = (whole[name].to_pylist() for name in ("entity_id", "name"))
        known = set(zip(*(self._aliases[name].to_pylist() for name in _ALIAS), strict=True))
        known.update(zip(*(titles[name].to_pylist() for name in _ALIAS), strict=True))
        shown = [
            name if (one, name) in known else names[one]
            for one, name in zip(ids, published, strict=True)
        ]
        mentions = _count_of(self._mentions, "entity_id", whole)
        all_titles = self._whole.table("titles", ["entity_id"])
        hides_nothing = pc.and_(
            pc.equal(mentions, column(whole, "mentions")),
            pc.equal(
                _count_of(titles, "entity_id", whole), _count_of(all_titles, "entity_id", whole)
            ),
        )
        visible_types = pa.array([types.get(one) for one in ids], pa.string())
        chunks = self._mentions.group_by(["entity_id", "chunk_id"]).aggregate([])
        return pa.table(
            {
                "entity_id": whole["entity_id"],
                "name": pa.array(shown, pa.string()),
                "type": pc.if_else(hides_nothing, column(whole, "type"), visible_types),
                "mentions": mentions,
                "chunks": _count_of(chunks, "entity_id", whole),
                "as_published": _equal(shown, published),
            }
        )

    @cached_property
    def _relations(self) -> pa.Table:
        """Relations that a visible document states, as often and as surely as those do."""
        evidence = self.table("evidence", ["relation_id", "confidence"])
        columns = ["relation_id", "head_id", "relation", "tail_id", "text", "negated"]
        whole = self._whole.table("relations", columns)
        whole = whole.filter(
            pc.is_in(whole["relation_id"], value_set=column(evidence, "relation_id"))
        )
        weights, confidence = joint_confidence(evidence, column(whole, "relation_id"))
        names = dict(zip(*(self._entities[one].to_pylist() for one in _NAME), strict=True))
        texts = [
            wording(
                names[row["head_id"]], row["relation"], names[row["tail_id"]],
                negated=row["negated"],
            )
            for row in whole.to_pylist()
        ]  # fmt: skip
        return pa.table(
            {
                **{name: whole[name] for name in columns if name != "text"},
                "text": pa.array(texts, pa.string()),
                "weight": pa.array(weights, pa.float32()),
                "confidence": pa.array(confidence, pa.float32()),
                "as_published": _equal(texts, whole["text"].to_pylist()),
            }
        )

    @cached_property
    def _communities(self) -> Mapping[str, pa.Table]:
        """Communities of the visible graph, summarised by its own sentences."""
        from graphrag_tasks.graph import communities as finding  # brings igraph

        found = finding.communities(
            **{name: self.table(name, columns) for name, columns in finding.COLUMNS.items()},
            config=self.manifest.settings["communities"],
            graph=self.manifest.settings["graph"],
            summarizer=finding.ExtractiveSummarizer(),
        )
        return found.collected().tables

    @cached_property
    def _words(self) -> Mapping[str, pa.Table]:
        """BM25 over the visible chunks, whose terms are as rare as they are in those."""
        return word_tables(self.table("documents"), self.table("chunks"))

    def _vectors(self, kind: str, rows: pa.Table) -> pa.Table:
        """Return the vectors of the visible rows, zero where their wording is not the published."""
        whole = self._whole.table(f"{kind}_vectors", ["id", "vector"])
        ids = column(rows, f"{kind}_id")
        whole = whole.take(pc.index_in(ids, value_set=column(whole, "id")))
        vectors = column(whole, "vector")
        width = vectors.type.list_size
        matrix = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, width).copy()
        if "as_published" in rows.column_names:
            matrix[~rows["as_published"].to_numpy()] = 0.0
        flat = pa.array(matrix.ravel(), pa.float32())
        return pa.table({"id": ids, "vector": pa.FixedSizeListArray.from_arrays(flat, width)})


_ALIAS = ("entity_id", "alias")
_NAME = ("entity_id", "name")


def _counted(rows: pa.Table, by: list[str], name: str) -> pa.Table:
    counted = rows.group_by(by).aggregate([([], "count_all")])
    return counted.select([*by, "count_all"]).rename_columns([*by, name])


def _count_of(rows: pa.Table, key: str, of: pa.Table) -> pa.Array[Any]:
    counted = _counted(rows, [key], "count")
    place = pc.index_in(column(of, key), value_set=column(counted, key))
    return column(counted, "count").take(place).fill_null(0).cast(pa.int32())


def _most_frequent(counted: pa.Table, name: str) -> dict[str, str]:
    """Return the value of each entity that has most mentions, the first by letters of equals."""
    order = [("mentions", "descending"), (name, "ascending")]
    found: dict[str, str] = {}
    for row in counted.sort_by(order).to_pylist():
        found.setdefault(row["entity_id"], row[name])
    return found


def _equal(these: list[str], those: list[str]) -> pa.Array[Any]:
    return pa.array([one == other for one, other in zip(these, those, strict=True)], pa.bool_())
