"""The graph as RDF with provenance (PROV-O): N-Triples and Turtle.

Entities, chunks, documents, sentences and facts are resources named by their ids below a base. Asserted facts are plain
triples, `entity relation entity`, and each relation is also a `rdf:Statement` with support, confidence and sources.
Negated and conditional facts are only statements, as they do not hold. There are no blank nodes and no dates, so the
same graph gives the same bytes.

Needs the extra `rdf`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TextIO
from urllib.parse import quote

import pyarrow.compute as pc
from rdflib import DCTERMS, PROV, RDF, RDFS, SKOS, XSD, Literal, Namespace, URIRef

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.graph.drawing import Selection
from graphrag_tasks.graph.relation_kinds import CONDITION
from graphrag_tasks.inspect.export.provenance import Provenance
from graphrag_tasks.inspect.export.rows import Row, rows_of
from graphrag_tasks.storage.snapshots.manifests import Manifest

BASE = "urn:graphrag-tasks:"  # Default prefix of resource IRIs.

VOCABULARY = Namespace("urn:graphrag-tasks:vocabulary:")
"""Classes and properties without a published vocabulary; the same for every base."""

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*[/#:]")
"""An absolute IRI (RFC 3987; the excluded characters are those of IRIREF in Turtle)."""

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
"""Controls C0, DEL and C1, and Unicode's line and paragraph separators, at which programs split lines."""
_ESCAPES = {number: f"\\u{number:04X}" for number in _CONTROLS} | str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
"""Characters that a one-line string cannot hold (N-Triples, STRING_LITERAL_QUOTE), or that programs take for a line
end."""

_LOCAL = re.compile(r"[A-Za-z0-9_]+")  # Local names that need no escapes in Turtle; a subset of PN_LOCAL.
_KEPT_SHORT = 100_000  # Cached short names; bounds memory.
_DIGITS = 6  # Digits of a confidence, which tables store in single precision.

Triple = tuple[URIRef, URIRef, URIRef | Literal]


class Resources:
    """The IRIs of resources below a base."""

    def __init__(self, base: str = BASE) -> None:
        if not _ABSOLUTE.fullmatch(base):
            hint = "Give an absolute IRI that ends with / or #: https://example.org/graph/"
            raise ConfigError("is no beginning of IRIs", f"--base {base}", hint)
        self._base = base

    def prefixes(self) -> Mapping[str, str]:
        """Return the prefixes for Turtle, one for each kind of resource."""
        kinds = ("entity", "fact", "sentence", "chunk", "document", "type", "relation")
        return {
            "rdf": str(RDF), "rdfs": str(RDFS), "skos": str(SKOS), "prov": str(PROV),
            "dcterms": str(DCTERMS), "xsd": str(XSD), "graphrag": str(VOCABULARY),
        } | {kind: f"{self._base}{kind}/" for kind in kinds}  # fmt: skip

    def of(self, kind: str, name: str) -> URIRef:
        """Return the IRI of a resource; characters that IRIs forbid are percent-encoded."""
        return URIRef(f"{self._base}{kind}/{quote(name, safe='')}")


def write_ntriples(
    selection: Selection, provenance: Provenance, manifest: Manifest, file: TextIO, resources: Resources
) -> None:
    """Write N-Triples (w3.org/TR/n-triples) to a UTF-8 text file."""
    for subject, predicate, value in _triples(selection, provenance, manifest, resources):
        said = value.n3() if isinstance(value, URIRef) else _literal(value, str(value.datatype))
        file.write(f"{subject.n3()} {predicate.n3()} {said} .\n")


