"""Coreference measured on GAP: ambiguous pronouns, each with two names that it may stand for.

Source: Webster et al., "Mind the GAP: A Balanced Corpus of Gendered Ambiguous Pronouns" (TACL 2018). In its
snippet-context task, with the page's title, the system sees the text, the pronoun and the title, and finds candidates
itself; the two names serve to judge its choice only. Each example gives two decisions, "is it A?" and "is it B?"; F1 is
taken over all of them, and bias is F1 of the feminine pronouns over F1 of the masculine ones.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.extract.coref.protocol import Parse, parse_of
from graphrag_tasks.extract.coref.ranking import Ranking, rank_antecedents
from graphrag_tasks.extract.coref.section import Pronoun, Section
from graphrag_tasks.language import DEFAULT_MODEL, load_pipeline
from graphrag_tasks.language.dictionary import Gender, gender_of_pronoun

COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner")
_COLUMNS = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "B", "B-offset", "URL")


@dataclass(frozen=True, slots=True)
class Name:
    """One of the two names of an example.

    Attributes:
        text: The name as it stands in the text.
        offset: Its first character.
        is_antecedent: Whether the pronoun stands for it.
    """

    text: str
    offset: int
    is_antecedent: bool


@dataclass(frozen=True, slots=True)
class GapExample:
    """One ambiguous pronoun.

    Attributes:
        id: The example's id.
        text: The snippet.
        pronoun: The pronoun as it stands there.
        offset: Its first character.
        gender: The gender it shows.
        a: The first name.
        b: The second name.
        url: Address of the Wikipedia page it was taken from.
    """

    id: str
    text: str
    pronoun: str
    offset: int
    gender: Gender
    a: Name
    b: Name
    url: str

    @property
    def title(self) -> str:
        """Title of the page: the last part of its address."""
        return unquote(urlsplit(self.url).path.rsplit("/", 1)[-1]).replace("_", " ")


@dataclass(frozen=True, slots=True)
class GapPrediction:
    """What a system says of an example: whether the pronoun stands for A, and for B."""

    id: str
    a: bool
    b: bool


@dataclass(frozen=True, slots=True)
class GapSnippet:
    """An example's text, parsed.

    Attributes:
        section: Its sentences under the page's title.
        starts: First character of each sentence in the text.
        pronoun: The pronoun that is asked for.
    """

    section: Section
    starts: tuple[int, ...]
    pronoun: Pronoun | None

    def names_entity(self, name: Name, entity: int) -> bool:
        """Return whether a mention of an entity has its head in a name's span, or around it."""
        for mention in self.section.entities[entity].mentions:
            parse = self.section.parses[mention.sentence]
            start = self.starts[mention.sentence] + parse.starts[mention.head]
            end = self.starts[mention.sentence] + parse.end(mention.head)
            if start < name.offset + len(name.text) and name.offset < end:
                return True
        return False


