"""Access labels: nothing that rests on hidden documents alone comes out of an index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag_tasks import picture
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.errors import AccessError, QueryError
from graphrag_tasks.retrieval import ALL_DOCUMENTS, MODES, Index, open_index
from graphrag_tasks.retrieval.view.visibility import Principals, VisibleSnapshot, visible
from graphrag_tasks.storage.snapshots.store import Store
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import FakeEmbedder
from tests.sizes import few_or_many

TABLES = (
    "documents", "chunks", "sentences", "triples", "mentions", "titles", "entities", "aliases", "relations", "evidence",
    "communities", "members", "entity_dictionary", "text_terms", "heading_terms",
)  # fmt: skip
WORDS = re.compile(r"[A-Za-z][A-Za-z0-9]+")

STAFF = Document(
    "guide", "Gateway Guide",
    (
        Fact("the Gateway", "replace", "the Spooler", head_type="PRODUCT"),
        Fact("the Gateway", "need", "the Driver"),
        Fact("the Spooler", "use", "the Driver"),
    ),
    ("staff",),
)  # fmt: skip
BOARD = Document(
    "merger", "Operation Zephyr",
    (
        Fact("the Gateway", "replace", "the Spooler", confidence=0.9),
        Fact("the gateway", "fund", "Zephyr", head_type="ORG"),
        Fact("gateway", "fund", "Zephyr", head_type="ORG"),
        Fact("gateway", "threaten", "Quorum", head_type="ORG"),
        Fact("Quorum", "buy", "Zephyr"),
    ),
    ("board",),
)  # fmt: skip


def opened(store: Path, principals: Principals) -> Index:
    return open_index(store, principals=principals, embedder=FakeEmbedder(), noun_phrases=lambda text: [text])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two documents, published; tests only read it."""
    return publish(tmp_path_factory.mktemp("published") / "store", [STAFF, BOARD])