def write_turtle(
    selection: Selection, provenance: Provenance, manifest: Manifest, file: TextIO, resources: Resources
) -> None:
    """Write Turtle (w3.org/TR/turtle) to a UTF-8 text file."""
    prefixes = resources.prefixes()
    file.writelines(f"@prefix {name}: <{start}> .\n" for name, start in prefixes.items())
    names = {start: name for name, start in prefixes.items()}

    @lru_cache(_KEPT_SHORT)
    def short(iri: URIRef) -> str:
        local = re.split("[/#:]", iri)[-1]
        name = names.get(iri.removesuffix(local))
        return f"{name}:{local}" if name and _LOCAL.fullmatch(local) else iri.n3()

    before = None
    for subject, predicate, value in _triples(selection, provenance, manifest, resources):
        if isinstance(value, URIRef):
            said = short(value)
        else:
            said = _literal(value, "", "" if value.datatype is None else short(value.datatype))
        if subject != before:
            file.write(f"{' .' if before else ''}\n\n{short(subject)}")
        file.write(f"{' ;' if subject == before else ''}\n    {short(predicate)} {said}")
        before = subject
    file.write(" .\n" if before else "")


def _literal(value: Literal, datatype: str, short: str = "") -> str:
    text = f'"{str(value).translate(_ESCAPES)}"'
    if value.datatype is None:
        return text
    return f"{text}^^{short or f'<{datatype}>'}"


def _triples(selection: Selection, provenance: Provenance, manifest: Manifest, at: Resources) -> Iterator[Triple]:
    yield from _snapshot(manifest, provenance, at)
    yield from _names(selection, at)
    for row in rows_of(provenance.documents):
        yield from _document(row, at)
    for row in rows_of(provenance.chunks):
        yield from _chunk(row, at)
    for row in rows_of(provenance.sentences):
        yield from _sentence(row, at)
    yield from _entities(selection, provenance, manifest, at)
    yield from _facts(selection, provenance, manifest, at)


def _snapshot(manifest: Manifest, provenance: Provenance, at: Resources) -> Iterator[Triple]:
    snapshot, run = (at.of(kind, manifest.snapshot_id) for kind in ("snapshot", "run"))
    agent = at.of("software", "graphrag-tasks")
    yield agent, RDF.type, PROV.SoftwareAgent
    yield agent, RDFS.label, Literal("graphrag-tasks")
    yield run, RDF.type, PROV.Activity
    yield run, PROV.wasAssociatedWith, agent
    for stage, fingerprint in sorted(manifest.fingerprints.items()):
        yield run, VOCABULARY.codeVersion, Literal(f"{stage} {fingerprint}")
    for document in provenance.documents["document_id"].to_pylist():
        yield run, PROV.used, at.of("document", document)
    yield snapshot, RDF.type, PROV.Entity
    yield snapshot, DCTERMS.identifier, Literal(manifest.snapshot_id)
    yield snapshot, VOCABULARY.schemaVersion, Literal(manifest.schema_version)
    yield snapshot, PROV.wasGeneratedBy, run


def _names(selection: Selection, at: Resources) -> Iterator[Triple]:
    """Yield the labels of entity classes and of relation properties."""
    for type_ in sorted(filter(None, pc.unique(selection.entities["type"]).to_pylist())):
        yield at.of("type", type_), RDF.type, RDFS.Class
        yield at.of("type", type_), RDFS.label, Literal(type_)
    for relation in sorted(pc.unique(selection.relations["relation"]).to_pylist()):
        yield at.of("relation", relation), RDF.type, RDF.Property
        yield at.of("relation", relation), RDFS.label, Literal(relation)


def _document(row: Row, at: Resources) -> Iterator[Triple]:
    document = at.of("document", row["document_id"])
    yield document, RDF.type, PROV.Entity
    yield document, RDF.type, VOCABULARY.Document
    yield document, DCTERMS.title, Literal(row["title"])
    yield document, DCTERMS.identifier, Literal(row["uri"])
    yield document, DCTERMS.format, Literal(row["media_type"])
    if row["content_sha256"] is not None:
        yield document, VOCABULARY.sha256, Literal(row["content_sha256"])


