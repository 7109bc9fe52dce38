"""Binary triples from frames: which pairs, which direction, which relation."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.triples import derive_triples

DERIVATIONS = {
    "active, with an oblique of subject and object": (
        "SAP/NNP/nsubj/1 stores/VBZ/ROOT/1/store credit/NN/compound/3 data/NNS/dobj/1 in/IN/prep/1"
        " table/NN/compound/6 KNKK/NNP/pobj/4",
        [
            ("SAP", "store", "credit data"),
            ("SAP", "store in", "table KNKK"),
            ("credit data", "be stored in", "table KNKK"),
        ],
    ),
    "passive with an agent is turned round": (
        "VBBS/NNP/nsubjpass/2 is/VBZ/auxpass/2/be replaced/VBN/ROOT/2/replace by/IN/agent/2"
        " VBBE/NNP/pobj/3 in/IN/prep/2 ERP/NNP/pobj/5",
        [("VBBE", "replace", "VBBS"), ("VBBS", "be replaced in", "ERP")],
    ),
    "passive without an agent keeps its form": (
        "Data/NNS/nsubjpass/2 was/VBD/auxpass/2/be written/VBN/ROOT/2/write to/IN/prep/2 KNKK/NNP/pobj/3",
        [("Data", "be written to", "KNKK")],
    ),
    "what something is used for is done to the object": (
        "Keys/NNS/nsubjpass/2 are/VBP/auxpass/2/be used/VBN/ROOT/2/use to/TO/aux/4"
        " read/VB/xcomp/2 data/NNS/dobj/4 from/IN/prep/4 KNKK/NNP/pobj/6",
        [("Keys", "be used to read", "data"), ("data", "be read from", "KNKK")],
    ),
    "what somebody is helped to do is done to the object": (
        "BTP/NNP/nsubj/1 helps/VBZ/ROOT/1/help you/PRP/nsubj/3 connect/VB/ccomp/1 apps/NNS/dobj/3"
        " to/IN/prep/3 ERP/NNP/pobj/5",
        [("BTP", "help connect", "apps"), ("apps", "be connected to", "ERP")],
    ),
    "imperative": (
        "Use/VB/ROOT/0 VBBE/NNP/dobj/0 instead/RB/advmod/3 of/IN/prep/0 VBBS/NNP/pobj/3",
        [("VBBE", "use instead of", "VBBS")],
    ),
    "copula": ("KONV/NNP/nsubj/1 is/VBZ/ROOT/1/be a/DT/det/3 table/NN/attr/1", [("KONV", "be", "table")]),
    "adjective with a preposition": (
        "APIs/NNS/nsubj/1 are/VBP/ROOT/1/be compatible/JJ/acomp/1 with/IN/prep/2 ERP/NNP/pobj/3",
        [("APIs", "be compatible with", "ERP")],
    ),
    "complement of the object": (
        "SAP/NNP/nsubj/1 calls/VBZ/ROOT/1/call KONV/NNP/dobj/1 a/DT/det/4 table/NN/oprd/1",
        [("SAP", "call", "KONV"), ("KONV", "be called", "table")],
    ),
    "particle before the preposition": (
        "SAP/NNP/nsubj/1 sets/VBZ/ROOT/1/set up/RP/prt/1 ERP/NNP/dobj/1 on/IN/prep/1 Linux/NNP/pobj/4",
        [("SAP", "set up", "ERP"), ("SAP", "set up on", "Linux"), ("ERP", "be set up on", "Linux")],
    ),
    "what is only tried has not happened to the object": (
        "SAP/NNP/nsubj/1 fails/VBZ/ROOT/1/fail to/TO/aux/3 store/VB/xcomp/1 data/NNS/dobj/3"
        " in/IN/prep/3 KNKK/NNP/pobj/5",
        [("SAP", "fail to store", "data"), ("SAP", "fail to store in", "KNKK")],
    ),
    "the oblique of an object whose subject is lent": (
        "SAP/NNP/nsubj/1 starts/VBZ/ROOT/1/start before/IN/prep/1 storing/VBG/pcomp/2/store"
        " data/NNS/dobj/3 in/IN/prep/3 KNKK/NNP/pobj/5",
        [("SAP", "store", "data"), ("data", "be stored in", "KNKK")],
    ),
    "what a command without an object is about": (
        "In/IN/prep/3 lists/NNS/pobj/0 ,/,/punct/3 search/VB/ROOT/3 for/IN/prep/3 tasks/NNS/pobj/4",
        [("tasks", "search in", "lists")],
    ),
    "a command to look elsewhere tells nothing of it": (
        "In/IN/prep/3 lists/NNS/pobj/0 ,/,/punct/3 go/VB/ROOT/3 to/IN/prep/3 tasks/NNS/pobj/4",
        [],
    ),
    "there is": (
        "There/EX/expl/1 are/VBP/ROOT/1/be tables/NNS/attr/1/table in/IN/prep/1 SAP/NNP/pobj/3",
        [("tables", "be in", "SAP")],
    ),
    "what there is besides is not the same": (
        "There/EX/expl/1 are/VBP/ROOT/1/be views/NNS/attr/1/view and/CC/cc/2 tables/NNS/conj/2"
        " in/IN/prep/1 SAP/NNP/pobj/5",
        [("views", "be in", "SAP"), ("tables", "be in", "SAP")],
    ),
    "having does nothing to what one has": (
        "SAP/NNP/nsubj/1 has/VBZ/ROOT/1/have tables/NNS/dobj/1 in/IN/prep/1 ERP/NNP/pobj/3",
        [("SAP", "have", "tables"), ("SAP", "have in", "ERP")],
    ),
    "clauses and adverbs are no nodes": (
        "SAP/NNP/nsubj/1 says/VBZ/ROOT/1/say here/RB/advmod/1 KONV/NNP/nsubj/4 ends/VBZ/ccomp/1/end",
        [],
    ),
    "both sides of coordinations": (
        "A/NNP/nsubj/3 and/CC/cc/0 B/NNP/conj/0 read/VBP/ROOT/3 C/NNP/dobj/3 and/CC/cc/4 D/NNP/conj/4",
        [("A", "read", "C"), ("A", "read", "D"), ("B", "read", "C"), ("B", "read", "D")],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), DERIVATIONS.values(), ids=DERIVATIONS.keys())
def test_derivation(notation: str, expected: list[tuple[str, str, str]], parse: Callable[[str], Doc]) -> None:
    triples = [triple for frame in frames_of(parse(notation)) for triple in derive_triples(frame)]
    assert [(triple.head, triple.relation, triple.tail) for triple in triples] == expected
