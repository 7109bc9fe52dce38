"""What a plan does to a search: one that knows the answer's way, and two that know nothing.

    python -m benchmarks.plan --store STORE --questions questions.jsonl [--splits dev,tune]

Scripted planners stand for a language model; what they say goes through the checks of `answer`:
  * `oracle` names the gold documents that the question does not name (sets with titles only),
  * `nonsense` names what no document has,
  * `foreign` names two entities of the graph, drawn at random: the worst that the checks let pass.
Prints JSON: Recall@5 of each beside the search without a plan, how many plans counted, and how many
of the oracle's names stand in the skeleton that a model is shown.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable
from statistics import mean
from typing import Any

from graphrag_tasks.answering.plan import SKELETON_TOKENS, PlanForm, PlannedName, checked_plan
from graphrag_tasks.language.known_names import folded_name
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import Question, read_questions
from graphrag_tasks.workbench.evaluation.gold import Target, locate, recall_at_k

K = 5
Planner = Callable[[Question], list[str]]


def form(question: str, names: list[str]) -> PlanForm:
    """Return a plan that puts names beside the question."""
    return PlanForm(
        rewritten=f"{question} ({', '.join(names)})",
        parts=[],
        names=[PlannedName(mention="it", name=name) for name in names],
        route="simple",
        paths=[],
    )


def oracle(question: Question) -> list[str]:
    """Return the titles of gold documents that the question does not name, without brackets."""
    asked = question.question.casefold()
    titles = (re.sub(r"\s*\(.*?\)", "", title) for title in question.gold_titles)
    return [title for title in titles if title.casefold() not in asked]


def planners(index: Index) -> dict[str, Planner]:
    """Return the planners by name."""
    names = sorted(index.snapshot.table("entities", ["name"])["name"].to_pylist())
    drawn = random.Random(0)  # noqa: S311 - names to draw, no secrets
    return {"oracle": oracle, "nonsense": lambda _: ["Qwyzzle Brontag"], "foreign": lambda _: drawn.sample(names, 2)}


def recall(index: Index, target: Target, names: list[str]) -> tuple[float, bool]:
    """Return Recall@5 with a plan that has these names, and whether the plan counted."""
    question = target.question.question
    plan = checked_plan(index, question, form(question, names)) if names else None
    beside = plan.beside if plan else ()
    context = index.search(question, k=K, beside=beside)
    places = [target.items(hit.chunk_id) for hit in context.chunks]
    return recall_at_k(places, len(target.gold), K), bool(beside)


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", required=True, nargs="+")
    parser.add_argument("--splits", default="")
    parser.add_argument("--most", type=int, default=1000)
    options = parser.parse_args()
    index = open_index(options.store)
    splits = set(filter(None, options.splits.split(",")))
    questions = [
        one for path in options.questions for one in read_questions(path) if not splits or one.split in splits
    ][: options.most]
    targets = locate(questions, index.snapshot).targets
    base = mean(recall(index, target, [])[0] for target in targets)
    report: dict[str, Any] = {"questions": len(targets), "recall@5": round(base, 4)}
    for name, planner in planners(index).items():
        if name == "oracle" and not any(one.gold_titles for one in questions):
            continue
        found = [recall(index, target, planner(target.question)) for target in targets]
        value = mean(one for one, _ in found)
        report[name] = {
            "recall@5": round(value, 4),
            "gain": round(value - base, 4),
            "plans_that_counted": sum(counted for _, counted in found),
        }
    if "oracle" in report:
        report["oracle"] |= shown(index, questions)
    print(json.dumps(report, indent=2))


def shown(index: Index, questions: list[Question]) -> dict[str, int]:
    """Return how many of the oracle's names there are, and stand in the skeletons of a plan."""
    wanted = held = 0
    for one in questions:
        lines = index.skeleton(SKELETON_TOKENS, one.question).splitlines()
        text = f" {' '.join(map(folded_name, lines))} "
        names = oracle(one)
        wanted += len(names)
        held += sum(f" {folded_name(name)} " in text for name in names)
    return {"names": wanted, "names_shown": held}


if __name__ == "__main__":
    main()
