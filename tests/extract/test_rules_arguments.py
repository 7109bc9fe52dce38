"""Arguments: objects, complements, obliques, clauses, coordination."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import Role

RULES = {
    "passive with an agent": (
        "Table/NN/compound/1 VBBS/NNP/nsubjpass/3 is/VBZ/auxpass/3/be replaced/VBN/ROOT/3/replace"
        " by/IN/agent/3 table/NN/compound/6 VBBE/NNP/pobj/4 ././punct/3",
        ["passive: passive replace(subject=Table VBBS; agent by=table VBBE)"],
    ),
    "copula with a noun": (
        "KONV/NNP/nsubj/1 is/VBZ/ROOT/1/be a/DT/det/3 table/NN/attr/1",
        ["copula: be(subject=KONV; complement=a table)"],
    ),
    "copula with an adjective": (
        "KONV/NNP/nsubj/1 is/VBZ/ROOT/1/be obsolete/JJ/acomp/1",
        ["copula: be(subject=KONV; complement=obsolete)"],
    ),
    "what stands before all that a reader can do": (
        "In/IN/prep/3 ADT/NNP/pobj/0 you/PRP/nsubj/3 read/VBP/ROOT/3 it/PRP/dobj/3 and/CC/cc/3"
        " edit/VBP/conj/3 views/NNS/dobj/6",
        [
            "svo: read(subject=you; oblique in=ADT; object=it)",
            "inherited: edit(subject=you; oblique in=ADT; object=views)",
        ],
    ),
    "verb and preposition": (
        "The/DT/det/1 program/NN/nsubj/2 runs/VBZ/ROOT/2/run on/IN/prep/2 the/DT/det/5 server/NN/pobj/3",
        ["verb_prep: run(subject=The program; oblique on=the server)"],
    ),
    "nested prepositions are one": (
        "Data/NNS/nsubjpass/2 is/VBZ/auxpass/2/be moved/VBN/ROOT/2/move out/IN/prep/2 of/IN/prep/3 KONV/NNP/pobj/4",
        ["passive: passive move(subject=Data; oblique out of=KONV)"],
    ),
    "prepositions joined by a conjunction, and prepositions in a row": (
        "Data/NNS/nsubj/1 goes/VBZ/ROOT/1/go from/IN/prep/1 A/NNP/pobj/2 to/IN/prep/2 B/NNP/pobj/4"
        " or/CC/cc/4 into/IN/conj/4 C/NNP/pobj/7",
        ["verb_prep: go(subject=Data; oblique from=A; oblique to=B; oblique into=C)"],
    ),
    "adverb and preposition are one": (
        "It/PRP/nsubj/1 runs/VBZ/ROOT/1/run ahead/RB/advmod/1 of/IN/prep/2 schedule/NN/pobj/3",
        ["verb_prep: run(subject=It; oblique ahead of=schedule)"],
    ),
    "a preposition before a verb makes an adverbial": (
        "It/PRP/nsubj/1 helps/VBZ/ROOT/1/help by/IN/prep/1 reading/VBG/pcomp/2/read KONV/NNP/dobj/3",
        ["adverbial: help(subject=It; adverbial=by reading KONV)", "inherited: read(subject=It; object=KONV)"],
    ),
    "conjuncts are arguments of their own": (
        "VBAK/NNP/nsubj/3 and/CC/cc/0 VBAP/NNP/conj/0 store/VBP/ROOT/3 orders/NNS/dobj/3"
        " in/IN/prep/3 rows/NNS/pobj/5 and/CC/cc/6 columns/NNS/conj/6",
        ["svo: store(subject=VBAK; subject=VBAP; object=orders; oblique in=rows; oblique in=columns)"],
    ),
    "a denied conjunct is left out": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 but/CC/cc/2 not/RB/neg/5 KONP/NNP/conj/2",
        ["svo: read(subject=It; object=KONV)"],
    ),
    "what a noun is chosen over is an oblique": (
        "It/PRP/nsubj/1 uses/VBZ/ROOT/1/use KONV/NNP/dobj/1 rather/RB/advmod/4 than/IN/cc/2 KONP/NNP/pobj/4",
        ["svo: use(subject=It; object=KONV; oblique rather than=KONP)"],
    ),
    "clause as an argument": (
        "Users/NNS/nsubj/1 say/VBP/ROOT/1 that/IN/mark/4 KONV/NNP/nsubj/4 is/VBZ/ccomp/1/be empty/JJ/acomp/4",
        ["clausal: say(subject=Users; clause=that KONV is empty)", "copula: be(subject=KONV; complement=empty)"],
    ),
    "indirect object": (
        "It/PRP/nsubj/1 gave/VBD/ROOT/1/give users/NNS/dative/1 roles/NNS/dobj/1",
        ["svo: give(subject=It; indirect_object=users; object=roles)"],
    ),
    "a verb alone says too little": ("It/PRP/nsubj/1 runs/VBZ/ROOT/1/run", []),
    "a verb without letters is code": ("i/NN/nsubj/1 =/VBZ/ROOT/1 KONV/NNP/dobj/1", []),
    "what is said may come first": (
        "KONV/NNP/nsubj/1 is/VBZ/ccomp/5/be new/JJ/acomp/1 ,/,/punct/5 SAP/NNP/nsubj/5 says/VBZ/ROOT/5/say",
        ["copula: be(subject=KONV; complement=new)", "clausal: say(subject=SAP; clause=KONV is new)"],
    ),
    "what merely comes first is no argument": (
        "KONV/NNP/nsubj/1 is/VBZ/ccomp/5/be new/JJ/acomp/1 ,/,/punct/5 SAP/NNP/nsubj/5"
        " reads/VBZ/ROOT/5/read it/PRP/dobj/5",
        ["copula: be(subject=KONV; complement=new)", "svo: read(subject=SAP; object=it)"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(notation: str, expected: list[str], read: Callable[[str], list[str]]) -> None:
    assert read(notation) == expected


def test_long_coordinations_do_not_recurse(parse: Callable[[str], Doc]) -> None:
    chain = " ".join(f"T{n}/NNP/conj/{n + 1}" for n in range(1, 1200))
    (frame,) = frames_of(parse(f"It/PRP/nsubj/1 reads/VBZ/ROOT/1/read T0/NNP/dobj/1 {chain}"))
    assert len(frame.having(Role.OBJECT)) == 1200
