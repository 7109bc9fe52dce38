"""Predicates: chains of verbs, negation, modality, voice."""

from collections.abc import Callable

import pytest

RULES = {
    "a chain of verbs is one predicate": (
        "The/DT/det/1 program/NN/nsubj/2 plans/VBZ/ROOT/2/plan to/TO/aux/4 replace/VB/xcomp/2 KONV/NNP/dobj/4",
        ["svo: plan to replace(subject=The program; object=KONV)"],
    ),
    "a semi-modal is a modality": (
        "VBBS/NNP/nsubj/1 needs/VBZ/ROOT/1/need to/TO/aux/4 be/VB/auxpass/4"
        " replaced/VBN/xcomp/1/replace by/IN/agent/4 VBBE/NNP/pobj/5",
        ["passive: passive <need to> replace(subject=VBBS; agent by=VBBE)"],
    ),
    "particle": (
        "The/DT/det/1 admin/NN/nsubj/2 sets/VBZ/ROOT/2/set up/RP/prt/2 the/DT/det/5 system/NN/dobj/2",
        ["svo: set up(subject=The admin; object=the system)"],
    ),
    "negation": (
        "It/PRP/nsubj/3 does/VBZ/aux/3/do not/RB/neg/3 support/VB/ROOT/3 pool/NN/compound/5 tables/NNS/dobj/3/table",
        ["svo: not support(subject=It; object=pool tables)"],
    ),
    "negation by a determiner": (
        "It/PRP/nsubj/1 has/VBZ/ROOT/1/have no/DT/det/3 fields/NNS/dobj/1/field",
        ["svo: not have(subject=It; object=no fields)"],
    ),
    "without and instead of deny": (
        "It/PRP/nsubj/1 runs/VBZ/ROOT/1/run without/IN/prep/1 blocking/VBG/pcomp/2/block"
        " KONV/NNP/dobj/3 instead/RB/advmod/6 of/IN/prep/1 reading/VBG/pcomp/6/read"
        " VBBE/NNP/dobj/7",
        [
            "adverbial: run(subject=It; adverbial=without blocking KONV; adverbial=instead of reading VBBE)",
            "inherited: not block(subject=It; object=KONV)",
            "inherited: not read(subject=It; object=VBBE)",
        ],
    ),
    "rather than denies": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 rather/RB/advmod/4 than/IN/cc/1"
        " write/VB/conj/1 VBBE/NNP/dobj/5",
        ["svo: read(subject=It; object=KONV)", "inherited: not write(subject=It; object=VBBE)"],
    ),
    "what is prevented is open": (
        "It/PRP/nsubj/1 prevents/VBZ/ROOT/1/prevent jobs/NNS/dobj/1/job from/IN/prep/1"
        " reading/VBG/pcomp/3/read KONV/NNP/dobj/4",
        ["svo: prevent(subject=It; object=jobs; adverbial=from reading KONV)"],
    ),
    "what is false is denied": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be false/JJ/acomp/1 that/IN/mark/6 the/DT/det/5"
        " job/NN/nsubj/6 reads/VBZ/ccomp/1/read KONV/NNP/dobj/6",
        [
            "copula: be(subject=It; complement=false; clause=that the job reads KONV)",
            "svo: not read(subject=the job; object=KONV)",
        ],
    ),
    "what is supposed is open": (
        "Suppose/VB/ROOT/0 that/IN/mark/3 jobs/NNS/nsubj/3/job read/VBP/ccomp/0 KONV/NNP/dobj/3",
        ["imperative: suppose(clause=that jobs read KONV)"],
    ),
    "no longer": (
        "It/PRP/nsubjpass/4 is/VBZ/auxpass/4/be no/RB/neg/3 longer/RBR/advmod/4 used/VBN/ROOT/4/use here/RB/advmod/4",
        ["passive: not passive use(subject=It; adverbial=no longer; adverbial=here)"],
    ),
    "modal": (
        "It/PRP/nsubj/2 must/MD/aux/2 read/VB/ROOT/2 KONV/NNP/dobj/2",
        ["svo: <must> read(subject=It; object=KONV)"],
    ),
    "condition": (
        "If/IN/mark/2 it/PRP/nsubj/2 reads/VBZ/advcl/4/read KONV/NNP/dobj/2 stop/VB/ROOT/4",
        ["svo: <if> read(subject=it; object=KONV)"],
    ),
    "ability": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be not/RB/neg/1 able/JJ/acomp/1 to/TO/aux/5 read/VB/xcomp/3 KONV/NNP/dobj/5",
        ["svo: not <able to> read(subject=It; object=KONV)"],
    ),
    "conjuncts share modal, negation and voice": (
        "It/PRP/nsubjpass/4 can/MD/aux/4 not/RB/neg/4 be/VB/auxpass/4 read/VBN/ROOT/4"
        " here/RB/advmod/4 or/CC/cc/4 changed/VBN/conj/4/change there/RB/advmod/7",
        [
            "passive: not passive <can> read(subject=It; adverbial=here)",
            "inherited: not passive <can> change(subject=It; adverbial=there)",
        ],
    ),
    "an active conjunct does not become passive": (
        "It/PRP/nsubjpass/3 can/MD/aux/3 be/VB/auxpass/3 changed/VBN/ROOT/3/change in/IN/prep/3"
        " SE11/NNP/pobj/4 and/CC/cc/3 replace/VB/conj/3 KONV/NNP/dobj/7",
        [
            "passive: passive <can> change(subject=It; oblique in=SE11)",
            "inherited: <can> replace(subject=It; object=KONV)",
        ],
    ),
    "an adjective with a preposition is the relation": (
        "The/DT/det/1 API/NN/nsubj/2 is/VBZ/ROOT/2/be compatible/JJ/acomp/2 with/IN/prep/3 ERP/NNP/pobj/4",
        ["copula: be compatible(subject=The API; oblique with=ERP)"],
    ),
    "an attitude": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be easy/JJ/acomp/1 to/TO/aux/4 read/VB/xcomp/2 KONV/NNP/dobj/4",
        ["copula: be(subject=It; complement=easy to read KONV)", "imperative: <easy to> read(object=KONV)"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(notation: str, expected: list[str], read: Callable[[str], list[str]]) -> None:
    assert read(notation) == expected
