"""The learned ranking: its features, its trees, and what it chooses."""

from collections.abc import Callable

import pytest

from graphrag_tasks.extract.coref.features import candidates_of
from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.extract.coref.ranking import (
    Trees,
    chain_features,
    load_ranking,
    rank_antecedents,
    weights_of,
)
from graphrag_tasks.extract.coref.section import Section

ParseIt = Callable[[str], Parse]


def story(parse: ParseIt, he: str, name: str, other: str, title: str = "") -> Section:
    return Section(
        [
            parse(
                f"{name}/NNP/compound/1 Berg/NNP/nsubj/2 met/VBD/ROOT/2 "
                f"{other}/NNP/compound/4 Dahl/NNP/dobj/2"
            ),
            parse(f"{he}/PRP/nsubj/1 left/VBD/ROOT/1"),
            parse(f"{he}/PRP/nsubj/1 slept/VBD/ROOT/1"),
        ],
        title,
    )


def test_exchanging_the_genders_changes_no_feature(parse: ParseIt) -> None:
    man, woman = story(parse, "he", "John", "Mary"), story(parse, "she", "Mary", "John")
    for one, other in zip(man.pronouns, woman.pronouns, strict=True):
        values = [[each.values for each in candidates_of(section, pronoun)]
                  for section, pronoun in ((man, one), (woman, other))]  # fmt: skip
        assert values[0] == values[1]


def test_the_choice_is_the_subject_and_the_same_for_both_genders(parse: ParseIt) -> None:
    man = rank_antecedents(story(parse, "he", "John", "Peter"))
    woman = rank_antecedents(story(parse, "she", "Mary", "Susan"))
    assert [choice.entity for choice in man.values()] == [0, 0]
    assert list(man.values()) == list(woman.values())


def test_a_name_of_the_other_gender_is_less_likely_but_not_excluded(parse: ParseIt) -> None:
    section = story(parse, "she", "John", "Mary")
    found = {one.entity: one.values for one in candidates_of(section, section.pronouns[0])}
    assert found[0]["first_name_agrees"] < 0 < found[1]["first_name_agrees"]
    assert {choice.entity for choice in rank_antecedents(section).values()} == {1}


def test_the_title_speaks_for_its_bearer(parse: ParseIt) -> None:
    section = story(parse, "he", "John", "Peter", title="Peter Dahl (composer)")
    found = candidates_of(section, section.pronouns[0])
    assert [one.values["in_title"] for one in found] == [0.0, 1.0]


def test_a_pronoun_counts_the_weight_that_others_of_its_gender_give(parse: ParseIt) -> None:
    section = story(parse, "he", "John", "Peter")
    first, second = section.pronouns
    found = candidates_of(section, second)
    weights = {first: weights_of(found, [0.6, 0.2]), second: weights_of(found, [0.1, 0.1])}
    chains = chain_features(second, found, weights)
    assert [row["last_weight"] for row in chains] == pytest.approx([0.75, 0.25])
    assert [row["same_gender_weight_lead"] for row in chains] == pytest.approx([0.5, -0.5])
    assert weights[second] == pytest.approx({0: 0.1 / 0.7, 1: 0.1 / 0.7})


def test_text_without_names_has_no_choice(parse: ParseIt) -> None:
    assert rank_antecedents(Section([parse("he/PRP/nsubj/1 left/VBD/ROOT/1")])) == {}
    assert rank_antecedents(Section([])) == {}


def test_trees_are_summed() -> None:
    trees = Trees(("a", "b"), ([0, 0.5, -1.0, [1, 2.0, 0.0, 1.0]], 0.25))
    rows = [{"a": 0, "b": 9}, {"a": 1, "b": 9}, {"a": 1, "b": 2}]
    assert trees.probabilities(rows) == pytest.approx([0.3208213, 0.7772999, 0.5621765])
    assert Trees(**trees.to_json()).probabilities(rows) == trees.probabilities(rows)
    assert [trees.probabilities([row])[0] for row in rows] == trees.probabilities(rows)
    assert trees.probabilities([]) == []


def test_the_packages_trees_use_the_features_there_are(parse: ParseIt) -> None:
    section = story(parse, "he", "John", "Peter")
    [pronoun, _] = section.pronouns
    found = candidates_of(section, pronoun)
    ranking = load_ranking()
    assert set(ranking.alone.features) == set(found[0].values)
    chain = chain_features(pronoun, found, {})[0]
    assert set(ranking.chained.features) == {*found[0].values, *chain}


def test_a_lone_surname_that_is_a_mans_first_name_says_less(parse: ParseIt) -> None:
    full = parse("James/NNP/compound/1 Berg/NNP/nsubj/2 left/VBD/ROOT/2")
    alone = parse("James/NNP/nsubj/1/PERSON left/VBD/ROOT/1")
    woman = parse("Mary/NNP/nsubj/1/PERSON left/VBD/ROOT/1")
    scores = [Section([one]).genders[0].first_name for one in (full, alone, woman)]
    assert scores[0] < scores[1] < 0 < scores[2]
    assert scores[2] == -scores[0]
