"""RDF: what rdflib reads is what was written, a fact leads to its document, what is denied not."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdflib import DCTERMS, PROV, RDF, RDFS, SKOS, Graph, Literal, URIRef

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.inspect.export import Selection, neighbourhood, provenance, whole_graph
from graphrag_tasks.inspect.export.rdf import (
    BASE,
    VOCABULARY,
    Resources,
    write_ntriples,
    write_turtle,
)
from graphrag_tasks.storage.snapshots.store import Snapshot
from tests.inspect.parts import CHUNK_TEXT, HOSTILE, SMALL, indexed, selection, sources

MANIFEST: Any = SimpleNamespace(
    snapshot_id="0" * 24, schema_version=1, fingerprints={"chunk": "b", "a": "c"}
)
FORMATS = {"nt": write_ntriples, "turtle": write_turtle}
NAMES = [
    *HOSTILE, 'ends with "', 'ends with \\"', 'three """ and\nmore """', "back\\slash\\", "\r\n\t",
    "]]>", "</script>", "\u2028\u2029\u0085", "{curly} `tick` ^caret | <iri>", "@prefix a: <b> .",
]  # fmt: skip


def written(write: Callable[..., None], what: Selection, base: str = BASE, title: str = "T") -> str:
    file = io.StringIO()
    write(what, sources(what, title), MANIFEST, file, Resources(base))
    return file.getvalue()


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("rdf"))


def parsed(snapshot: Snapshot, format_: str = "turtle") -> Graph:
    what, file = whole_graph(snapshot), io.StringIO()
    FORMATS[format_](
        what, provenance(snapshot, what), snapshot.manifest, file, Resources("https://e.org/g#")
    )
    return Graph().parse(data=file.getvalue(), format=format_)


@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_names_survive_the_round_trip(format_: str) -> None:
    what = selection(NAMES, [(0, 1, "needs"), (1, 2, 'is <b> "of"\n{x}')])
    graph = Graph().parse(data=written(FORMATS[format_], what, title=NAMES[2]), format=format_)
    for number, name in enumerate(NAMES):
        assert graph.value(URIRef(f"{BASE}entity/e{number}"), RDFS.label) == Literal(name)
    assert graph.value(URIRef(f"{BASE}chunk/c"), PROV.value) == Literal(CHUNK_TEXT)
    assert graph.value(URIRef(f"{BASE}document/d"), DCTERMS.title) == Literal(NAMES[2])
    assert (None, SKOS.altLabel, Literal("<b>e1</b>")) in graph
    relation = URIRef(f"{BASE}relation/is%20%3Cb%3E%20%22of%22%0A%7Bx%7D")
    assert graph.value(relation, RDFS.label) == Literal('is <b> "of"\n{x}')


def test_both_formats_say_the_same_and_every_line_once() -> None:
    lines = written(write_ntriples, SMALL).splitlines()
    both = [
        Graph().parse(data=written(write, SMALL), format=name) for name, write in FORMATS.items()
    ]
    assert set(both[0]) == set(both[1])
    assert len(lines) == len(set(lines)) == len(both[0])


def test_what_is_denied_or_conditional_is_a_statement_and_no_plain_triple() -> None:
    kinds = [*SMALL.relations["kind"].to_pylist()[:-2], "condition", "fact"]
    place = SMALL.relations.column_names.index("kind")
    what = Selection("T", SMALL.entities, SMALL.relations.set_column(place, "kind", [kinds]))
    graph = Graph().parse(data=written(write_turtle, what), format="turtle")
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
def test_sparql_finds_the_document_and_the_sentence_of_a_fact(
    snapshot: Snapshot, format_: str
) -> None:
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


def test_a_denied_fact_of_documents_does_not_hold(snapshot: Snapshot) -> None:
    graph = parsed(snapshot)
    denied = graph.value(None, VOCABULARY.negated, Literal(True))
    ends = [graph.value(denied, one) for one in (RDF.subject, RDF.predicate, RDF.object)]
    assert graph.value(ends[0], RDFS.label) == Literal("report ZSALES")
    assert tuple(ends) not in graph


def test_the_snapshot_is_an_entity_with_its_code_and_no_clock(snapshot: Snapshot) -> None:
    graph = parsed(snapshot)
    (made,) = graph.subject_objects(PROV.wasGeneratedBy)
    assert graph.value(made[0], DCTERMS.identifier) == Literal(snapshot.snapshot_id)
    versions = {str(one) for one in graph.objects(made[1], VOCABULARY.codeVersion)}
    stages = snapshot.manifest.fingerprints
    assert versions == {f"{stage} {fingerprint}" for stage, fingerprint in stages.items()}
    assert snapshot.manifest.created_at[:10] not in written(write_ntriples, SMALL)
    assert not [one for one in graph.all_nodes() if not isinstance(one, URIRef | Literal)]


def test_a_part_has_the_sources_of_the_part(snapshot: Snapshot) -> None:
    what, file = neighbourhood(snapshot, "transaction MD04"), io.StringIO()
    write_turtle(what, provenance(snapshot, what), snapshot.manifest, file, Resources())
    graph = Graph().parse(data=file.getvalue(), format="turtle")
    titles = {str(one) for one in graph.objects(None, DCTERMS.title)}
    assert "Table changes" in titles
    assert not [one for one in titles if "script" in one]


def test_an_empty_graph_is_a_valid_file() -> None:
    for name, write in FORMATS.items():
        graph = Graph().parse(data=written(write, selection([], [])), format=name)
        assert (None, RDF.type, PROV.Activity) in graph


_WRITE = """
import io, sys
sys.path.insert(0, {root!r})
from tests.inspect.test_export_rdf import *
print(json.dumps([written(write, SMALL) for write in FORMATS.values()]))
"""


def test_the_same_graph_gives_the_same_bytes_in_every_process() -> None:
    root = str(Path(__file__).parents[2])
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"  # not this process's
    made = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _WRITE.format(root=root)], check=True, capture_output=True,
        text=True, env=os.environ | {"PYTHONHASHSEED": seed},
    ).stdout  # fmt: skip
    assert json.loads(made) == [written(write, SMALL) for write in FORMATS.values()]


@pytest.mark.parametrize(
    "base", ["", "graph/", "https://e.org", "https://e.org/a b/", "https://e.org/<x>/", "urn:x\n:"]
)
def test_a_base_that_is_no_iri_is_refused(base: str) -> None:
    with pytest.raises(ConfigError, match="no beginning of IRIs"):
        Resources(base)
