"""RDF: what rdflib reads is what was written, a fact leads to its document, what is denied not."""

from types import SimpleNamespace
from typing import Any

import pytest
from rdflib import DCTERMS, PROV, RDF, RDFS, SKOS, Graph, Literal, URIRef

from graphrag_tasks.inspect.export import Selection, provenance, whole_graph
from graphrag_tasks.inspect.export.rdf import BASE, VOCABULARY, rdf_text
from graphrag_tasks.storage.snapshots.store import Snapshot
from tests.inspect.parts import CHUNK_TEXT, HOSTILE, SMALL, indexed, selection, sources

MANIFEST: Any = SimpleNamespace(snapshot_id="0" * 24, schema_version=1, fingerprints={"chunk": "b", "a": "c"})
FORMATS = ("nt", "turtle")
NAMES = [
    *HOSTILE, 'ends with "', 'ends with \\"', 'three """ and\nmore """', "back\\slash\\", "\r\n\t",
    "]]>", "</script>", "\u2028\u2029\u0085", "{curly} `tick` ^caret | <iri>", "@prefix a: <b> .",
]  # fmt: skip


def written(form: str, what: Selection, title: str = "T") -> str:
    return rdf_text(what, sources(what, title), MANIFEST, form)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("rdf"))


def parsed(snapshot: Snapshot, format_: str = "turtle") -> Graph:
    what = whole_graph(snapshot)
    cited = provenance(snapshot, what)
    text = rdf_text(what, cited, snapshot.manifest, format_, "https://e.org/g#")
    return Graph().parse(data=text, format=format_)


@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_names_survive_the_round_trip(format_: str) -> None:
    what = selection(NAMES, [(0, 1, "needs"), (1, 2, 'is <b> "of"\n{x}')])
    graph = Graph().parse(data=written(format_, what, NAMES[2]), format=format_)
    for number, name in enumerate(NAMES):
        assert graph.value(URIRef(f"{BASE}entity/e{number}"), RDFS.label) == Literal(name)
    assert graph.value(URIRef(f"{BASE}chunk/c"), PROV.value) == Literal(CHUNK_TEXT)
    assert graph.value(URIRef(f"{BASE}document/d"), DCTERMS.title) == Literal(NAMES[2])
    assert (None, SKOS.altLabel, Literal("<b>e1</b>")) in graph
    relation = URIRef(f"{BASE}relation/is%20%3Cb%3E%20%22of%22%0A%7Bx%7D")
    assert graph.value(relation, RDFS.label) == Literal('is <b> "of"\n{x}')


def test_what_is_denied_or_conditional_is_a_statement_and_no_plain_triple() -> None:
    kinds = [*SMALL.relations["kind"].to_pylist()[:-2], "condition", "fact"]
    place = SMALL.relations.column_names.index("kind")
    what = Selection("T", SMALL.entities, SMALL.relations.set_column(place, "kind", [kinds]))
    graph = Graph().parse(data=written("turtle", what), format="turtle")
    negated, conditional = set(), set()
    for row in what.relations.to_pylist():
        head, tail = (URIRef(f"{BASE}entity/{row[end]}") for end in ("head_id", "tail_id"))
        fact = URIRef(f"{BASE}fact/{row['relation_id']}")
        assert (fact, RDF.type, RDF.Statement) in graph
        relation = graph.value(fact, RDF.predicate)
        assert graph.value(fact, VOCABULARY.negated) == Literal(row["negated"])
        holds = not row["negated"] and row["kind"] != "condition"
        assert ((head, relation, tail) in graph) is holds
        (negated if row["negated"] else conditional).add(holds)
    assert (negated, conditional) == ({False}, {True, False})


@pytest.mark.parametrize("format_", FORMATS)
def test_sparql_finds_the_document_and_the_sentence_of_a_fact(snapshot: Snapshot, format_: str) -> None:
    found = parsed(snapshot, format_).query(
        """
        PREFIX graphrag: <urn:graphrag-tasks:vocabulary:>
        SELECT ?title ?uri ?sentence ?confidence WHERE {
          ?head rdfs:label "table VBBE" ; ?relation ?tail .
          ?tail rdfs:label "table VBBS" .
          ?fact rdf:subject ?head ; rdf:predicate ?relation ; rdf:object ?tail ;
            graphrag:confidence ?confidence ; prov:wasDerivedFrom ?quoted, ?chunk .
          ?quoted a graphrag:Sentence ; prov:value ?sentence .
          ?chunk a graphrag:Chunk ; dcterms:isPartOf ?document ; prov:wasDerivedFrom ?document .
          ?document dcterms:title ?title ; dcterms:identifier ?uri .
        }""",
        initNs={"prov": PROV, "dcterms": DCTERMS, "rdf": RDF, "rdfs": RDFS},
    )
    ((title, uri, sentence, confidence),) = list(found)
    assert (str(title), str(uri)) == ("Table changes", "corpus/tables.md")
    assert str(sentence) == "The table VBBE replaces the table VBBS."
    assert 0 < float(confidence) <= 1
