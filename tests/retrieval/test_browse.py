"""The graph without a question: neighbours, paths, communities, sources, outline, drawings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.context.hits import chunk_place
from graphrag_tasks.retrieval.context.render import DATA_NOTE
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, World, publish

COMMUNITIES = replace(
    SMALL,
    communities=(("g1", 0, "Printing", "Print servers and spoolers."), ("g2", 1, "Net", "Gates.")),
    members=(("g1", "e1"), ("g1", "e2"), ("g2", "e1")),
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    publish(tmp_path, COMMUNITIES)
    return open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: [])


def test_neighbours_have_their_sources(index: Index) -> None:
    found = index.neighbors("PRINT  server")
    assert [one.text for one in found] == ["print server replaces spooler"]
    assert found[0].evidence[0].sentence_id == "s2" or found[0].evidence[0].sentence_id == "s1"


def test_unknown_name_suggests_one_that_is_alike(index: Index) -> None:
    with pytest.raises(QueryError, match=r"no entity 'spoler'.*mean 'spooler'"):
        index.neighbors("spoler")
    with pytest.raises(QueryError, match=r"must be text \(got NoneType\)"):
        index.neighbors(None)  # type: ignore[arg-type]


def test_paths_go_along_relations_in_either_direction(index: Index) -> None:
    (path,) = index.paths("gateway", "driver")
    assert path.text == "gateway —not support→ spooler —needs→ driver"
    assert index.paths("gateway", "driver", max_hops=1) == ()


def test_communities_of_an_entity_from_coarse_to_fine(index: Index) -> None:
    assert [(one.level, one.title) for one in index.community("print server")] == [(0, "Printing"), (1, "Net")]


def test_a_community_points_to_sentences_that_state_its_relations(tmp_path: Path) -> None:
    publish(tmp_path, replace(SMALL, communities=(("g1", 0, "Spooling", "Spoolers."),),
                              members=(("g1", "e1"), ("g1", "e2"), ("g1", "e3"))))  # fmt: skip
    index = open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: [])
    (hit,) = index.community("driver")
    assert {one.sentence_id for one in hit.sources()} == {"s1", "s2", "s3"}  # s4 has the gateway
    assert all(index.cite(one.sentence_id) == (one,) for one in hit.sources())
    context = index.search("What are the main topics?", "global")
    (row,) = context.to_frame().query("kind == 'community'").to_dict("records")
    assert row["sentence"] == hit.sources()[0].text
    assert context.to_dict()["communities"][0]["evidence"]


def test_a_question_for_themes_alone_is_answered_by_the_largest_communities(tmp_path: Path) -> None:
    summaries = (("g1", 0, "Gates", "Main gates."), ("g2", 0, "Net", "Lines."))
    members = (("g1", "e1"), ("g2", "e2"), ("g2", "e3"))
    publish(tmp_path, replace(SMALL, communities=summaries, members=members))
    index = open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: [])

    def titles(question: str) -> list[str]:
        return [one.title for one in index.search(question, "global").communities]

    assert titles("What are the main topics of these documents?") == ["Net", "Gates"]
    assert titles("What are the main topics of gates?") == ["Gates", "Net"]


def test_an_unknown_id_is_refused(index: Index) -> None:
    with pytest.raises(QueryError, match="'zzz'"):
        index.cite("zzz")


def test_skeleton_keeps_whole_lines_within_the_budget(index: Index) -> None:
    whole = index.skeleton().splitlines()
    assert whole[0] == "head,relation,tail"
    assert sorted(whole[1:]) == ["gateway,not support,spooler", "print server,replaces,spooler", "spooler,needs,driver"]
    cut = index.skeleton(16).splitlines()
    assert cut == whole[: len(cut)]
    assert 1 < len(cut) < 4
    assert index.skeleton(0) == ""
    with pytest.raises(QueryError, match="-1"):
        index.skeleton(-1)


def test_context_as_a_graph_and_as_html(index: Index) -> None:
    context = index.search("spooler", "paper")
    graph = context.to_networkx()
    assert graph.nodes["spooler"]["kind"] == "entity"
    assert graph.edges["print server", "spooler", "r1"]["relation"] == "replace"
    assert graph.has_edge("spooler", "c2")
    assert not graph.edges["print server", "spooler", "r1"]["negated"]
    html = context._repr_html_()
    assert "not support" in html
    assert html == context._repr_html_()


def test_overlapping_chunks_are_said_once_and_sentences_stay_whole(tmp_path: Path) -> None:
    publish(tmp_path, World(documents=(("d", "D"),), chunks=(("c1", "d", "One is. Two is."), ("c2", "d", "x"))))
    index = open_index(tmp_path, embedder=FakeEmbedder())
    first, second = index.search("what?", "dense").chunks
    whole = replace(first, text="One is. Two is. Three is.", char_start=0, char_end=25)
    later = replace(second, text="Three is. Four is.", char_start=16, char_end=34)
    context = replace(index.search("what?", "dense"), chunks=(whole, later))
    prompt = context.to_prompt()
    assert prompt.count("Three is.") == 1
    assert prompt.endswith("Four is.")
    cut = context.to_prompt(budget_tokens=40)
    assert cut == f"{DATA_NOTE}\n\n[1] {chunk_place(first)}\n> One is."
    assert len(cut) <= 40 * 4
    with pytest.raises(QueryError, match="not both"):
        context.to_prompt(10, budget_tokens=3)
