"""Answers without a model: quotations, verdicts, lists and counts, corpus by corpus.

    benchmarks/fetch_corpora.sh CORPORA     # and for each: graphrag-tasks index CORPORA/NAME
    python -m benchmarks.answer --stores STORES --sap STORE

`--stores` holds the indexes by the names of their corpora, `--sap` is one of the SAP documents. The questions of the
split `judged` of `benchmarks/gold/answer_questions.jsonl` are asked, and those of the splits dev and tune of the SAP
questions. Unanswerable are questions that were written so, and answerable ones without the documents that answer them.
Prints JSON; `median_ms` is the time of `answer` beside that of `search`, question by question in turn.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.answer_sets import AnswerQuestion, gold_places, read_answer_questions
from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.answering.reply import NOT_HERE
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import GoldSpan, Question, read_questions

SAP = ("sap_questions.jsonl", "sap_tuning_questions.jsonl")
SPLITS = ("dev", "tune")
LIST_PLACES = 20
BUDGETS = (8_000, 16_000)
REMOVED = 40
TIMED = 40


def quoted(index: Index, reply: Reply, gold: Sequence[GoldSpan]) -> list[bool]:
    """Return whether the reply quotes each fact, or, of a list, whether its first items do."""
    found = (*reply.sentences, *reply.nearby)
    shown = found[:LIST_PLACES] if reply.form != "quotes" else found
    sources = [citation.source for sentence in shown for citation in sentence.citations]
    return [any(place.overlaps(source) for place in gold_places(index, one) for source in sources) for one in gold]


def area_under_curve(answerable: Iterable[Reply], others: Iterable[Reply]) -> float:
    """Return how often an answerable question is likelier to be answered than another one."""
    likely = [reply.verdict.probability for reply in answerable]
    less = [reply.verdict.probability for reply in others]
    wins = [(a > b) + (a == b) / 2 for a in likely for b in less]
    return mean(wins) if wins else 0.0


def verdicts(replies: Sequence[Reply]) -> dict[str, float]:
    """Return the share of each verdict."""
    states = [reply.verdict.state for reply in replies]
    return {state: round(states.count(state) / max(len(states), 1), 3) for state in dict.fromkeys(states)}


def judge_corpus(index: Index, questions: Sequence[AnswerQuestion]) -> dict[str, Any]:
    """Return the figures of one corpus."""
    replies: dict[str, list[Reply]] = defaultdict(list)
    facts: dict[str, list[float]] = defaultdict(list)
    right: dict[str, list[bool]] = defaultdict(list)
    for question in questions:
        reply = answer(index, question.question)
        replies[question.kind].append(reply)
        if question.kind in ("single", "listing"):
            facts[question.kind].append(mean(quoted(index, reply, question.gold)))
        elif question.kind == "unknown_noun":
            right[question.kind].append(reply.verdict.state == NOT_HERE and bool(reply.summary))
        elif question.kind in ("filter", "count"):
            right[question.kind].append(reply.summary.startswith(f"{question.count:,} of "))
    answerable, others = replies["single"], replies["unanswerable"]
    return {
        "facts quoted": {kind: round(mean(found), 3) for kind, found in facts.items()},
        "rows right": {kind: f"{sum(found)} of {len(found)}" for kind, found in right.items()},
        "auc": round(area_under_curve(answerable, others), 3) if others else None,
        "answerable": verdicts(answerable),
        "unanswerable": verdicts(others),
    }


def without(index: Index, question: Question) -> Reply:
    """Return the reply to a question without the documents that answer it."""
    hidden = {span.path for gold in question.gold for span in gold.spans()}
    paths = index.snapshot.table("documents", ["path"])["path"].to_pylist()
    return answer(index, question.question, filters={"path": [one for one in paths if one not in hidden]})


def judge_sap(index: Index, written: Sequence[AnswerQuestion]) -> dict[str, Any]:
    """Return the figures of the SAP documents."""
    gold = Path(__file__).parent / "gold"
    asked = [one for name in SAP for one in read_questions(gold / name) if one.split in SPLITS]
    singles = [one for one in asked if one.type == "single"]
    replies = [answer(index, one.question) for one in singles]
    lists = [one for one in asked if one.type == "listing"][:LIST_PLACES]
    others = [answer(index, one.question) for one in written if one.kind == "unanswerable"]
    removed = [without(index, one) for one in singles[:REMOVED]]
    items = [mean(quoted(index, answer(index, one.question), one.gold)) for one in lists]
    facts = [quoted(index, r, q.gold)[0] for q, r in zip(singles, replies, strict=True)]
    return {
        "fact quoted": round(mean(facts), 3),
        "list items": round(mean(items), 3),
        "auc": round(area_under_curve(replies, [*others, *removed]), 3),
        "answerable": verdicts(replies),
        "unanswerable, written": verdicts(others),
        "unanswerable, removed": verdicts(removed),
        "all gold within characters": within_budget(index, asked),
        "median_ms": times(index, singles[:TIMED]),
    }  # fmt: skip


def within_budget(index: Index, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    """Return the share of questions all of whose facts stand in contexts of so many characters."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        for budget in BUDGETS:
            context = index.search(question.question, budget_characters=budget)
            held = all(
                any(place.overlaps(hit) for place in gold_places(index, one) for hit in context.chunks)
                for one in question.gold
            )
            found[question.type][f"{budget:,}"].append(held)
    return {
        kind: {budget: round(mean(held), 3) for budget, held in by_budget.items()} for kind, by_budget in found.items()
    }


def times(index: Index, questions: Sequence[Question]) -> dict[str, float]:
    """Return the median times of `search` and `answer`, and their ratio."""
    spent: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        for name, ask in (("search", index.search), ("answer", lambda text: answer(index, text))):
            started = time.perf_counter()
            ask(question.question)
            spent[name].append(1000 * (time.perf_counter() - started))
    found = {name: round(median(values), 1) for name, values in spent.items()}
    ratios = [a / s for s, a in zip(spent["search"], spent["answer"], strict=True)]
    return found | {"ratio": round(median(ratios), 2)}


def main() -> None:
    """Judge every corpus that there is an index of."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--sap")
    parser.add_argument("--split", default="judged")
    given = parser.parse_args()
    questions = read_answer_questions(given.split)
    figures: dict[str, Any] = {}
    for corpus in dict.fromkeys(one.corpus for one in questions):
        of_corpus = [one for one in questions if one.corpus == corpus]
        if corpus == "sap":
            if given.sap:
                figures[corpus] = judge_sap(open_index(given.sap), of_corpus)
        else:
            figures[corpus] = judge_corpus(open_index(given.stores / corpus), of_corpus)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
