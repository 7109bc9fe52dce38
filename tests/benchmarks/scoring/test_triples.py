"""Extraction against labelled sentences: when a triple is right, and what is counted."""

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks.scoring.triple_gold import Fact, GoldSentence, read_gold
from benchmarks.scoring.triple_match import Found, matches
from benchmarks.scoring.triples import TripleReport, evaluate_triples, judge
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError

GOLD = Path(__file__).parents[3] / "benchmarks" / "gold" / "sap_triples.jsonl"


@pytest.mark.parametrize(
    ("found", "fact", "expected"),
    [
        (("the table", "store", "orders"), ("tables", "stores", "orders"), True),
        (("table", "store", "orders"), ("table", "deletes", "orders"), False),
        (("table", "write", "orders"), ("table", "written", "orders"), True),
        (("base class", "be of", "layer"), ("base class", "of", "layer"), True),
        (("base class", "be in", "layer"), ("base class", "of", "layer"), False),
        (("step", "be", "optional"), ("steps", "are", "optional"), True),
        (("method", "do", "this"), ("method", "does", "this"), True),
        (("table", "have", "keys"), ("tables", "do not have", "keys"), True),
        (("step", "be", "optional"), ("step", "does", "optional"), False),
        (("VBBE", "replace", "VBBS"), ("VBBS", "is replaced by", "VBBE"), True),
        (("VBBE", "replace", "VBBS"), ("VBBS", "replaces", "VBBE"), False),
        (("one of five words", "use", "x1"), ("words", "use", "x1"), False),
    ],
)
def test_a_triple_states_a_fact(found: tuple[str, str, str], fact: tuple[str, str, str], expected: bool) -> None:
    head, relation, tail = fact
    assert matches(Found(*found), Fact((head,), relation, (tail,))) is expected


def line(text: str, document: str, split: str = "dev", **more: object) -> dict[str, object]:
    start = document.index(text)
    return {
        "id": f"{split}-{start}", "split": split, "kind": "passive", "path": "a.md",
        "start": start, "end": start + len(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(), "triples": [],
    } | more  # fmt: skip


def test_figures_count_facts_and_triples_and_empty_sentences() -> None:
    fact = Fact(("Orders",), "stored in", ("tables",))
    with_fact = GoldSentence.model_validate(line("One.", "One."))
    without = GoldSentence.model_validate(line("Two.", "One. Two.", kind="none"))
    right, wrong = Found("orders", "be stored in", "tables"), Found("you", "have", "tables")
    report = TripleReport.of(
        [judge(with_fact, [fact, Fact(("A",), "is", ("B",))], [right, wrong, wrong]), judge(without, [], [wrong])]
    )
    assert (report.overall.recall, report.overall.precision) == (1 / 2, 1 / 3)
    assert report.no_fact_share == 1.0
    assert report.by_kind["passive"].precision == 1 / 2


def test_documents_are_extracted_and_compared(tmp_path: Path) -> None:
    document = "Orders are stored in tables. Nothing here."
    (tmp_path / "a.md").write_text(document)
    gold = tmp_path / "gold.jsonl"
    fact = {"head": [[0, 6]], "relation": [[11, 20]], "tail": [[21, 27]]}
    gold.write_text(
        json.dumps(line("Orders are stored in tables.", document, triples=[fact])) + "\n"
        + json.dumps(line("Nothing here.", document, "test", kind="none")) + "\n"
    )  # fmt: skip
    report = evaluate_triples(gold, str(tmp_path), config=Config())
    assert (report.overall.facts, report.overall.recall, report.no_fact_share) == (1, 1.0, 0.0)
    assert evaluate_triples(gold, str(tmp_path), config=Config(), split="test").overall.facts == 0
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    with pytest.raises(ConfigError, match=r"1 documents of the gold set are missing.*a\.md"):
        evaluate_triples(gold, str(tmp_path), config=Config())


def test_the_gold_set_holds_places_and_no_text() -> None:
    sentences = read_gold(GOLD)
    assert len(sentences) >= 140
    splits = {one.split for one in sentences}
    assert splits == {"dev", "dev2", "check", "fresh", "held", "test", "cells", "cells_held"}
    others = read_gold(GOLD.with_name("nodejs_triples.jsonl"))
    assert {one.split for one in others} == {"cells_other"}
    for one in (*sentences, *others):
        assert bool(one.triples) == (one.kind != "none"), one.id
    keys = {"id", "split", "kind", "path", "start", "end", "sha256", "triples"}
    assert all(set(json.loads(text)) == keys for text in GOLD.read_text().splitlines())
