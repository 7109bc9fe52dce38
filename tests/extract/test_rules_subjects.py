"""Who the subject is: shared, relative, participial."""

from collections.abc import Callable

import pytest

RULES = {
    "object, and a conjoined verb that shares the subject": (
        "The/DT/det/1 report/NN/nsubj/2 reads/VBZ/ROOT/2/read KONV/NNP/dobj/2 and/CC/cc/2"
        " writes/VBZ/conj/2/write BSEG/NNP/dobj/5 ././punct/2",
        [
            "svo: read(subject=The report; object=KONV)",
            "inherited: write(subject=The report; object=BSEG)",
        ],
    ),
    "an object between the verbs is the second one's subject": (
        "It/PRP/nsubj/1 asks/VBZ/ROOT/1/ask users/NNS/dobj/1/user to/TO/aux/4 enter/VB/xcomp/1"
        " data/NNS/dobj/4",
        [
            "svo: ask(subject=It; object=users; clause=to enter data)",
            "inherited: enter(subject=users; object=data)",
        ],
    ),
    "relative clause with the noun as subject": (
        "KONV/NNP/nsubj/6 ,/,/punct/0 which/WDT/nsubj/3 stored/VBD/relcl/0/store"
        " conditions/NNS/dobj/3 ,/,/punct/0 is/VBZ/ROOT/6/be obsolete/JJ/acomp/6",
        [
            "relative: store(subject=KONV; object=conditions)",
            "copula: be(subject=KONV; complement=obsolete)",
        ],
    ),
    "relative clause with the noun as object": (
        "The/DT/det/1 table/NN/nsubj/5 that/WDT/dobj/4 SAP/NNP/nsubj/4 replaced/VBD/relcl/1/replace"
        " is/VBZ/ROOT/5/be empty/JJ/acomp/5",
        [
            "svo: replace(subject=SAP; object=The table)",
            "copula: be(subject=The table; complement=empty)",
        ],
    ),
    "relative clause with the noun behind a preposition": (
        "The/DT/det/1 table/NN/nsubj/7 in/IN/prep/6 which/WDT/pobj/2 data/NN/nsubjpass/6"
        " is/VBZ/auxpass/6/be stored/VBN/relcl/1/store is/VBZ/ROOT/7/be empty/JJ/acomp/7",
        [
            "passive: passive store(subject=data; oblique in=The table)",
            "copula: be(subject=The table; complement=empty)",
        ],
    ),
    "relative clause with the preposition at its end": (
        "Tables/NNS/nsubj/5 data/NN/nsubjpass/3 is/VBZ/auxpass/3/be stored/VBN/relcl/0/store"
        " in/IN/prep/3 are/VBP/ROOT/5/be big/JJ/acomp/5",
        [
            "passive: passive store(subject=data; oblique in=Tables)",
            "copula: be(subject=Tables; complement=big)",
        ],
    ),
    "after 'where' the noun is no object": (
        "It/PRP/nsubj/1 has/VBZ/ROOT/1/have rows/NNS/dobj/1 where/WRB/advmod/5 it/PRP/nsubj/5"
        " writes/VBZ/relcl/2/write to/IN/prep/5 KONV/NNP/pobj/6",
        [
            "svo: have(subject=It; object=rows)",
            "verb_prep: write(subject=it; oblique in=rows; oblique to=KONV)",
        ],
    ),
    "in the passive the noun is no object": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be rows/NNS/attr/1 that/WDT/dobj/6 keys/NNS/nsubjpass/6"
        " are/VBP/auxpass/6/be needed/VBN/relcl/2/need today/RB/advmod/6",
        [
            "copula: be(subject=It; complement=rows)",
            "passive: passive need(subject=keys; adverbial=today)",
        ],
    ),
    "after 'whose' the noun is no object": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 whose/WP$/poss/4"
        " fields/NNS/nsubj/5 end/VBP/relcl/2 here/RB/advmod/5",
        [
            "svo: read(subject=It; object=KONV)",
            "adverbial: end(subject=whose fields; adverbial=here)",
        ],
    ),
    "a relative clause of a definition tells about what is defined": (
        "KONV/NNP/nsubj/1 is/VBZ/ROOT/1/be a/DT/det/3 table/NN/attr/1 that/WDT/nsubj/5"
        " stores/VBZ/relcl/3/store conditions/NNS/dobj/5",
        [
            "copula: be(subject=KONV; complement=a table)",
            "inherited: store(subject=KONV; object=conditions)",
        ],
    ),
    "participle after a noun": (
        "The/DT/det/1 fields/NNS/nsubj/5 stored/VBN/acl/1/store in/IN/prep/2 VBAK/NNP/pobj/3"
        " are/VBP/ROOT/5/be new/JJ/acomp/5",
        [
            "acl: passive store(subject=The fields; oblique in=VBAK)",
            "copula: be(subject=The fields stored in VBAK; complement=new)",
        ],
    ),
    "a duty": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be responsible/JJ/acomp/1 for/IN/prep/2"
        " reading/VBG/pcomp/3/read KONV/NNP/dobj/4",
        [
            "copula: be(subject=It; complement=responsible for reading KONV)",
            "inherited: read(subject=It; object=KONV)",
        ],
    ),
    "there is": (
        "There/EX/expl/1 are/VBP/ROOT/1/be tables/NNS/attr/1/table in/IN/prep/1 SAP/NNP/pobj/3",
        ["existential: be(subject=There; complement=tables; oblique in=SAP)"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(notation: str, expected: list[str], read: Callable[[str], list[str]]) -> None:
    assert read(notation) == expected