def read_gap(path: Path) -> list[GapExample]:
    """Read examples in GAP's form: tab-separated, with a header, without quoting."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise ConfigError(f"the file cannot be read ({error})", str(path)) from error
    missing = [name for name in _COLUMNS if not rows or rows[0].get(name) is None]
    if missing:
        raise ConfigError(f"not GAP's form: no {', '.join(missing)}", str(path), "Give a gap-*.tsv file")
    return [_example(row, f"{path}, row {number}") for number, row in enumerate(rows, 1)]


def _example(row: dict[str, str], where: str) -> GapExample:
    gender = gender_of_pronoun(row["Pronoun"])
    offset = row["Pronoun-offset"]
    if gender is None or not offset.isdecimal():
        raise ConfigError("no gendered pronoun with an offset", where, "Give a gap-*.tsv file")
    return GapExample(
        id=row["ID"],
        text=row["Text"],
        pronoun=row["Pronoun"],
        offset=int(offset),
        gender=gender,
        a=_name(row, "A", where),
        b=_name(row, "B", where),
        url=row["URL"],
    )


def _name(row: dict[str, str], column: str, where: str) -> Name:
    offset = row[f"{column}-offset"]
    if not offset.isdecimal():
        raise ConfigError(f"{column}-offset is no number: {offset!r}", where)
    truth = (row.get(f"{column}-coref") or "").upper() == "TRUE"
    return Name(row[column], int(offset), truth)


def parse_gap(
    examples: Sequence[GapExample], *, model: str = DEFAULT_MODEL, titled: bool = True
) -> Iterator[GapSnippet]:
    """Parse the texts of examples, in order.

    Args:
        examples: The examples.
        model: Name of an installed spaCy model, or a path to one.
        titled: Whether the page's title is told.
    """
    pipeline = load_pipeline(model, components=COMPONENTS)
    docs = pipeline.pipe(example.text for example in examples)
    for example, doc in zip(examples, docs, strict=True):
        sentences = list(doc.sents)
        parses = [parse_of(sentence, sentence.text) for sentence in sentences]
        starts = tuple(sentence.start_char for sentence in sentences)
        section = Section(parses, example.title if titled else "")
        yield GapSnippet(section, starts, _asked(section, starts, example.offset))


def _asked(section: Section, starts: Sequence[int], offset: int) -> Pronoun | None:
    number = bisect_right(starts, offset) - 1
    parse: Parse = section.parses[number]
    token = bisect_right(parse.starts, offset - starts[number]) - 1
    places = {(one.sentence, one.token): one for one in section.pronouns}
    return places.get((number, token))


def predict_gap(
    examples: Sequence[GapExample], *, ranking: Ranking | None = None, model: str = DEFAULT_MODEL, titled: bool = True
) -> list[GapPrediction]:
    """Resolve the pronoun of each example and tell which of the two names it stands for.

    Args:
        examples: The examples; whether their names are antecedents is not looked at.
        ranking: What to rank by; by default what comes with the package.
        model: Name of an installed spaCy model, or a path to one.
        titled: Whether the page's title is told.
    """
    predictions = []
    snippets = parse_gap(examples, model=model, titled=titled)
    for example, snippet in zip(examples, snippets, strict=True):
        choices = rank_antecedents(snippet.section, ranking)
        choice = choices.get(snippet.pronoun) if snippet.pronoun else None
        a, b = (choice is not None and snippet.names_entity(name, choice.entity) for name in (example.a, example.b))
        predictions.append(GapPrediction(example.id, a, b))
    return predictions


@dataclass(frozen=True, slots=True)
class GapReport:
    """Scores of one system.

    Attributes:
        examples: How many there are.
        precision: Share of the "yes" decisions that are right.
        recall: Share of the antecedents that were found.
        f1: Their harmonic mean: overall F1.
        masculine_f1: The same of "he", "him" and "his".
        feminine_f1: The same of "she", "her" and "hers".
        bias: Feminine F1 over masculine F1; 1 is none.
    """

    examples: int
    precision: float
    recall: float
    f1: float
    masculine_f1: float
    feminine_f1: float
    bias: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name."""
        return asdict(self)


def score_gap(examples: Sequence[GapExample], predictions: Sequence[GapPrediction]) -> GapReport:
    """Score predictions as GAP does."""
    if not examples:
        raise ConfigError("there are no examples to score")
    said = {one.id: one for one in predictions}
    lacking = [one.id for one in examples if one.id not in said]
    if lacking:
        raise ConfigError(f"{len(lacking)} examples have no prediction, the first one {lacking[0]}")
    decisions = [
        (example.gender, name.is_antecedent, decision)
        for example in examples
        for name, decision in ((example.a, said[example.id].a), (example.b, said[example.id].b))
    ]
    overall = [(truth, decision) for _, truth, decision in decisions]
    masculine = [(t, d) for gender, t, d in decisions if gender == "masculine"]
    feminine = [(t, d) for gender, t, d in decisions if gender == "feminine"]
    precision, recall, f1 = _scores(overall)
    masculine_f1, feminine_f1 = _scores(masculine)[2], _scores(feminine)[2]
    bias = feminine_f1 / masculine_f1 if masculine_f1 else 0.0
    return GapReport(len(examples), precision, recall, f1, masculine_f1, feminine_f1, bias)


def _scores(decisions: Sequence[tuple[bool, bool]]) -> tuple[float, float, float]:
    right = sum(truth and decision for truth, decision in decisions)
    said = sum(decision for _, decision in decisions)
    true = sum(truth for truth, _ in decisions)
    f1 = 2 * right / (said + true) if said + true else 0.0
    return right / max(1, said), right / max(1, true), f1


def gap_lines(predictions: Sequence[GapPrediction]) -> list[str]:
    """Return predictions in GAP's form: id, A and B, tab-separated, without a header."""
    return [f"{one.id}\t{str(one.a).upper()}\t{str(one.b).upper()}" for one in predictions]
