"""What a language model that knows the truth gains, and what is kept out of what it makes up.

The oracle answers requests as they are sent: of labelled sentences it tells their facts. Printed are the share of them
that is adopted; the same where each tail is one of another sentence; and, for the extractor hybrid, the facts found and
the triples right beside the rules alone, with its tokens beside those of reading everything. It says how much a perfect
model could gain, not a real one.

    python -m benchmarks.llm_adopt --sources FOLDER [--gold FILE] [--share .2] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.scoring.triple_gold import Fact, GoldSentence, facts_of, locate, read_gold
from benchmarks.scoring.triples import TripleReport, extracted, report_of, texts_of
from graphrag_tasks.core.config import ExtractConfig, LanguageConfig, load_config
from graphrag_tasks.extract.llm import adopt
from graphrag_tasks.extract.llm.ask import Reply, replies_table
from graphrag_tasks.extract.llm.requests import Pack, Told, ToldFact, packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.llm import Answer
from graphrag_tasks.llm.request import Identity, Usage, count_tokens

_GOLD = Path(__file__).with_name("gold") / "sap_triples.jsonl"
IMPLIED = {"alias": "is", "is": "is", "value": "is", "label": "has", "member": "includes"}

Tables = Mapping[str, pa.Table]


class Oracle:
    """Knows the facts of some sentences; with `foreign` tails it makes each of them up."""

    identity = Identity("oracle", "oracle")

    def __init__(self, facts: Mapping[str, Sequence[Fact]], *, foreign: bool = False) -> None:
        self._facts = facts
        self._tails = [one.tails[0] for of in facts.values() for one in of] if foreign else []
        self._choose = random.Random(0)  # noqa: S311 - no secret

    def key(self, pack: Pack) -> str:
        """Return the key of a pack's request."""
        return pack.request.key(self.identity)

    def read(self, packs: Sequence[Pack]) -> list[Reply]:
        """Return what it knows of the sentences of each pack."""
        return [Reply(pack, self._answer(pack)) for pack in packs]

    def _answer(self, pack: Pack) -> Answer:
        texts = dict(pair for window in pack.windows for pair in window.sentences)
        told = [
            ToldFact(
                sentence=number, head=fact.heads[0], weight=1,
                relation=fact.relation or IMPLIED[fact.type or "is"],
                tail=self._tail(fact, texts[key]),
            )
            for number, key in enumerate(pack.sentence_ids, 1)
            for fact in self._facts.get(key, ())
        ]  # fmt: skip
        text = Told(entities=[], relations=told).model_dump_json()
        return Answer(self.key(pack), text, Usage(), "oracle")

    def _tail(self, fact: Fact, text: str) -> str:
        """Return the tail; where all is made up, one that does not stand in the sentence."""
        while self._tails:
            tail = self._choose.choice(self._tails)
            if tail.casefold() not in text.casefold():
                return tail
        return fact.tails[0]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--gold", default=str(_GOLD))
    parser.add_argument("--share", type=float, default=ExtractConfig().llm.share)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    gold = read_gold(options.gold)
    paths = sorted({one.path for one in gold})
    tables = extracted(options.sources, paths, load_config(overrides={"extract": {"llm": {}}}))
    facts = _facts_by_sentence(gold, tables)
    whole = ExtractConfig(extractor="llm")
    part = ExtractConfig.model_validate({"extractor": "hybrid", "llm": {"share": options.share}})
    alone, both = report_of(gold, tables), report_of(gold, _read(tables, Oracle(facts), part))
    report = {
        "sentences": len(gold),
        "adopted": _adopted(tables, Oracle(facts), whole, facts),
        "adopted_with_foreign_tails": _adopted(tables, Oracle(facts, foreign=True), whole, facts),
        "tokens_of_hybrid": round(_tokens(tables, part) / _tokens(tables, whole), 4),
        "rules": _figures(gold, alone),
        "hybrid": _figures(gold, both),
    }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        if isinstance(value, dict):
            print(name)
            for split, figures in value.items():
                print(f"  {split:12} {figures['found']:.3f} found, {figures['right']:.3f} right")
        else:
            print(f"{name:28}{value}")


