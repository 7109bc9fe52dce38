"""Rows of the tab-separated form."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.tsv import frames_to_binary_rows, frames_to_tsv_rows

ROWS = {
    "the main argument's preposition goes to the predicate": (
        "It/PRP/nsubj/1 runs/VBZ/ROOT/1/run on/IN/prep/1 Linux/NNP/pobj/2 in/IN/prep/1"
        " ERP/NNP/pobj/4",
        ["runs on|It|Linux|in ERP"],
    ),
    "the object comes first, what stands before the verb last": (
        "In/IN/prep/3 ERP/NNP/pobj/0 it/PRP/nsubj/3 reads/VBZ/ROOT/3/read KONV/NNP/dobj/3"
        " from/IN/prep/3 disk/NN/pobj/5",
        ["reads|it|KONV|from disk|In ERP"],
    ),
    "coordinations of subject and main argument are split": (
        "A/NNP/nsubj/3 and/CC/cc/0 B/NNP/conj/0 read/VBP/ROOT/3 C/NNP/dobj/3 for/IN/prep/3"
        " D/NNP/pobj/5 and/CC/cc/6 E/NNP/conj/6",
        ["read|A|C|for D E", "read|B|C|for D E"],
    ),
    "a participle gets its auxiliary": (
        "fields/NNS/dobj/5 stored/VBN/acl/0/store in/IN/prep/1 VBAK/NNP/pobj/2 they/PRP/nsubj/5"
        " read/VBP/ROOT/5",
        ["was stored in|fields|VBAK", "read|they|fields stored in VBAK"],
    ),
    "without an object the agent comes first": (
        "It/PRP/nsubjpass/2 is/VBZ/auxpass/2/be read/VBN/ROOT/2 in/IN/prep/2 ERP/NNP/pobj/3"
        " by/IN/agent/2 users/NNS/pobj/5",
        ["is read by|It|users|in ERP"],
    ),
    "without any noun an adverb takes its place": (
        "It/PRP/nsubj/1 runs/VBZ/ROOT/1/run here/RB/advmod/1",
        ["runs|It|here"],
    ),
    "a present participle gets its auxiliary": (
        "fields/NNS/dobj/4 holding/VBG/acl/0/hold data/NNS/dobj/1 they/PRP/nsubj/4 read/VBP/ROOT/4",
        ["is holding|fields|data", "read|they|fields holding data"],
    ),
    "examples have no row": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read tables/NNS/dobj/1 including/VBG/prep/2"
        " KONV/NNP/pobj/3",
        ["reads|It|tables including KONV"],
    ),
    "an adverb before the preposition and a 'that' go to the predicate": (
        "They/PRP/nsubj/1 rely/VBP/ROOT/1 heavily/RB/advmod/1 on/IN/prep/1 it/PRP/pobj/3"
        " and/CC/cc/1 say/VBP/conj/1 that/IN/mark/9 KONV/NNP/nsubj/9 is/VBZ/ccomp/6/be"
        " old/JJ/acomp/9",
        ["rely heavily on|They|it", "say that|They|KONV is old", "is|KONV|old"],
    ),
    "a frame without a subject has no row": ("Use/VB/ROOT/0 VBBE/NNP/dobj/0", []),
}


@pytest.mark.parametrize(("notation", "expected"), ROWS.values(), ids=ROWS.keys())
def test_rows(notation: str, expected: list[str], parse: Callable[[str], Doc]) -> None:
    doc = parse(notation)
    rows = frames_to_tsv_rows(doc.text, frames_of(doc))
    columns = [row.split("\t") for row in rows]
    assert ["|".join(row[2:]) for row in columns] == expected
    assert all(row[0] == doc.text for row in columns)
    assert all(0 <= float(row[1]) <= 1 for row in columns)


def test_binary_rows_split_the_arguments(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "It/PRP/nsubj/1 moves/VBZ/ROOT/1/move KONV/NNP/dobj/1 today/RB/advmod/1 to/IN/prep/1"
        " SAP/NNP/pobj/4 and/CC/cc/5 ERP/NNP/conj/5"
    )
    rows = frames_to_binary_rows(doc.text, frames_of(doc))
    assert ["|".join(row.split("\t")[2:]) for row in rows] == [
        "moves|It|KONV",
        "moves to|It|SAP",
        "moves to|It|ERP",
    ]


def test_tabs_and_line_ends_do_not_break_rows(parse: Callable[[str], Doc]) -> None:
    frames = frames_of(parse("It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1"))
    (row,) = frames_to_tsv_rows("It\treads\nKONV", frames)
    assert row.split("\t")[0] == "It reads KONV"
    assert "\n" not in row


def test_no_frames_no_rows() -> None:
    assert frames_to_tsv_rows("Nothing.", []) == []
