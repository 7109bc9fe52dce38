"""Constructions of technical prose: abilities, instruments, shared objects, empty subjects."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.triples import derive_triples

TRIPLES = {
    "what a thing lets the reader do": (
        "BTP/NNP/nsubj/1 lets/VBZ/ROOT/1/let you/PRP/nsubj/3 manage/VB/ccomp/1 data/NNS/dobj/3",
        ["BTP | let manage | data"],
    ),
    "what it enables the reader to do": (
        "BTP/NNP/nsubj/1 enables/VBZ/ROOT/1/enable you/PRP/dobj/1 to/TO/aux/4 read/VB/xcomp/1 data/NNS/dobj/4",
        ["BTP | enable to read | you", "BTP | enable to read | data"],
    ),
    "what it enables something else to do": (
        "BTP/NNP/nsubj/1 enables/VBZ/ROOT/1/enable apps/NNS/dobj/1 to/TO/aux/4 read/VB/xcomp/1 data/NNS/dobj/4",
        ["BTP | enable | apps", "apps | read | data"],
    ),
    "an object of two verbs": (
        "SAP/NNP/nsubj/1 checks/VBZ/ROOT/1/check and/CC/cc/1 repairs/VBZ/conj/1/repair data/NNS/dobj/3",
        ["SAP | check | data", "SAP | repair | data"],
    ),
    "an object after a complement is not shared": (
        "SAP/NNP/nsubj/1 waits/VBZ/ROOT/1/wait for/IN/prep/1 BTP/NNP/pobj/2 and/CC/cc/1"
        " repairs/VBZ/conj/1/repair data/NNS/dobj/5",
        ["SAP | wait for | BTP", "SAP | repair | data"],
    ),
    "a participle that is a preposition": (
        "Routes/NNS/nsubjpass/2 are/VBP/auxpass/2/be modeled/VBN/ROOT/2/model using/VBG/advcl/2/use steps/NNS/dobj/3",
        ["Routes | be modeled using | steps"],
    ),
    "who does it uses it as well": (
        "Users/NNS/nsubj/1 model/VBP/ROOT/1 routes/NNS/dobj/1 using/VBG/advcl/1/use steps/NNS/dobj/3",
        [
            "Users | model | routes",
            "Users | model using | steps",
            "routes | be modeled using | steps",
            "Users | use | steps",
        ],
    ),
    "what the reader does it by": (
        "Open/VB/ROOT/0 it/PRP/dobj/0 by/IN/prep/0 clicking/VBG/pcomp/2/click links/NNS/dobj/3",
        ["it | open by clicking | links"],
    ),
    "what something that is done is done by": (
        "Objects/NNS/nsubjpass/2 are/VBP/auxpass/2/be made/VBN/ROOT/2/make by/IN/prep/2"
        " copying/VBG/pcomp/3/copy types/NNS/dobj/4",
        ["Objects | be made by copying | types"],
    ),
    "a patient does not do what is done meanwhile": (
        "Warnings/NNS/nsubjpass/2 are/VBP/auxpass/2/be shown/VBN/ROOT/2/show when/WRB/advmod/4"
        " using/VBG/advcl/2/use literals/NNS/dobj/4",
        ["Warnings | be shown using | literals"],
    ),
    "a preposition of three words": (
        "It/PRP/nsubjpass/2 is/VBZ/auxpass/2/be split/VBN/ROOT/2 in/IN/prep/2 case/NN/pobj/3"
        " of/IN/prep/4 errors/NNS/pobj/5",
        ["It | be split in case of | errors"],
    ),
    "a combination is no part of a preposition": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read as/IN/prep/1 a/DT/det/4 combination/NN/pobj/2"
        " of/IN/prep/4 keys/NNS/pobj/5",
        ["It | read as | combination of keys"],
    ),
    "a verb that says little without its noun": (
        "Users/NNS/nsubj/1 have/VBP/ROOT/1 access/NN/dobj/1 to/IN/prep/2 BTP/NNP/pobj/3",
        ["Users | have access to | BTP"],
    ),
    "a noun that is described stands for itself": (
        "Users/NNS/nsubj/1 have/VBP/ROOT/1 full/JJ/amod/3 access/NN/dobj/1 to/IN/prep/3 BTP/NNP/pobj/4",
        ["Users | have | full access", "full access | be to | BTP"],
    ),
    "part of": (
        "Steps/NNS/nsubj/1 are/VBP/ROOT/1/be part/NN/attr/1 of/IN/prep/2 BTP/NNP/pobj/3",
        ["Steps | be part of | BTP"],
    ),
    "an 'it' that stands for a clause does nothing": (
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be easy/JJ/acomp/1 to/TO/aux/4 store/VB/xcomp/2"
        " data/NNS/dobj/4 in/IN/prep/4 BTP/NNP/pobj/6",
        ["data | store in | BTP"],
    ),
    "what a relative clause ends with is said of its noun": (
        "Types/NNS/ROOT/0 groups/NNS/nsubj/2 are/VBP/relcl/0/be relevant/JJ/acomp/2 for/IN/prep/2",
        ["groups | be relevant for | Types"],
    ),
    "where something is done": (
        "Apps/NNS/ROOT/0 where/WRB/advmod/3 users/NNS/nsubj/3 find/VBP/relcl/0 logs/NNS/dobj/3",
        ["users | find | logs", "users | find in | Apps", "logs | be found in | Apps"],
    ),
    "a relative clause agrees with its noun in number": (
        "Objects/NNS/ROOT/0 in/IN/prep/0 DDIC/NNP/pobj/1 that/WDT/nsubj/4 hold/VBP/relcl/2 types/NNS/dobj/4",
        ["Objects | be in | DDIC", "Objects | hold | types"],
    ),
    "one that agrees with the nearer noun stays there": (
        "Objects/NNS/ROOT/0 in/IN/prep/0 DDIC/NNP/pobj/1 that/WDT/nsubj/4 holds/VBZ/relcl/2/hold types/NNS/dobj/4",
        ["Objects | be in | DDIC", "DDIC | hold | types"],
    ),
    "both things that somebody enables": (
        "BTP/NNP/nsubj/1 helps/VBZ/ROOT/1/help you/PRP/nsubj/3 share/VB/ccomp/1 data/NNS/dobj/3"
        " and/CC/cc/3 enable/VB/conj/3 teams/NNS/dobj/6",
        ["BTP | help share | data", "BTP | enable | teams"],
    ),
    "what is done using something": (
        "SAP/NNP/nsubj/1 links/VBZ/ROOT/1/link steps/NNS/dobj/1 using/VBG/acl/2/use queues/NNS/dobj/3",
        ["SAP | link | steps", "SAP | link using | queues", "steps | be linked using | queues", "SAP | use | queues"],
    ),
    "the purpose of a passive is somebody's who is not named": (
        "To/TO/aux/1 send/VB/advcl/5 orders/NNS/dobj/1 keys/NNS/nsubjpass/5 are/VBP/auxpass/5/be"
        " stored/VBN/ROOT/5/store in/IN/prep/5 BTP/NNP/pobj/6",
        ["keys | be stored in | BTP"],
    ),
    "a title that begins with a gerund": (
        "Linking/VBG/ROOT/0/link keys/NNS/dobj/0 to/IN/prep/0 roles/NNS/pobj/2",
        ["keys | link to | roles"],
    ),
    "a title that says how": (
        "How/WRB/advmod/2 to/TO/aux/2 keep/VB/ROOT/2 keys/NNS/dobj/2 in/IN/prep/2 BTP/NNP/pobj/4"
        " and/CC/cc/2 push/VB/conj/2 it/PRP/dobj/7 to/IN/prep/7 Git/NNP/pobj/9",
        ["keys | keep in | BTP", "it | push to | Git"],
    ),
    "a number of things are these": (
        "A/DT/det/1 number/NN/nsubj/4 of/IN/prep/1 keys/NNS/pobj/2 open/VBP/ROOT/4 locks/NNS/dobj/4",
        ["keys | open | locks"],
    ),
    "the number of things is none of them": (
        "The/DT/det/1 number/NN/nsubj/4 of/IN/prep/1 keys/NNS/pobj/2 exceeds/VBZ/ROOT/4/exceed limits/NNS/dobj/4",
        ["number of keys | exceed | limits"],
    ),
    "like": ("Tables/NNS/nsubj/3 like/IN/prep/0 KONV/NNP/pobj/1 exist/VBP/ROOT/3", ["Tables | include | KONV"]),
}


@pytest.mark.parametrize(("notation", "expected"), TRIPLES.values(), ids=TRIPLES)
def test_triples(notation: str, expected: list[str], parse: Callable[[str], Doc]) -> None:
    triples = [one for frame in frames_of(parse(notation)) for one in derive_triples(frame)]
    found = [f"{one.head} | {one.relation} | {one.tail}" for one in triples]
    assert sorted(dict.fromkeys(found)) == sorted(expected)
