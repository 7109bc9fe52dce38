"""One hand-parsed sentence for each rule, and for what each rule must leave alone."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.lang.en import English
from spacy.tokens import Doc

from graphrag_tasks.extract.clauses import frames_of
from graphrag_tasks.extract.frames import Frame, Role, Rule
from graphrag_tasks.extract.rules import CONFIDENCE
from graphrag_tasks.extract.triples import derive_triples

VOCAB = English().vocab

RULES = {
    "object, and a conjoined verb that shares the subject": (
        "The/DT/det/1 report/NN/nsubj/2 reads/VBZ/ROOT/2/read KONV/NNP/dobj/2 and/CC/cc/2"
        " writes/VBZ/conj/2/write BSEG/NNP/dobj/5 ././punct/2",
        [
            "svo: read(subject=The report; object=KONV)",
            "inherited: write(subject=The report; object=BSEG)",
        ],
    ),
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
    "an adjective with a preposition is the relation": (
        "The/DT/det/1 API/NN/nsubj/2 is/VBZ/ROOT/2/be compatible/JJ/acomp/2 with/IN/prep/3"
        " ERP/NNP/pobj/4",
        ["copula: be compatible(subject=The API; oblique with=ERP)"],
    ),
    "verb and preposition": (
        "The/DT/det/1 program/NN/nsubj/2 runs/VBZ/ROOT/2/run on/IN/prep/2 the/DT/det/5"
        " server/NN/pobj/3",
        ["verb_prep: run(subject=The program; oblique on=the server)"],
    ),
    "nested prepositions are one": (
        "Data/NNS/nsubjpass/2 is/VBZ/auxpass/2/be moved/VBN/ROOT/2/move out/IN/prep/2 of/IN/prep/3"
        " KONV/NNP/pobj/4",
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
        "It/PRP/nsubj/1 helps/VBZ/ROOT/1/help by/IN/prep/1 reading/VBG/pcomp/2/read"
        " KONV/NNP/dobj/3",
        [
            "adverbial: help(subject=It; adverbial=by reading KONV)",
            "inherited: read(subject=It; object=KONV)",
        ],
    ),
    "a chain of verbs is one predicate": (
        "The/DT/det/1 program/NN/nsubj/2 plans/VBZ/ROOT/2/plan to/TO/aux/4 replace/VB/xcomp/2"
        " KONV/NNP/dobj/4",
        ["svo: plan to replace(subject=The program; object=KONV)"],
    ),
    "a semi-modal is a modality": (
        "VBBS/NNP/nsubj/1 needs/VBZ/ROOT/1/need to/TO/aux/4 be/VB/auxpass/4"
        " replaced/VBN/xcomp/1/replace by/IN/agent/4 VBBE/NNP/pobj/5",
        ["passive: passive <need to> replace(subject=VBBS; agent by=VBBE)"],
    ),
    "an object between the verbs is the second one's subject": (
        "It/PRP/nsubj/1 asks/VBZ/ROOT/1/ask users/NNS/dobj/1/user to/TO/aux/4 enter/VB/xcomp/1"
        " data/NNS/dobj/4",
        [
            "svo: ask(subject=It; object=users; clause=to enter data)",
            "inherited: enter(subject=users; object=data)",
        ],
    ),
    "conjuncts are arguments of their own": (
        "VBAK/NNP/nsubj/3 and/CC/cc/0 VBAP/NNP/conj/0 store/VBP/ROOT/3 orders/NNS/dobj/3"
        " in/IN/prep/3 rows/NNS/pobj/5 and/CC/cc/6 columns/NNS/conj/6",
        [
            "svo: store(subject=VBAK; subject=VBAP; object=orders; oblique in=rows;"
            " oblique in=columns)"
        ],
    ),
    "a denied conjunct is left out": (
        "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 but/CC/cc/2 not/RB/neg/5"
        " KONP/NNP/conj/2",
        ["svo: read(subject=It; object=KONV)"],
    ),
    "what a noun is chosen over is an oblique": (
        "It/PRP/nsubj/1 uses/VBZ/ROOT/1/use KONV/NNP/dobj/1 rather/RB/advmod/4 than/IN/cc/2"
        " KONP/NNP/pobj/4",
        ["svo: use(subject=It; object=KONV; oblique rather than=KONP)"],
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
        ["svo: have(subject=It; object=rows)", "verb_prep: write(subject=it; oblique to=KONV)"],
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
    "clause as an argument": (
        "Users/NNS/nsubj/1 say/VBP/ROOT/1 that/IN/mark/4 KONV/NNP/nsubj/4 is/VBZ/ccomp/1/be"
        " empty/JJ/acomp/4",
        [
            "clausal: say(subject=Users; clause=that KONV is empty)",
            "copula: be(subject=KONV; complement=empty)",
        ],
    ),
    "apposition": (
        "MRP/NNP/nsubj/7 ,/,/punct/0 a/DT/det/3 module/NN/appos/0 of/IN/prep/3 SAP/NNP/pobj/4"
        " ,/,/punct/0 plans/VBZ/ROOT/7/plan materials/NNS/dobj/7",
        [
            "apposition: be(subject=MRP; complement=a module of SAP)",
            "svo: plan(subject=MRP; object=materials)",
        ],
    ),
    "a name right after its noun is no apposition": (
        "Table/NN/nsubj/2 KONV/NNP/appos/0 is/VBZ/ROOT/2/be empty/JJ/acomp/2",
        ["copula: be(subject=Table KONV; complement=empty)"],
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
    "particle": (
        "The/DT/det/1 admin/NN/nsubj/2 sets/VBZ/ROOT/2/set up/RP/prt/2 the/DT/det/5"
        " system/NN/dobj/2",
        ["svo: set up(subject=The admin; object=the system)"],
    ),
    "imperative": (
        "Use/VB/ROOT/0 VBBE/NNP/dobj/0 instead/RB/advmod/3 of/IN/prep/0 VBBS/NNP/pobj/3",
        ["imperative: use(object=VBBE; oblique instead of=VBBS)"],
    ),
    "conjoined imperatives": (
        "Check/VB/ROOT/0 it/PRP/dobj/0 and/CC/cc/0 replace/VB/conj/0 KONV/NNP/dobj/3",
        ["imperative: check(object=it)", "imperative: replace(object=KONV)"],
    ),
    "negated imperative": (
        "Do/VBP/aux/2 not/RB/neg/2 use/VB/ROOT/2 KONV/NNP/dobj/2",
        ["imperative: not use(object=KONV)"],
    ),
    "a present tense that lost its subject is no imperative": (
        "Here/RB/advmod/1 follow/VBP/ROOT/1 KONV/NNP/dobj/1",
        [],
    ),
    "negation": (
        "It/PRP/nsubj/3 does/VBZ/aux/3/do not/RB/neg/3 support/VB/ROOT/3 pool/NN/compound/5"
        " tables/NNS/dobj/3/table",
        ["svo: not support(subject=It; object=pool tables)"],
    ),
    "negation by a determiner": (
        "It/PRP/nsubj/1 has/VBZ/ROOT/1/have no/DT/det/3 fields/NNS/dobj/1/field",
        ["svo: not have(subject=It; object=no fields)"],
    ),
    "no longer": (
        "It/PRP/nsubjpass/4 is/VBZ/auxpass/4/be no/RB/neg/3 longer/RBR/advmod/4 used/VBN/ROOT/4/use"
        " here/RB/advmod/4",
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
        "It/PRP/nsubj/1 is/VBZ/ROOT/1/be able/JJ/acomp/1 to/TO/aux/4 read/VB/xcomp/2"
        " KONV/NNP/dobj/4",
        [
            "copula: be(subject=It; complement=able to read KONV)",
            "inherited: <able to> read(subject=It; object=KONV)",
        ],
    ),
    "conjuncts share modal, negation and voice": (
        "It/PRP/nsubjpass/4 can/MD/aux/4 not/RB/neg/4 be/VB/auxpass/4 read/VBN/ROOT/4"
        " here/RB/advmod/4 or/CC/cc/4 changed/VBN/conj/4/change there/RB/advmod/7",
        [
            "passive: not passive <can> read(subject=It; adverbial=here)",
            "inherited: not passive <can> change(subject=It; adverbial=there)",
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
    "an active conjunct does not become passive": (
        "It/PRP/nsubjpass/3 can/MD/aux/3 be/VB/auxpass/3 changed/VBN/ROOT/3/change in/IN/prep/3"
        " SE11/NNP/pobj/4 and/CC/cc/3 replace/VB/conj/3 KONV/NNP/dobj/7",
        [
            "passive: passive <can> change(subject=It; oblique in=SE11)",
            "inherited: <can> replace(subject=It; object=KONV)",
        ],
    ),
    "there is": (
        "There/EX/expl/1 are/VBP/ROOT/1/be tables/NNS/attr/1/table in/IN/prep/1 SAP/NNP/pobj/3",
        ["existential: be(subject=There; complement=tables; oblique in=SAP)"],
    ),
    "indirect object": (
        "It/PRP/nsubj/1 gave/VBD/ROOT/1/give users/NNS/dative/1 roles/NNS/dobj/1",
        ["svo: give(subject=It; indirect_object=users; object=roles)"],
    ),
    "a verb alone says too little": ("It/PRP/nsubj/1 runs/VBZ/ROOT/1/run", []),
    "a verb without letters is code": ("i/NN/nsubj/1 =/VBZ/ROOT/1 KONV/NNP/dobj/1", []),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(
    notation: str,
    expected: list[str],
    parse: Callable[[str], Doc],
    describe: Callable[[Frame], str],
) -> None:
    assert [describe(frame) for frame in frames_of(parse(notation))] == expected


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
    "gerund": ("you/PRP/nsubj/1 use/VB/ROOT/1 posting/VBG/dobj/1", ""),
    "no letter or digit": ("you/PRP/nsubj/1 use/VB/ROOT/1 =/NN/dobj/1", ""),
}


@pytest.mark.parametrize(("notation", "expected"), CORES.values(), ids=CORES.keys())
def test_core(notation: str, expected: str, parse: Callable[[str], Doc]) -> None:
    doc = parse(notation)
    (frame,) = frames_of(doc)
    (argument,) = frame.having(Role.OBJECT)
    assert argument.core_text == expected
    assert doc.text[argument.core_start : argument.core_end] == expected


def test_predicate_surface_keeps_auxiliaries_negation_and_adverbs(
    parse: Callable[[str], Doc],
) -> None:
    (frame,) = frames_of(
        parse(
            "It/PRP/nsubj/4 will/MD/aux/4 not/RB/neg/4 directly/RB/advmod/4 read/VB/ROOT/4"
            " KONV/NNP/dobj/4"
        )
    )
    assert frame.predicate == "will not directly read"
    assert (frame.start, frame.end) == (21, 25)


def test_discontinuous_argument_covers_its_pieces(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "Tables/NNS/nsubj/5 which/WDT/nsubj/2 exist/VBP/relcl/0 in/IN/prep/0 SAP/NNP/pobj/3"
        " hold/VBP/ROOT/5 data/NNS/dobj/5"
    )
    subject = frames_of(doc)[-1].arguments[0]
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


def test_conjuncts_share_a_slot_and_other_arguments_do_not(parse: Callable[[str], Doc]) -> None:
    notation = RULES["conjuncts are arguments of their own"][0]
    (frame,) = frames_of(parse(notation))
    assert [argument.slot for argument in frame.arguments] == [0, 0, 1, 2, 2]


def test_pronouns_and_entities_are_typed() -> None:
    doc = Doc(
        VOCAB, words=["It", "reads", "KONV"], tags=["PRP", "VBZ", "NNP"],
        pos=["PRON", "VERB", "PROPN"], deps=["nsubj", "ROOT", "dobj"], heads=[1, 1, 1],
        lemmas=["it", "read", "KONV"], ents=["O", "O", "B-ORG"],
    )  # fmt: skip
    (frame,) = frames_of(doc)
    assert [argument.entity_type for argument in frame.arguments] == ["PRON", "ORG"]


@pytest.mark.parametrize(("label", "role"), [("B-DATE", Role.TIME), ("O", Role.ADVERBIAL)])
def test_a_bare_noun_phrase_is_a_time_when_it_is_a_date(label: str, role: Role) -> None:
    doc = Doc(
        VOCAB, words=["It", "ran", "Monday"], tags=["PRP", "VBD", "NNP"],
        pos=["PRON", "VERB", "PROPN"], deps=["nsubj", "ROOT", "npadvmod"], heads=[1, 1, 1],
        lemmas=["it", "run", "Monday"], ents=["O", "O", label],
    )  # fmt: skip
    assert [argument.role for argument in frames_of(doc)[0].arguments] == [Role.SUBJECT, role]


def test_every_rule_has_a_confidence() -> None:
    assert set(CONFIDENCE) == set(Rule)
    assert all(0 < confidence < 1 for confidence in CONFIDENCE.values())


LABELS = [
    "nsubj",
    "nsubjpass",
    "csubj",
    "dobj",
    "dative",
    "attr",
    "oprd",
    "acomp",
    "prep",
    "agent",
    "pobj",
    "pcomp",
    "conj",
    "cc",
    "det",
    "amod",
    "poss",
    "case",
    "compound",
    "nummod",
    "appos",
    "relcl",
    "acl",
    "advcl",
    "xcomp",
    "ccomp",
    "aux",
    "auxpass",
    "neg",
    "prt",
    "mark",
    "expl",
    "advmod",
    "npadvmod",
    "punct",
    "dep",
    "parataxis",
]
WORDS = ["KONV", "reads", "(", ")", ",", "no", "which", "of", "instead", "if", "be", "é", "\n", "="]
TAGS = [
    "NN",
    "NNP",
    "VB",
    "VBZ",
    "VBN",
    "VBG",
    "MD",
    "TO",
    "IN",
    "DT",
    "WDT",
    "WP$",
    "PRP",
    "RB",
    "WRB",
    "CC",
    "JJ",
    "-LRB-",
    "POS",
]


@st.composite
def odd_docs(draw: st.DrawFn) -> Doc:
    """Docs of random words and labels over a random tree: nothing a parser would produce."""
    size = draw(st.integers(1, 12))

    def column(values: list[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))

    root = draw(st.integers(0, size - 1))
    towards = [i + 1 if i < root else i - 1 for i in range(size)]
    heads = [i if i == root else draw(st.sampled_from([towards[i], root])) for i in range(size)]
    deps = ["ROOT" if i == root else dep for i, dep in enumerate(column(LABELS))]
    pos = column(["NOUN", "PROPN", "VERB", "AUX", "ADP", "ADJ", "PRON", "PUNCT", "ADV"])
    spaces = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return Doc(
        VOCAB, words=column(WORDS), tags=column(TAGS), pos=pos, deps=deps, heads=heads,
        lemmas=column(["be", "have", "read", "KONV"]), spaces=spaces,
    )  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(odd_docs())
def test_spans_hold_for_any_tree(doc: Doc) -> None:
    for frame in frames_of(doc):
        for argument in frame.arguments:
            covered = doc.text[argument.start : argument.end]
            contiguous = covered == argument.text
            assert contiguous or " " in argument.text
            assert covered.startswith(argument.text.split(" ")[0])
            assert doc.text[argument.core_start : argument.core_end] == argument.core_text
            assert argument.start <= argument.head_start or argument.core_text == ""
        for triple in derive_triples(frame):
            assert doc.text[triple.head_start : triple.head_end] == triple.head
            assert doc.text[triple.tail_start : triple.tail_end] == triple.tail
            assert " not " not in f" {triple.relation} "


def test_long_coordinations_do_not_recurse(parse: Callable[[str], Doc]) -> None:
    chain = " ".join(f"T{n}/NNP/conj/{n + 1}" for n in range(1, 2000))
    (frame,) = frames_of(parse(f"It/PRP/nsubj/1 reads/VBZ/ROOT/1/read T0/NNP/dobj/1 {chain}"))
    assert len(frame.having(Role.OBJECT)) == 2000
