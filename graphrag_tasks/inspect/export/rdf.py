"""The graph as RDF with provenance (PROV-O), which rdflib writes as N-Triples and Turtle.

Entities, chunks, documents, sentences and facts are resources named by their ids below a base. Asserted facts are plain
triples, `entity relation entity`, and each relation is also a `rdf:Statement` with support, confidence and sources.
Negated and conditional facts are only statements, as they do not hold. There are no blank nodes and no dates, so the
same graph gives the same bytes. The whole graph is held in memory.

Needs the extra `rdf`.
"""

from __future__ import annotations

import re
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
from rdflib import DCTERMS, PROV, RDF, RDFS, SKOS, XSD, Graph, Literal, Namespace, URIRef

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.graph.clusters import Selection
from graphrag_tasks.graph.weights import CONDITION
from graphrag_tasks.inspect.export.graph_files import Provenance, rows_of
from graphrag_tasks.storage.snapshots.manifests import Manifest

BASE = "urn:graphrag-tasks:"  # Default prefix of resource IRIs.

VOCABULARY = Namespace("urn:graphrag-tasks:vocabulary:")
"""Classes and properties without a published vocabulary; the same for every base."""

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*[/#:]")
"""An absolute IRI (RFC 3987; the excluded characters are those of IRIREF in Turtle)."""

_DIGITS = 6  # Digits of a confidence, which tables store in single precision.

_CLASSES = {
    "document": (PROV.Entity, VOCABULARY.Document),
    "chunk": (PROV.Entity, VOCABULARY.Chunk),
    "sentence": (PROV.Entity, VOCABULARY.Sentence),
    "entity": (VOCABULARY.Entity,),
    "fact": (RDF.Statement, PROV.Entity),
}
"""Classes of each kind of resource."""

_VALUES = {
    "title": DCTERMS.title, "uri": DCTERMS.identifier, "media_type": DCTERMS.format,
    "content_sha256": VOCABULARY.sha256, "text": PROV.value, "ordinal": VOCABULARY.place,
    "heading_path": VOCABULARY.heading, "page_start": VOCABULARY.pageStart,
    "page_end": VOCABULARY.pageEnd, "page": VOCABULARY.page, "name": RDFS.label,
    "mentions": VOCABULARY.mentions, "phrase": VOCABULARY.phrase, "kind": VOCABULARY.kind,
    "negated": VOCABULARY.negated, "support": VOCABULARY.support,
    "confidence": VOCABULARY.confidence, "alias": SKOS.altLabel,
}  # fmt: skip
"""Properties of columns with values."""

_LINKS = {
    ("chunk", "document_id"): (DCTERMS.isPartOf, PROV.wasDerivedFrom),
    ("sentence", "chunk_id"): (DCTERMS.isPartOf, PROV.wasQuotedFrom),
    ("entity", "type"): (RDF.type,),
    ("entity", "chunk_id"): (VOCABULARY.mentionedIn,),
    ("fact", "head_id"): (RDF.subject,),
    ("fact", "relation"): (RDF.predicate,),
    ("fact", "tail_id"): (RDF.object,),
    ("fact", "sentence_id"): (PROV.wasDerivedFrom,),
    ("fact", "chunk_id"): (PROV.wasDerivedFrom,),
}
"""Properties of columns that name a resource, by the kind of resource that has them."""


class _Graph(Graph):
    """A graph whose resources are named below a base, with the prefixes that are bound alone."""

    def __init__(self, base: str) -> None:
        super().__init__(bind_namespaces="none")
        self._below = base
        vocabularies = {"rdf": RDF, "rdfs": RDFS, "skos": SKOS, "prov": PROV, "dcterms": DCTERMS,
                        "xsd": XSD, "graphrag": VOCABULARY}  # fmt: skip
        for prefix, start in vocabularies.items():
            self.bind(prefix, start)
        for kind in (*_CLASSES, "type", "relation"):
            self.bind(kind, f"{base}{kind}/")

    def compute_qname(self, uri: str, generate: bool = True) -> tuple[str, URIRef, str]:  # noqa: ARG002
        return super().compute_qname(uri, generate=False)

    def at(self, kind: str, name: str) -> URIRef:
        """Return the IRI of a resource; characters that IRIs forbid are percent-encoded."""
        return URIRef(f"{self._below}{kind}/{quote(name, safe='')}")

    def describe(self, kind: str, key: str, table: pa.Table) -> None:
        """Add what the columns of a table say of resources of a kind."""
        for row in rows_of(table):
            subject = self.at(kind, row[key])
            for column, value in row.items():
                links = _LINKS.get((kind, column), ())
                for link in links if value else ():
                    self.add((subject, link, self.at(*_named(column, value))))
                if column in _VALUES and value is not None and not links:
                    for one in value if isinstance(value, list) else [value]:
                        self.add((subject, _VALUES[column], Literal(one)))

    def label(self, kind: str, of: URIRef, names: pa.ChunkedArray) -> None:
        """Add the labels of entity classes or of relation properties."""
        for name in filter(None, pc.unique(names).to_pylist()):
            self.add((self.at(kind, name), RDF.type, of))
            self.add((self.at(kind, name), RDFS.label, Literal(name)))


def _named(column: str, name: str) -> tuple[str, str]:
    """Return the kind and name of the resource that a column names."""
    kind = column.removesuffix("_id")
    return "entity" if kind in ("head", "tail") else kind, name


def rdf_text(selection: Selection, provenance: Provenance, manifest: Manifest, form: str, base: str = BASE) -> str:
    """Return a part of a snapshot's graph as RDF, its resources named below a base.

    `form` is "turtle" or "nt".
    """
    if not _ABSOLUTE.fullmatch(base):
        hint = "Give an absolute IRI that ends with / or #: https://example.org/graph/"
        raise ConfigError("is no beginning of IRIs", f"--base {base}", hint)
    graph = _Graph(base)
    relations = selection.relations
    for column, values in (
        ("support", relations["support"].cast(pa.int64())),
        ("confidence", pc.round(relations["confidence"].cast(pa.float64()), _DIGITS)),
    ):
        relations = relations.set_column(relations.column_names.index(column), column, values)
    snapshot = _add_snapshot(graph, manifest, provenance)
    for kind, key, table in (
        ("document", "document_id", provenance.documents),
        ("chunk", "chunk_id", provenance.chunks),
        ("sentence", "sentence_id", provenance.sentences),
        ("entity", "entity_id", selection.entities),
        ("fact", "relation_id", relations),
    ):
        for name in table[key].to_pylist():
            for of in _CLASSES[kind]:
                graph.add((graph.at(kind, name), RDF.type, of))
            if kind in ("entity", "fact"):
                graph.add((graph.at(kind, name), DCTERMS.isPartOf, snapshot))
        graph.describe(kind, key, table)
    graph.describe("entity", "entity_id", provenance.mentions.select(["entity_id", "chunk_id"]))
    graph.describe("entity", "entity_id", provenance.aliases)
    graph.describe("fact", "relation_id", provenance.evidence)
    graph.label("type", RDFS.Class, selection.entities["type"])
    graph.label("relation", RDF.Property, relations["relation"])
    for row in rows_of(selection.entities):  # its name is the label
        graph.remove((graph.at("entity", row["entity_id"]), SKOS.altLabel, Literal(row["name"])))
    for row in rows_of(relations):
        if not row["negated"] and row["kind"] != CONDITION:
            head, tail = (graph.at("entity", row[end]) for end in ("head_id", "tail_id"))
            graph.add((head, graph.at("relation", row["relation"]), tail))
    text = graph.serialize(format=form)
    # rdflib's store has no order, and Turtle is sorted
    return "\n".join(sorted(text.split("\n"))).lstrip() + "\n" if form == "nt" else text


def _add_snapshot(graph: _Graph, manifest: Manifest, provenance: Provenance) -> URIRef:
    """Add the snapshot, and the run that made it of the documents; return the snapshot."""
    snapshot, run = (graph.at(kind, manifest.snapshot_id) for kind in ("snapshot", "run"))
    agent = graph.at("software", "graphrag-tasks")
    used = [(run, PROV.used, graph.at("document", one))
            for one in provenance.documents["document_id"].to_pylist()]  # fmt: skip
    versions = [(run, VOCABULARY.codeVersion, Literal(f"{stage} {fingerprint}"))
                for stage, fingerprint in manifest.fingerprints.items()]  # fmt: skip
    for triple in (
        (agent, RDF.type, PROV.SoftwareAgent),
        (agent, RDFS.label, Literal("graphrag-tasks")),
        (run, RDF.type, PROV.Activity),
        (run, PROV.wasAssociatedWith, agent),
        (snapshot, RDF.type, PROV.Entity),
        (snapshot, DCTERMS.identifier, Literal(manifest.snapshot_id)),
        (snapshot, VOCABULARY.schemaVersion, Literal(manifest.schema_version)),
        (snapshot, PROV.wasGeneratedBy, run),
        *used,
        *versions,
    ):
        graph.add(triple)
    return snapshot
