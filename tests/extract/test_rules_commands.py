"""Commands, and parses of them that are repaired."""

from collections.abc import Callable

import pytest

RULES = {
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
    "a command after a condition": (
        "If/IN/mark/2 KONV/NNP/nsubj/2 is/VBZ/advcl/5/be empty/JJ/acomp/2 ,/,/punct/5 delete/VBP/ROOT/5 it/PRP/dobj/5",
        ["copula: <if> be(subject=KONV; complement=empty)", "imperative: delete(object=it)"],
    ),
    "the purpose of a command is reached by its object": (
        "Click/VB/ROOT/0 Save/NNP/dobj/0 to/TO/aux/3 store/VB/advcl/0 it/PRP/dobj/3",
        ["imperative: click(object=Save)", "inherited: store(subject=Save; object=it)"],
    ),
    "the purpose of a command is reached by what it is about": (
        "Connect/VB/ROOT/0 to/IN/prep/0 ERP/NNP/pobj/1 to/TO/aux/4 read/VB/advcl/0 orders/NNS/dobj/4",
        ["imperative: connect(oblique to=ERP)", "inherited: read(subject=ERP; object=orders)"],
    ),
    "the purpose of a reader is reached by the object": (
        "You/PRP/nsubj/1 follow/VBP/ROOT/1 steps/NNS/dobj/1 to/TO/aux/4 read/VB/advcl/1 KONV/NNP/dobj/4",
        ["svo: follow(subject=You; object=steps)", "inherited: read(subject=steps; object=KONV)"],
    ),
    "a purpose that comes first has no such means": (
        "To/TO/aux/1 read/VB/advcl/4 KONV/NNP/dobj/1 ,/,/punct/4 open/VB/ROOT/4 SE16/NNP/dobj/4",
        ["imperative: read(object=KONV)", "imperative: open(object=SE16)"],
    ),
    "a name of code after a preposition's noun": (
        "Data/NNS/nsubjpass/2 is/VBZ/auxpass/2/be stored/VBN/ROOT/2/store in/IN/prep/2 table/NN/pobj/3 Z_NEW/JJ/oprd/2",
        ["passive: passive store(subject=Data; oblique in=table Z_NEW)"],
    ),
    "a name with 'for' inside hangs on its first noun": (
        "Use/VB/ROOT/0 Tools/NNP/dobj/0 for/IN/prep/0 Eclipse/NNP/pobj/2",
        ["imperative: use(object=Tools for Eclipse)"],
    ),
    "a comparison with a command is none": (
        "Set/VB/ROOT/0 it/PRP/dobj/0 as/IN/mark/3 described/VBN/advcl/0/describe in/IN/prep/3 KONV/NNP/pobj/4",
        ["imperative: set(object=it)"],
    ),
    "a command read as a noun with an object": (
        "Replace/NNP/ROOT/0 KONV/NNP/dobj/0 with/IN/prep/0 KONP/NNP/pobj/2",
        ["imperative: replace(object=KONV; oblique with=KONP)"],
    ),
    "a command read as part of a noun phrase": (
        "Export/NN/compound/1 data/NNS/ROOT/1 from/IN/prep/1 KONV/NNP/pobj/2",
        ["imperative: export(object=data; oblique from=KONV)"],
    ),
    "a title read as a noun phrase": (
        "Managing/NNP/compound/1 keys/NNS/ROOT/1 in/IN/prep/1 BTP/NNP/pobj/2",
        ["imperative: manage(object=keys; oblique in=BTP)"],
    ),
    "a gerund that is a kind of thing is no title": (
        "Mapping/NN/compound/1 tables/NNS/ROOT/1 in/IN/prep/1 BTP/NNP/pobj/2",
        ["qualifier: be(subject=Mapping tables; oblique in=BTP)"],
    ),
    "a command read as an adjective of a row of nouns": (
        "Open/JJ/amod/1 transaction/NN/compound/2 SE38/NNP/ROOT/2 and/CC/cc/2 run/VB/conj/2 it/PRP/dobj/4",
        ["imperative: open(object=transaction SE38)", "imperative: run(object=it)"],
    ),
    "a noun phrase before a finite verb is no command": (
        "Export/NN/compound/1 data/NNS/ROOT/1 that/WDT/nsubj/3 stores/VBZ/relcl/1/store it/PRP/dobj/3",
        ["relative: store(subject=Export data; object=it)"],
    ),
    "a name read as a second object": (
        "Use/NN/ROOT/0 table/NN/dobj/0 VBBE/NNP/dobj/0 instead/RB/advmod/4 of/IN/prep/0 VBBS/NNP/pobj/4",
        ["imperative: use(object=table VBBE; oblique instead of=VBBS)"],
    ),
    "a subject read as a part of its verb": (
        "The/DT/det/2 debugger/NN/compound/2 stops/VBZ/ROOT/2/stop at/IN/prep/2 it/PRP/pobj/3",
        ["verb_prep: stop(subject=The debugger; oblique at=it)"],
    ),
    "a plural read as a verb": (
        "SAP/NNP/nsubj/1 drops/VBZ/ROOT/1/drop the/DT/det/3 status/NN/nsubj/4 tables/VBZ/dobj/1/table VBUK/NNP/dobj/4",
        ["svo: drop(subject=SAP; object=the status tables VBUK)"],
    ),
    "the end of a name read as a part of the verb": (
        "SAP/NNP/nsubj/2 HANA/NNP/compound/2 drops/VBZ/ROOT/2/drop VBUK/NNP/dobj/2",
        ["svo: drop(subject=SAP HANA; object=VBUK)"],
    ),
    "a command before what comes of it": (
        "Restore/VB/advcl/5 lists/NNS/dobj/0 ,/,/punct/5 so/IN/mark/5 they/PRP/nsubj/5"
        " are/VBP/ROOT/5/be visible/JJ/acomp/5",
        ["imperative: restore(object=lists)", "copula: be(subject=they; complement=visible)"],
    ),
    "a statement of a language is no command": (
        "MODIFY/NN/compound/1 statements/NNS/ROOT/1 with/IN/prep/1 keys/NNS/pobj/2",
        ["qualifier: be(subject=MODIFY statements; oblique with=keys)"],
    ),
    "so does one behind another preposition": (
        "Use/VB/ROOT/0 it/PRP/dobj/0 in/IN/prep/0 Tools/NNP/pobj/2 for/IN/prep/0 Eclipse/NNP/pobj/4",
        ["imperative: use(object=it; oblique in=Tools for Eclipse)"],
    ),
    "what is chosen over another, read as a second object": (
        "Use/VB/ROOT/0 VBBE/NNP/dobj/0 instead/RB/advmod/3 of/IN/cc/1 VBBS/NNP/conj/1",
        ["imperative: use(object=VBBE; oblique instead of=VBBS)"],
    ),
    "a name read as a time": (
        "It/PRP/nsubj/1 runs/VBZ/ROOT/1/run transaction/NN/dobj/1 SPAU/NNP/npadvmod/1",
        ["svo: run(subject=It; object=transaction SPAU)"],
    ),
    "a name read as another subject": (
        "report/NN/nsubj/2 ZSALES/NNP/nsubj/2 reads/VBZ/ROOT/2/read VBBE/NNP/dobj/2",
        ["svo: read(subject=report ZSALES; object=VBBE)"],
    ),
    "another subject that is none of its noun's names": (
        "reports/NNS/nsubj/2 ZSALES/NNP/nsubj/2 reads/VBZ/ROOT/2/read VBBE/NNP/dobj/2",
        ["svo: read(subject=reports; object=VBBE)"],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(notation: str, expected: list[str], read: Callable[[str], list[str]]) -> None:
    assert read(notation) == expected