def _chunk(row: Row, at: Resources) -> Iterator[Triple]:
    chunk, document = at.of("chunk", row["chunk_id"]), at.of("document", row["document_id"])
    yield chunk, RDF.type, PROV.Entity
    yield chunk, RDF.type, VOCABULARY.Chunk
    yield chunk, PROV.value, Literal(row["text"])
    yield chunk, VOCABULARY.place, Literal(row["ordinal"])
    yield chunk, DCTERMS.isPartOf, document
    yield chunk, PROV.wasDerivedFrom, document
    for heading in dict.fromkeys(row["heading_path"]):
        yield chunk, VOCABULARY.heading, Literal(heading)
    for name, column in (("pageStart", "page_start"), ("pageEnd", "page_end")):
        if row[column] is not None:
            yield chunk, VOCABULARY[name], Literal(row[column])


def _sentence(row: Row, at: Resources) -> Iterator[Triple]:
    sentence, chunk = at.of("sentence", row["sentence_id"]), at.of("chunk", row["chunk_id"])
    yield sentence, RDF.type, PROV.Entity
    yield sentence, RDF.type, VOCABULARY.Sentence
    yield sentence, PROV.value, Literal(row["text"])
    yield sentence, DCTERMS.isPartOf, chunk
    yield sentence, PROV.wasQuotedFrom, chunk
    if row["page"] is not None:
        yield sentence, VOCABULARY.page, Literal(row["page"])


def _entities(selection: Selection, provenance: Provenance, manifest: Manifest, at: Resources) -> Iterator[Triple]:
    snapshot = at.of("snapshot", manifest.snapshot_id)
    aliases = _grouped(provenance.aliases.to_pylist(), "entity_id", "alias")
    chunks = _grouped(rows_of(provenance.mentions), "entity_id", "chunk_id")
    for row in rows_of(selection.entities):
        entity = at.of("entity", row["entity_id"])
        yield entity, RDF.type, VOCABULARY.Entity
        if row["type"]:
            yield entity, RDF.type, at.of("type", row["type"])
        yield entity, RDFS.label, Literal(row["name"])
        for alias in aliases.get(row["entity_id"], ()):
            if alias != row["name"]:
                yield entity, SKOS.altLabel, Literal(alias)
        if row["mentions"] is not None:
            yield entity, VOCABULARY.mentions, Literal(row["mentions"])
        for chunk in chunks.get(row["entity_id"], ()):
            yield entity, VOCABULARY.mentionedIn, at.of("chunk", chunk)
        yield entity, DCTERMS.isPartOf, snapshot


def _facts(selection: Selection, provenance: Provenance, manifest: Manifest, at: Resources) -> Iterator[Triple]:
    snapshot = at.of("snapshot", manifest.snapshot_id)
    sources: dict[str, dict[URIRef, None]] = {}
    for row in rows_of(provenance.evidence):
        found = sources.setdefault(row["relation_id"], {})
        found[at.of("sentence", row["sentence_id"])] = None
        found[at.of("chunk", row["chunk_id"])] = None
    for row in rows_of(selection.relations):
        head, tail = (at.of("entity", row[end]) for end in ("head_id", "tail_id"))
        relation, fact = at.of("relation", row["relation"]), at.of("fact", row["relation_id"])
        if not row["negated"] and row["kind"] != CONDITION:
            yield head, relation, tail
        yield fact, RDF.type, RDF.Statement
        yield fact, RDF.type, PROV.Entity
        yield fact, RDF.subject, head
        yield fact, RDF.predicate, relation
        yield fact, RDF.object, tail
        yield fact, VOCABULARY.phrase, Literal(row["phrase"])
        yield fact, VOCABULARY.kind, Literal(row["kind"])
        yield fact, VOCABULARY.negated, Literal(row["negated"])
        yield fact, VOCABULARY.support, Literal(int(row["support"]))
        yield fact, VOCABULARY.confidence, Literal(round(row["confidence"], _DIGITS))
        for source in sorted(sources.get(row["relation_id"], ())):
            yield fact, PROV.wasDerivedFrom, source
        yield fact, DCTERMS.isPartOf, snapshot


def _grouped(rows: Iterable[Row], key: str, value: str) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for row in rows:
        grouped.setdefault(row[key], []).append(row[value])
    return grouped
