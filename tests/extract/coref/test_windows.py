"""Windows: every pronoun in one, bounded, and none where there is no "he" or "she"."""

from collections.abc import Callable

from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.extract.coref.protocol import Passage
from graphrag_tasks.extract.coref.ranking import (
    CONTEXT_TOKENS,
    OWN_TOKENS,
    RankingResolver,
    windows,
)

ParseIt = Callable[[str], Parse]


def sentence(parse: ParseIt, tokens: int, word: str = "he") -> Parse:
    return parse(" ".join([f"{word}/PRP/nsubj/0", *["left/VBD/ROOT/0"] * (tokens - 1)]))


def test_windows_hold_each_sentence_once_and_look_back(parse: ParseIt) -> None:
    sizes = [40, 70, 400, 3, 3, 149, 20, 160, 1, 1]
    found = list(windows([sentence(parse, size) for size in sizes]))
    assert [number for one in found for number in range(one.start, one.end)] == list(range(10))
    for one in found:
        assert sum(sizes[one.start : one.end - 1]) < OWN_TOKENS
        before = sizes[one.context : one.start]
        assert sum(before[1:]) < CONTEXT_TOKENS
        assert one.context == 0 or sum(before) >= CONTEXT_TOKENS


def test_a_stretch_without_personal_pronouns_has_no_window(parse: ParseIt) -> None:
    things = [sentence(parse, 160, "it")] * 3
    assert list(windows(things)) == []
    assert [one.start for one in windows([*things, sentence(parse, 5)])] == [3]
    assert list(windows([])) == []


def test_a_name_far_before_a_pronoun_is_not_looked_for(parse: ParseIt) -> None:
    name = parse("John/NNP/compound/1 Berg/NNP/nsubj/2/PERSON left/VBD/ROOT/2")
    he = parse("he/PRP/nsubj/1 left/VBD/ROOT/1")
    filler = sentence(parse, CONTEXT_TOKENS + OWN_TOKENS, "it")
    near = RankingResolver().resolve(Passage([filler, name, he]))
    assert [(one.sentence, one.antecedent_sentence) for one in near] == [(2, 1)]
    assert RankingResolver().resolve(Passage([name, filler, filler, he])) == []