def outputs(index: Index, questions: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield all that an index says to questions and of names, in every form it has."""
    yield index.skeleton(10_000)
    ids: list[str] = []
    for question in questions:
        for mode in (*MODES, "auto"):
            found = index.search(question, mode, k=50)
            data = found.to_dict()
            ids += [one["relation_id"] for one in data["relations"]]
            ids += [one["entity_id"] for one in (*data["entity"], *data["listed"])]
            del data["question"], data["route"], data["signals"]  # the question's words
            yield json.dumps(data)
            yield found.to_prompt()
            yield found.to_frame().to_csv()
            yield str(dict(found.to_networkx().nodes(data=True)))
            yield found._repr_html_().replace(question, "")
            for chunk in found.chunks[:2]:
                yield str(index.explain(question, chunk.chunk_id, mode)).replace(question, "")
    yield from notebook_outputs(index, questions[:1])
    for name in names:
        yield from _answers(lambda one: picture(index, one, all_kinds=True), name)
        for browse in (index.neighbors, index.attributes, index.community):
            yield from _answers(browse, name)
        for other in names:
            yield from _answers(index.paths, name, other)
    for one in dict.fromkeys(ids):
        yield str(index.cite(one))
    snapshot = index.snapshot
    for name in TABLES:
        yield str(snapshot.table(name).to_pylist())
    yield json.dumps(snapshot.manifest.as_dict())


def notebook_outputs(index: Index, questions: Sequence[str]) -> Iterator[str]:
    """Yield the frames, graphs and displays of an index."""
    for name in ("documents", "entities", "relations", "communities", "chunks", "mentions", "evidence"):
        yield index.table(name).to_csv()
    drawn = index.to_networkx(all_kinds=True)
    yield str([*drawn.nodes(data=True), *drawn.edges(data=True)])
    graph = index.to_igraph(all_kinds=True)
    yield str([one.attributes() for one in (*graph.vs, *graph.es)])
    yield index._repr_html_()
    for question in questions:
        for mode in (*MODES, "auto"):
            found = index.search(question, mode, k=50)
            yield str(found).replace(question, "")
            for hit in (*found.entities, *found.communities):
                yield str(hit)


def _answers(call: Any, *names: str) -> Iterator[str]:
    try:
        yield str(call(*names))
    except QueryError as error:
        yield error.hint


def words(text: str) -> set[str]:
    return {word.casefold() for word in WORDS.findall(text)}


# --- what is made again


def test_a_view_of_all_documents_equals_the_snapshot(tmp_path: Path) -> None:
    """Under settings that are not the defaults, too."""
    things = [f"Thing {name}" for name in "ABCDEFGHIJKL"]
    facts = [Fact(one, "need", two) for one, two in pairwise(things)]
    facts += [Fact(things[0], "hold", one, confidence=0.7, worth=0.2) for one in things[2:]]
    documents = [Document("all", "Things", tuple(facts), ("staff",)), STAFF, BOARD]
    found_by = CommunitiesConfig(resolutions=(0.2, 6.0))
    store = publish(tmp_path / "store", documents, found_by=found_by)
    snapshot = Store(str(store)).open()
    ids = snapshot.table("documents", ["document_id"])["document_id"].combine_chunks()
    view = VisibleSnapshot(snapshot, ids)
    assert snapshot.table("communities").num_rows > 1
    for name in TABLES:
        shared = [one for one in view.table(name).column_names if one != "as_published"]
        published = snapshot.table(name, shared)
        seen = view.table(name, shared)
        assert seen.to_pylist() == published.to_pylist(), name


# --- what is refused


def test_principals_are_needed_where_there_are_labels(store: Path) -> None:
    with pytest.raises(AccessError, match="no principals are given"):
        open_index(store)


def test_principals_are_refused_where_there_are_none(tmp_path: Path) -> None:
    plain = publish(tmp_path / "plain", [Document("a", "A", (), None)])
    with pytest.raises(AccessError, match="has no access labels"):
        opened(plain, ["staff"])
    assert opened(plain, None).facts.chunks == 1


def test_who_holds_every_label_sees_what_the_operator_sees(store: Path) -> None:
    both, all_of_it = opened(store, ["staff", "board"]), opened(store, ALL_DOCUMENTS)
    assert both.facts == all_of_it.facts
    assert list(outputs(both, ["Gateway"], ["Zephyr"])) == list(outputs(all_of_it, ["Gateway"], ["Zephyr"]))


# --- what is seen is made of what may be seen


def test_names_and_counts_come_from_visible_documents(store: Path) -> None:
    whole, seen = opened(store, ALL_DOCUMENTS), opened(store, ["staff"])
    assert whole.search("gateway", "local").relations[0].weight == 2.0
    (relation,) = [one for one in seen.neighbors("Spooler") if one.relation == "replace"]
    assert (relation.weight, relation.confidence) == (1.0, 0.5)
    assert [one.uri for one in relation.evidence] == ["docs/guide.md"]


FORMATS = (
    Document("a", "First", (Fact("native format", "hold", "the Engine"),
                            Fact("binary format", "hold", "the Engine")), ("staff",)),
    Document("b", "Second", (Fact("native format", "hold", "raster format"),
                             Fact("Pump", "hold", "the Engine", head_type="ORG")), ("board",)),
)  # fmt: skip


def test_a_type_by_the_header_of_a_key_is_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Store(str(publish(tmp_path, FORMATS))).open()
    read = whole.table

    def with_keys(name: str, columns: list[str] | None = None) -> pa.Table:
        rows = read(name)
        if name == "entities":
            for place, value in (("type", "SECRET_CODE"), ("type_source", "key")):
                values = pa.array([value] * rows.num_rows, pa.string())
                rows = rows.set_column(rows.column_names.index(place), place, values)
        return rows.select(columns) if columns else rows

    monkeypatch.setattr(whole, "table", with_keys)
    seen = visible(whole, ["staff"]).table("entities")
    assert seen.num_rows
    assert set(seen["type"].to_pylist()) == {None}


def test_an_entity_has_a_name_that_a_visible_document_gives_it(tmp_path: Path) -> None:
    store = publish(tmp_path, [
        Document("a", "First", (Fact("the Data-Hub", "hold", "the Engine"),), ("staff",)),
        Document("b", "Second", (Fact("Data Hub", "hold", "the Engine"),
                                 Fact("Data Hub", "need", "the Pump")), ("board",)),
    ])  # fmt: skip
    whole, seen = opened(store, ALL_DOCUMENTS), opened(store, ["staff"])
    assert {one.head for one in whole.neighbors("Engine")} == {"Data Hub"}
    (relation,) = seen.neighbors("Engine")
    assert (relation.head, relation.text) == ("Data-Hub", "Data-Hub holds Engine")
    row = seen.graph.relations.row_of(relation.relation_id)
    assert not seen.graph.relations.vectors.take(np.array([row])).any()


def test_communities_are_found_in_visible_documents(tmp_path: Path) -> None:
    groups = [[f"Thing {group}{one}" for one in "ABCDE"] for group in "XYZ"]
    facts = [tuple(Fact(one, "need", two) for one, two in pairwise(group)) for group in groups]
    things = [Document(f"d{number}", "Things", of_group, ("staff",)) for number, of_group in enumerate(facts)]
    hidden = [Fact(one[0], "hold", two[1]) for one, two in pairwise(groups)]
    board = Document("secret", "Secret", (*hidden, *BOARD.facts), ("board",))
    both = Store(str(publish(tmp_path / "both", [*things, board]))).open()
    alone = Store(str(publish(tmp_path / "alone", things))).open()
    seen = visible(both, ["staff"])
    for name, columns in (("communities", ["member_sha256"]), ("members", ["centrality"])):
        rows = alone.table(name, columns).to_pylist()
        assert seen.table(name, columns).to_pylist() == rows
        assert len(rows) >= 3
        assert both.table(name, columns).to_pylist() != rows


def test_a_relation_is_a_fact_only_by_what_is_visible(tmp_path: Path) -> None:
    weak, strong = (Fact("the Pump", "hold", "the Engine", worth=worth) for worth in (0.2, 0.8))
    documents = [Document("a", "First", (weak,), ("staff",)), Document("b", "Second", (strong,), ("board",))]
    store = publish(tmp_path / "store", documents)
    kinds = [opened(store, one).neighbors("Pump", all_kinds=True)[0].kind for one in (["staff"], ["board"])]
    assert kinds == ["association", "fact"]


def test_a_hidden_document_is_not_even_suggested(store: Path) -> None:
    seen = opened(store, ["staff"]).snapshot
    assert seen.document("docs/guide.md")["title"] == "Gateway Guide"
    assert seen.rows_of_document("sentences", "merger") == []
    with pytest.raises(Exception, match="there is no document") as raised:
        seen.document("docs/merger.md")
    assert "merger" not in str(raised.value).replace("'docs/merger.md'", "")


def test_k_chunks_come_back_though_hidden_ones_would_rank_above_them(tmp_path: Path) -> None:
    fact = Fact("the Gateway", "replace", "the Spooler")
    store = publish(tmp_path, [
        Document(f"d{number}", f"Title {number}", (fact,) * (1 + number % 3),
                 ("staff",) if number % 2 else ("board",))
        for number in range(12)
    ])  # fmt: skip
    index = opened(store, ["staff"])
    for mode in ("bm25", "dense", "hybrid", "graph", "ranked"):
        assert len(index.search("Gateway Spooler", mode, k=6).chunks) == 6, mode


def test_scores_are_those_of_an_index_without_the_hidden_documents(store: Path, tmp_path: Path) -> None:
    alone = opened(publish(tmp_path / "alone", [STAFF]), ["staff"])
    among = opened(store, ["staff"])
    for mode in ("bm25", "dense", "hybrid"):
        for question in ("Gateway", "Spooler driver", "Zephyr"):
            found = among.search(question, mode)
            assert found.to_dict() == alone.search(question, mode).to_dict(), (mode, question)


# --- nothing else comes out


NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ilex", "Juniper")
VERBS = ("outrank", "mirror", "shelter", "feed")
DOCUMENTS = 5
VOCABULARY = {word.casefold() for word in (*NAMES, *VERBS)} | {
    f"{word}{number}" for word in ("doc", "report") for number in range(DOCUMENTS)
}
QUESTIONS = ("What does Elm need?", "What replaces Fir and Alder?", "How is Birch tied to Cedar?")

facts = st.builds(
    Fact,
    st.sampled_from(NAMES).flatmap(lambda name: st.sampled_from([name, f"the {name}", name.lower()])),
    st.sampled_from(VERBS),
    st.sampled_from(NAMES),
    st.sampled_from([None, "PRODUCT", "ORG"]),
    negated=st.booleans(),
    confidence=st.sampled_from([0.25, 0.5, 1.0]),
)
label_sets = st.sets(st.sampled_from(["red", "blue", "public"]), max_size=2).map(lambda labels: tuple(sorted(labels)))


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    count = draw(st.integers(2, DOCUMENTS))
    return [
        Document(
            f"doc{number}",
            f"{draw(st.sampled_from(NAMES))} Report{number}",
            tuple(draw(st.lists(facts, max_size=4))),
            draw(label_sets),
        )
        for number in range(count)
    ]


@few_or_many("examples", 2, 12)
def test_no_word_of_hidden_documents_alone_comes_out(examples: int) -> None:
    generated = [Phase.explicit, Phase.reuse, Phase.generate]

    @settings(max_examples=examples, phases=generated)
    @given(corpora(), st.sets(st.sampled_from(["red", "blue"]), min_size=1))
    def stays_hidden(documents: list[Document], principals: set[str]) -> None:
        with TemporaryDirectory() as folder:
            index = opened(publish(Path(folder), documents), sorted(principals))
            held = {*principals, "public"}
            seen = [one for one in documents if held & set(one.labels or ())]
            shown = words(" ".join(f"{one.name} {one.text}" for one in seen))
            secret = VOCABULARY - shown
            for output in outputs(index, QUESTIONS, NAMES):
                assert not words(output) & secret, output
            assert index.facts.chunks == len(seen)
            found = {one.text for one in index.search("Report", "dense", k=9).chunks}
            assert found == {one.text for one in seen}

    stays_hidden()


def test_a_bare_string_is_no_list_of_principals(store: Path) -> None:
    with pytest.raises(AccessError, match="must be a list"):
        opened(store, "staff")


def test_a_hidden_sentence_cannot_be_cited(store: Path) -> None:
    assert opened(store, ["board"]).cite("merger-1")[0].text == "the gateway fund Zephyr."
    with pytest.raises(QueryError, match="there is no relation, entity or sentence"):
        opened(store, ["staff"]).cite("merger-1")


def test_a_hidden_name_is_not_even_suggested(store: Path) -> None:
    with pytest.raises(QueryError) as raised:
        opened(store, ["staff"]).neighbors("Zephyrs")
    assert "Zephyr'" not in str(raised.value).replace("'Zephyrs'", "")