def _facts_by_sentence(gold: Iterable[GoldSentence], tables: Tables) -> dict[str, list[Fact]]:
    """Return the labelled facts by the sentence with a verb that their tails stand in."""
    names = ("path", "document_id")
    ids = dict(zip(*(tables["documents"][name].to_pylist() for name in names), strict=True))
    texts = texts_of(tables["blocks"])
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in tables["sentences"].to_pylist():
        rows[row["document_id"]].append(row)
    found: dict[str, list[Fact]] = defaultdict(list)
    for one in gold:
        document_id = ids[one.path]
        start = locate(one, texts[document_id])
        if start is None:
            continue
        facts = facts_of(one, texts[document_id], start)
        for triple, fact in zip(one.triples, facts, strict=True):
            at = start + triple.tail[0][0]
            for row in rows[document_id]:
                if row["char_start"] <= at < row["char_end"] and row["has_verb"]:
                    found[row["sentence_id"]].append(fact)
    return found


def _windows(tables: Tables, config: ExtractConfig) -> pa.Table:
    return windows_of(
        tables["documents"], tables["blocks"], tables["cells"], tables["chunks"],
        tables["sentences"], tables["triples"], config=config,
    )  # fmt: skip


def _read(
    tables: Tables, oracle: Oracle, config: ExtractConfig, windows: pa.Table | None = None
) -> dict[str, pa.Table]:
    """Return the tables with what the oracle told of windows, by default those of the settings."""
    shown = _windows(tables, config) if windows is None else windows
    packs = packs_of(tables["documents"], tables["chunks"], tables["sentences"], shown, config.llm)
    replies = replies_table(oracle.read(packs), oracle)
    found = adopt(
        tables["chunks"], tables["sentences"], tables["frames"], tables["triples"],
        tables["coreferences"], shown, replies, config=config, language=LanguageConfig(),
    ).collected().tables  # fmt: skip
    adopted = {name: rows for name, rows in found.items() if isinstance(rows, pa.Table)}
    return {**tables, **adopted, "triples": adopted["adopted_triples"]}


def _adopted(tables: Tables, oracle: Oracle, config: ExtractConfig, facts: Mapping[str, Sequence[Fact]]) -> float:
    """Return the share of told facts that is adopted, where all windows are read."""
    windows = _windows(tables, config)
    known = [any(key in facts for key in ids) for ids in windows["sentence_ids"].to_pylist()]
    answers = _read(tables, oracle, config, windows.filter(pa.array(known)))["answers"]
    adopted, told = (sum(answers[name].to_pylist()) for name in ("adopted", "told"))
    return round(float(adopted / told), 4)


def _tokens(tables: Tables, config: ExtractConfig) -> int:
    """Return the tokens of all prompts."""
    packs = packs_of(
        tables["documents"], tables["chunks"], tables["sentences"], _windows(tables, config),
        config.llm,
    )  # fmt: skip
    requests = [one.request for one in packs]
    return sum(count_tokens(one.user) for one in requests) + len(requests) * count_tokens(requests[0].system)


def _figures(gold: Sequence[GoldSentence], report: TripleReport) -> dict[str, dict[str, float]]:
    """Return the shares of facts found and of triples right: of all sentences, and by split."""
    split_of = {one.id: one.split for one in gold}
    groups = {"all": list(report.judged)}
    for one in report.judged:
        groups.setdefault(split_of[one.id], []).append(one)
    found = {name: TripleReport.of(judged).overall for name, judged in groups.items()}
    return {name: {"found": round(one.recall, 4), "right": round(one.precision, 4)} for name, one in found.items()}


if __name__ == "__main__":
    main()
