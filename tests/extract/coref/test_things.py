"""Things: impersonal pronouns and definite nouns, and the resolvers' common form."""

from collections.abc import Callable

import pytest

from graphrag_tasks.extract.coref.protocol import Coreference, CorefText, Parse
from graphrag_tasks.extract.coref.things import is_pleonastic, resolve_things

ParseIt = Callable[[str], Parse]

STORES = "The/DT/det/2 migration/NN/compound/2 report/NN/nsubj/3 lists/VBZ/ROOT/3 tables/NNS/dobj/3"


def said(found: list[Coreference]) -> list[tuple[str, str, str]]:
    return [(one.surface, one.antecedent, one.rule) for one in found]


def test_the_subject_goes_on(parse: ParseIt) -> None:
    it = parse("It/PRP/nsubj/1 runs/VBZ/ROOT/1 nightly/RB/advmod/1")
    [one] = resolve_things(CorefText([parse(STORES), it]))
    assert said([one]) == [("It", "migration report", "same_subject")]
    text = parse(STORES).text
    assert text[one.antecedent_start : one.antecedent_end] == "migration report"
    assert (one.sentence, one.start, one.end, one.antecedent_sentence) == (1, 0, 2, 0)


@pytest.mark.parametrize(
    ("sentence", "pleonastic"),
    [
        ("It/PRP/nsubj/1 is/VBZ/ROOT/1 possible/JJ/acomp/1 to/TO/aux/4 wait/VB/xcomp/1", True),
        ("It/PRP/nsubjpass/2 is/VBZ/auxpass/2 known/VBN/ROOT/2 works/VBZ/ccomp/2", True),
        ("It/PRP/nsubj/1 is/VBZ/ROOT/1 slow/JJ/acomp/1", False),
        ("It/PRP/nsubj/1 lists/VBZ/ROOT/1 tables/NNS/dobj/1", False),
    ],
)
def test_it_that_stands_for_nothing(parse: ParseIt, sentence: str, pleonastic: bool) -> None:
    assert is_pleonastic(parse(sentence), 0) is pleonastic


def test_a_bare_noun_takes_the_one_longer_name_of_its_head(parse: ParseIt) -> None:
    later = parse("Start/VB/ROOT/0 the/DT/det/2 report/NN/dobj/0")
    other = parse("An/DT/det/2 error/NN/compound/2 report/NN/nsubj/3 follows/VBZ/ROOT/3")
    assert said(resolve_things(CorefText([parse(STORES), later]))) == [("the report", "migration report", "head_match")]
    assert resolve_things(CorefText([parse(STORES), other, later])) == []


@pytest.mark.parametrize(
    ("title", "headings", "found"),
    [
        ("", ("A", "Running the Migration Report in SAP"), ("Migration Report", "heading")),
        ("Migration Report (new)", ("Overview",), ("Migration Report", "title")),
        ("Report", ("The report",), None),
    ],
)  # fmt: skip
def test_headings_and_titles(
    parse: ParseIt, title: str, headings: tuple[str, ...], found: tuple[str, str] | None
) -> None:
    later = parse("Start/VB/ROOT/0 the/DT/det/2 report/NN/dobj/0")
    resolved = resolve_things(CorefText([later], title, headings))
    assert [(one.antecedent, one.source) for one in resolved] == ([found] if found else [])
