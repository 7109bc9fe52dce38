"""Frames of noun phrases, and the cores of arguments."""

from collections.abc import Callable

import pytest

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
