"""What holds for any tree."""

from hypothesis import given
from hypothesis import strategies as st
from spacy.lang.en import English
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import Role
from graphrag_tasks.extract.triples import derive_triples

VOCAB = English().vocab

LABELS = [
    "nsubj", "nsubjpass", "csubj", "dobj", "dative", "attr", "oprd", "acomp", "prep", "agent", "pobj", "pcomp", "conj",
    "cc", "det", "amod", "poss", "case", "compound", "nummod", "appos", "relcl", "acl", "advcl", "xcomp", "ccomp",
    "aux", "auxpass", "neg", "prt", "mark", "expl", "advmod", "npadvmod", "punct", "dep", "parataxis",
]  # fmt: skip
WORDS = ["KONV", "Use", "reads", "(", ")", ",", "no", "which", "of", "instead", "if", "be", "é", "\n", "="]
TAGS = [
    "NN", "NNP", "VB", "VBZ", "VBN", "VBG", "MD", "TO", "IN", "DT", "WDT", "WP$", "PRP", "RB",
    "WRB", "CC", "JJ", "-LRB-", "POS",
]  # fmt: skip


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


def test_long_coordinations_do_not_recurse() -> None:
    names = [f"T{number}" for number in range(1200)]
    doc = Doc(
        VOCAB, words=["It", "reads", *names], tags=["PRP", "VBZ", *["NNP"] * 1200],
        pos=["PRON", "VERB", *["PROPN"] * 1200], deps=["nsubj", "ROOT", "dobj", *["conj"] * 1199],
        heads=[1, 1, 1, *range(2, 1201)], lemmas=["it", "read", *names],
    )  # fmt: skip
    (frame,) = frames_of(doc)
    assert len(frame.having(Role.OBJECT)) == 1200
