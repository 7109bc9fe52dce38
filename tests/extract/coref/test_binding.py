"""Which names syntax forbids as antecedents."""

from collections.abc import Callable

import pytest

from graphrag_tasks.extract.coref.names import find_names, is_excluded
from graphrag_tasks.extract.coref.parses import Parse

ParseIt = Callable[[str], Parse]


@pytest.mark.parametrize(
    ("sentence", "pronoun", "excluded"),
    [
        ("John/NNP/nsubj/1/PERSON saw/VBD/ROOT/1 him/PRP/dobj/1", 2, ["John"]),
        ("John/NNP/nsubj/1/PERSON saw/VBD/ROOT/1 his/PRP$/poss/3 dog/NN/dobj/1", 2, []),
        ("John/NNP/nsubj/1/PERSON looked/VBD/ROOT/1 at/IN/prep/1 him/PRP/pobj/2", 3, ["John"]),
        (
            "John/NNP/nsubj/1/PERSON said/VBD/ROOT/1 he/PRP/nsubj/3 saw/VBD/ccomp/1 "
            "Max/NNP/dobj/3/PERSON",
            2,
            ["Max"],
        ),
        (
            "John/NNP/nsubj/1/PERSON wants/VBZ/ROOT/1 to/TO/aux/3 see/VB/xcomp/1 him/PRP/dobj/3",
            4,
            ["John"],
        ),
        (
            "John/NNP/nsubj/1/PERSON told/VBD/ROOT/1 Max/NNP/dobj/1/PERSON to/TO/aux/4 "
            "see/VB/xcomp/1 him/PRP/dobj/4",
            5,
            ["Max"],
        ),
        (
            "his/PRP$/poss/2 brother/NN/compound/2 John/NNP/nsubj/3/PERSON left/VBD/ROOT/3",
            0,
            ["John"],
        ),
        (
            "Mary/NNP/nsubj/4/PERSON and/CC/cc/0 her/PRP$/poss/3 son/NN/conj/0 left/VBD/ROOT/4",
            2,
            [],
        ),
    ],
)  # fmt: skip
def test_exclusions(parse: ParseIt, sentence: str, pronoun: int, excluded: list[str]) -> None:
    read = parse(sentence)
    names = find_names(read, 0, 0)
    found = [name for name in names if is_excluded(read, pronoun, name)]
    assert [read.surface(name.start, name.end) for name in found] == excluded
