"""Consolidation: many proposals become one ontology, and each name that is not in it has a why."""

from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.workbench.ontology.proposal import schema_text
from tests.workbench.ontology.worlds import fact, made, need, relation, typed

BOTH = [
    need(fact("replace", "TABLE", "TABLE"), named=[("VBBS", "TABLE")]),
    need(fact("read", "REPORT", "TABLE"), named=[("ZSALES", "REPORT")]),
]
GRAPH = [
    ("TABLE", "replace", "TABLE", 5),
    ("TABLE", "be replaced by", "TABLE", 2),
    ("REPORT", "read", "TABLE", 6),
    ("REPORT", "access", "TABLE", 3),
    ("", "be of", "", 9),
]


def test_ends_are_what_a_model_says_if_the_graph_agrees() -> None:
    types = [typed("TABLE"), typed("REPORT")]
    graph = [("REPORT", "read", "TABLE", 6), ("TABLE", "be read by", "REPORT", 4)]
    both = relation("read", domain=["reports"], range=["Table"], inverses=["be read by"])
    found = made(types, [both], BOTH, graph).schema.relations["read"]
    assert (found.domain, found.range) == (["report"], ["table"])
    turned = relation("be read by", domain=["table"], range=["report"], inverses=["read"])
    assert made(types, [turned], BOTH, graph).schema.relations["read"] == found
    wrong = relation("read", domain=["table"], range=["galaxy"])
    found = made(types, [wrong], BOTH, graph).schema.relations["read"]
    assert (found.domain, found.range) == (None, None)


def test_what_is_said_more_often_holds_and_the_file_is_read() -> None:
    told = [
        relation("replace", synonyms=["read"]),
        relation("replace", synonyms=["read"]),
        relation("read", inverses=["replace"]),
        relation("access", synonyms=["access"], inverses=["access"]),
    ]
    found = made([], told, BOTH, GRAPH)
    assert found.schema.relations["read"].synonyms == ["replace"]
    assert read_schema(schema_text(found.schema), "file") == found.schema
