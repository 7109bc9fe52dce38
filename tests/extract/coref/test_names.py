"""Which words are names, and which names are variants of each other."""

from collections.abc import Callable

from graphrag_tasks.extract.coref.names import find_names, name_key, title_key
from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.extract.coref.section import Section

ParseIt = Callable[[str], Parse]


def test_folding_takes_away_case_accents_and_titles() -> None:
    assert name_key(["Dr.", "José", "Smith"]) == ("jose", "smith")
    assert name_key(["Queen"]) == ("queen",)
    assert title_key("Crime (band)") == ("crime",)


def test_a_possessive_mark_is_no_part_of_a_name(parse: ParseIt) -> None:
    read = parse("John/NNP/poss/2/PERSON 's/POS/case/0/PERSON dog/NN/nsubj/3 left/VBD/ROOT/3")
    read = read.__class__(**{**_fields(read), "entities": ((0, 2, "PERSON"),)})
    [name] = find_names(read, 0, 0)
    assert (name.start, name.end) == (0, 1)


def _fields(read: Parse) -> dict[str, object]:
    return {name: getattr(read, name) for name in Parse.__slots__}


def test_a_capitalised_noun_is_a_name_but_not_the_first_word_of_a_quotation(
    parse: ParseIt,
) -> None:
    read = parse("the/DT/det/2 young/JJ/amod/2 Nyro/NN/nsubj/3 sang/VBD/ROOT/3 ``/,/punct/3 "
                 "Poor/NN/dobj/3")  # fmt: skip
    assert [read.words[name.head] for name in find_names(read, 0, 0)] == ["Nyro"]


def test_a_surname_joins_the_full_name_that_was_last_before_it(parse: ParseIt) -> None:
    def full(first: str) -> Parse:
        return parse(f"{first}/NNP/compound/1 Smith/NNP/nsubj/2 left/VBD/ROOT/2")

    short = parse("Smith/NNP/nsubj/1 left/VBD/ROOT/1")
    section = Section([full("Ann"), full("Bob"), short, full("Cleo")])
    entities = [[mention.sentence for mention in one.mentions] for one in section.entities]
    assert entities == [[0], [1, 2], [3]]
    assert [one.longest.key[0] for one in section.entities] == ["ann", "bob", "cleo"]


def test_a_first_name_that_was_tagged_as_an_adverb_is_a_name(parse: ParseIt) -> None:
    read = parse("absence/NN/nsubj/3 Carly/RB/advmod/3 Newly/RB/advmod/3 left/VBD/ROOT/3")
    assert [read.words[name.head] for name in find_names(read, 0, 0)] == ["Carly"]


def test_an_owner_and_what_is_owned_are_two_names(parse: ParseIt) -> None:
    read = parse("Howard/NNP/poss/3 's/POS/case/0 Steve/NNP/compound/3 Berg/NNP/nsubj/4 "
                 "left/VBD/ROOT/4")  # fmt: skip
    read = read.__class__(**{**_fields(read), "entities": ((0, 4, "PERSON"),)})
    assert [(one.start, one.end) for one in find_names(read, 0, 0)] == [(0, 1), (2, 4)]
