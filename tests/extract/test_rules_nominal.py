"""Frames of noun phrases, and the cores of arguments."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import Role, Rule

RULES = {
    "apposition": (
        "MRP/NNP/nsubj/7 ,/,/punct/0 a/DT/det/3 module/NN/appos/0 of/IN/prep/3 SAP/NNP/pobj/4"
        " ,/,/punct/0 plans/VBZ/ROOT/7/plan materials/NNS/dobj/7",
        [
            "apposition: be(subject=MRP; complement=a module of SAP)",
            "svo: plan(subject=MRP; object=materials)",
            "qualifier: be(subject=a module; oblique of=SAP)",
        ],
    ),
    "a name right after its noun is no apposition": (
        "Table/NN/nsubj/2 KONV/NNP/appos/0 is/VBZ/ROOT/2/be empty/JJ/acomp/2",
        ["copula: be(subject=Table KONV; complement=empty)"],
    ),
    "names that a plural noun announces": (
        "MATDOC/NNP/nsubj/1 replaces/VBZ/ROOT/1/replace two/CD/nummod/3 tables/NNS/dobj/1"
        " MKPF/NNP/appos/3 and/CC/cc/4 MSEG/NNP/conj/4",
        ["svo: replace(subject=MATDOC; object=two tables MKPF; object=MSEG)"],
    ),
    "a denied apposition": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 ,/,/punct/2 not/RB/neg/2"
        " KONP/NNP/appos/2",
        ["svo: read(subject=It; object=KONV)", "apposition: not be(subject=KONV; complement=KONP)"],
    ),
    "possessive": (
        "The/DT/det/1 customer/NN/poss/3 's/POS/case/1 address/NN/nsubj/4 is/VBZ/ROOT/4/be"
        " new/JJ/acomp/4",
        [
            "possessive: have(subject=The customer; object=address)",
            "copula: be(subject=The customer's address; complement=new)",
        ],
    ),
    "a possessive pronoun owns nothing": (
        "Its/PRP$/poss/1 address/NN/nsubj/2 is/VBZ/ROOT/2/be new/JJ/acomp/2",
        ["copula: be(subject=Its address; complement=new)"],
    ),
    "such as": (
        "Tables/NNS/nsubj/6 such/JJ/amod/2 as/IN/prep/0 KONV/NNP/pobj/2 and/CC/cc/3"
        " VBUK/NNP/conj/3 are/VBP/ROOT/6/be old/JJ/acomp/6",
        [
            "example: include(subject=Tables; object=KONV; object=VBUK)",
            "copula: be(subject=Tables such as KONV and VBUK; complement=old)",
        ],
    ),
    "including": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read tables/NNS/dobj/1 including/VBG/prep/2"
        " KONV/NNP/pobj/3",
        [
            "svo: read(subject=It; object=tables including KONV)",
            "example: include(subject=tables; object=KONV)",
        ],
    ),
    "'as' alone gives no examples": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read tables/NNS/dobj/1 as/IN/prep/2 text/NN/pobj/3",
        ["svo: read(subject=It; object=tables as text)"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(notation: str, expected: list[str], read: Callable[[str], list[str]]) -> None:
    assert read(notation) == expected


CORES = {
    "determiner and short of-phrase": (
        "the/DT/det/2 long/JJ/amod/2 list/NN/dobj/10 of/IN/prep/2 open/JJ/amod/5 items/NNS/pobj/3"
        " from/IN/prep/2 the/DT/det/8 release/NN/pobj/6 you/PRP/nsubj/10 delete/VB/ROOT/10",
        "long list of open items",
    ),
    "long of-phrase": (
        "list/NN/dobj/7 of/IN/prep/0 all/DT/det/5 open/JJ/amod/5 customer/NN/compound/5"
        " items/NNS/pobj/1 you/PRP/nsubj/7 delete/VB/ROOT/7",
        "list",
    ),
    "number behind the noun": (
        "version/NN/dobj/3 7.5/CD/nummod/0 you/PRP/nsubj/3 use/VB/ROOT/3",
        "version 7.5",
    ),
    "possessive pronoun": (
        "its/PRP$/poss/1 table/NN/dobj/3 you/PRP/nsubj/3 use/VB/ROOT/3",
        "table",
    ),
    "bracket before the noun": (
        "new/JJ/amod/3 (/-LRB-/punct/3 big/JJ/amod/3 tables/NNS/dobj/5 you/PRP/nsubj/5"
        " use/VB/ROOT/5",
        "big tables",
    ),
    "bare verb in a noun's place": ("you/PRP/nsubj/1 use/VB/ROOT/1 Save/VB/dobj/1", "Save"),
    "gerund": ("you/PRP/nsubj/1 use/VB/ROOT/1 posting/VBG/dobj/1", "posting"),
    "no letter or digit": ("you/PRP/nsubj/1 use/VB/ROOT/1 =/NN/dobj/1", ""),
}


@pytest.mark.parametrize(("notation", "expected"), CORES.values(), ids=CORES.keys())
def test_core(notation: str, expected: str, parse: Callable[[str], Doc]) -> None:
    doc = parse(notation)
    (frame,) = frames_of(doc)
    (argument,) = frame.having(Role.OBJECT)
    assert argument.core_text == expected
    assert doc.text[argument.core_start : argument.core_end] == expected


def test_discontinuous_argument_covers_its_pieces(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "Tables/NNS/nsubj/5 which/WDT/nsubj/2 exist/VBP/relcl/0 in/IN/prep/0 SAP/NNP/pobj/3"
        " hold/VBP/ROOT/5 data/NNS/dobj/5"
    )
    subject = next(one for one in frames_of(doc) if one.rule == Rule.SVO).arguments[0]
    assert subject.text == "Tables in SAP"
    assert doc.text[subject.start : subject.end] == "Tables which exist in SAP"


def test_brackets_left_empty_by_an_apposition_are_dropped(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "Planning/NN/nsubj/4 (/-LRB-/punct/0 MRP/NNP/appos/0 )/-RRB-/punct/0 plans/VBZ/ROOT/4/plan"
        " material/NN/dobj/4"
    )
    assert [frame.arguments[0].text for frame in frames_of(doc)] == ["Planning", "Planning"]


def test_a_bracket_that_lost_its_partner_is_dropped(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "Planning/NN/nsubj/4 (/-LRB-/punct/0 MRP/NNP/appos/0 )/-RRB-/punct/2 plans/VBZ/ROOT/4/plan"
        " material/NN/dobj/4"
    )
    assert [frame.arguments[0].text for frame in frames_of(doc)] == ["Planning", "Planning"]
