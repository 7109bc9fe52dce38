"""What prepositions and adjectives behind a noun tell of it, and cores that they reach into."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from benchmarks.scoring.tsv import frames_to_tsv_rows
from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import Rule
from graphrag_tasks.extract.triples import derive_triples

QUALIFIERS = {
    "inside a subject": (
        "Settings/NNS/nsubj/3 for/IN/prep/0 printers/NNS/pobj/1 work/VBP/ROOT/3",
        ["Settings | be for | printers"],
    ),
    "one in another": (
        "Access/NN/nsubj/5 to/IN/prep/0 fields/NNS/pobj/1 of/IN/prep/2 tables/NNS/pobj/3 works/VBZ/ROOT/5/work",
        ["Access | be to | fields of tables", "fields | be of | tables"],
    ),
    "of coordinated nouns": (
        "Lists/NNS/nsubj/5 with/IN/prep/0 orders/NNS/pobj/1 and/CC/cc/2 items/NNS/conj/2 work/VBP/ROOT/5",
        ["Lists | be with | orders", "Lists | be with | items"],
    ),
    "an object is there since the verb put it there": (
        "SAP/NNP/nsubj/1 stores/VBZ/ROOT/1/store data/NNS/dobj/1 in/IN/prep/2 KNKK/NNP/pobj/3",
        ["data | be stored in | KNKK"],
    ),
    "so is that of a command": (
        "Store/VB/ROOT/0 data/NNS/dobj/0 in/IN/prep/1 KNKK/NNP/pobj/2",
        ["data | store in | KNKK"],
    ),
    "what is granted is granted to someone": (
        "Grant/VB/ROOT/0 rights/NNS/dobj/0 to/IN/prep/1 users/NNS/pobj/2",
        ["rights | grant to | users"],
    ),
    "what is about an object is not about its verb": (
        "SAP/NNP/nsubj/1 sends/VBZ/ROOT/1/send notes/NNS/dobj/1 about/IN/prep/2 errors/NNS/pobj/3",
        ["notes | be about | errors"],
    ),
    "what one has is not put anywhere": (
        "SAP/NNP/nsubj/1 has/VBZ/ROOT/1/have data/NNS/dobj/1 in/IN/prep/2 KNKK/NNP/pobj/3",
        ["data | be in | KNKK"],
    ),
    "what one needs is not put anywhere either": (
        "SAP/NNP/nsubj/1 needs/VBZ/ROOT/1/need roles/NNS/dobj/1 with/IN/prep/2 rights/NNS/pobj/3",
        ["roles | be with | rights"],
    ),
    "behind coordinated nouns it tells of all": (
        "Options/NNS/nsubj/5 and/CC/cc/0 plans/NNS/conj/0 for/IN/prep/0 keys/NNS/pobj/3 exist/VBP/ROOT/5",
        ["Options | be for | keys", "plans | be for | keys"],
    ),
    "behind the first of them it tells of that": (
        "Options/NNS/nsubj/5 for/IN/prep/0 keys/NNS/pobj/1 and/CC/cc/0 plans/NNS/conj/0 exist/VBP/ROOT/5",
        ["Options | be for | keys"],
    ),
    "two gerunds": (
        "A/DT/det/1 place/NN/nsubj/8 for/IN/prep/1 defining/VBG/pcomp/2/define types/NNS/dobj/3"
        " and/CC/cc/3 using/VBG/conj/3/use keys/NNS/dobj/6 exists/VBZ/ROOT/8/exist",
        ["place | be for defining | types", "place | be for using | keys"],
    ),
    "a gerund is as good as a noun": (
        "Rules/NNS/nsubj/3 for/IN/prep/0 sizing/VBG/pobj/1/size exist/VBP/ROOT/3",
        ["Rules | be for | sizing"],
    ),
    "a gerund": (
        "A/DT/det/1 place/NN/nsubj/5 for/IN/prep/1 defining/VBG/pcomp/2/define types/NNS/dobj/3"
        " exists/VBZ/ROOT/5/exist",
        ["place | be for defining | types"],
    ),
    "an adjective behind its noun": (
        "Details/NNS/nsubj/4 specific/JJ/amod/0 to/IN/prep/1 plans/NNS/pobj/2 exist/VBP/ROOT/4",
        ["Details | be specific to | plans"],
    ),
    "a noun that says nothing alone": (
        "A/DT/det/1 set/NN/nsubj/4 of/IN/prep/1 tables/NNS/pobj/2 exists/VBZ/ROOT/4/exist",
        [],
    ),
    "several kinds say nothing alone either": (
        "Other/JJ/amod/1 kinds/NNS/nsubj/4/kind of/IN/prep/1 logs/NNS/pobj/2 exist/VBP/ROOT/4",
        [],
    ),
    "data types do": (
        "Data/NN/compound/1 types/NNS/nsubj/4/type of/IN/prep/1 keys/NNS/pobj/2 exist/VBP/ROOT/4",
        ["Data types | be of | keys"],
    ),
    "a word of a preposition": (
        "It/PRP/nsubj/1 varies/VBZ/ROOT/1/vary with/IN/prep/1 respect/NN/pobj/2 to/IN/prep/3 length/NN/pobj/4",
        [],
    ),
    "who does something is no place": (
        "It/PRP/nsubj/1 finds/VBZ/ROOT/1/find errors/NNS/dobj/1 by/IN/prep/2 users/NNS/pobj/3",
        [],
    ),
    "a pronoun": ("Notes/NNS/nsubj/3 about/IN/prep/0 it/PRP/pobj/1 exist/VBP/ROOT/3", []),
    "a name": ("Joule/NNP/nsubj/3 for/IN/prep/0 Consultants/NNPS/pobj/1 works/VBZ/ROOT/3/work", []),
    "a preposition of three words": (
        "Data/NNS/nsubj/5 in/IN/prep/0 case/NN/pobj/1 of/IN/prep/2 errors/NNS/pobj/3 exist/VBP/ROOT/5",
        ["Data | be in case of | errors"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), QUALIFIERS.values(), ids=QUALIFIERS)
def test_qualifiers(notation: str, expected: list[str], parse: Callable[[str], Doc]) -> None:
    frames = [one for one in frames_of(parse(notation)) if one.rule == Rule.QUALIFIER]
    triples = [triple for frame in frames for triple in derive_triples(frame)]
    assert [f"{one.head} | {one.relation} | {one.tail}" for one in triples] == expected


def test_benchmarks_do_not_see_them(parse: Callable[[str], Doc]) -> None:
    doc = parse("Settings/NNS/nsubj/3 for/IN/prep/0 printers/NNS/pobj/1 work/VBP/ROOT/3")
    frames = [one for one in frames_of(doc) if one.rule == Rule.QUALIFIER]
    assert frames
    assert frames_to_tsv_rows(doc.text, frames) == []
