"""Judges on the questions of the example corpus: none, four scripted ones, and a real, small model.

The scripted judges are honest, take the first place, take the longer answer, or draw lots. The real one is SmolLM2,
which is far too small to judge: the report says so.
"""

import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory

from graphrag_tasks.core.config import LlmConfig, load_config
from graphrag_tasks.llm import Client
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import read_questions
from graphrag_tasks.workbench.evaluation.gold import Gold, locate
from graphrag_tasks.workbench.evaluation.questions import read_lines
from graphrag_tasks.workbench.judges import Judge, JudgedByHand, evaluate_answers
from tests.llm.endpoint import scripted
from tests.local_llm.conftest import ROOT, served
from tests.local_llm.test_small_model import CALM, settings
from tests.workbench.judges.scripted_judges import Guesser, first_place, honest, judge, longer

EXAMPLES = ROOT / "examples"
BY_HAND = read_lines(EXAMPLES / "judged_answers.jsonl", JudgedByHand)
SMALL = ("q01", "q04", "q07")  # Questions that the real model judges: more take it hours.


def report(index: Index, gold: Gold, config: LlmConfig | None, votes: int) -> str:
    """Return the report of a judge; None: of no model."""
    one = Judge(Client(config), votes) if config else None
    modes = ["dense", "auto"]
    found = evaluate_answers(index, gold, modes, against="dense", judge=one, by_hand=BY_HAND)
    return found.to_markdown()


def of_scripted(index: Index, gold: Gold, name: str, compare: Callable[..., str]) -> str:
    """Return the report of a scripted judge."""
    known = {one.answer: one.verdict for one in BY_HAND}
    with scripted(answer=judge(compare, known), usage=False) as endpoint:
        given = {"base_url": endpoint.url, "model": name, "budget": {"usd": 0}}
        return report(index, gold, LlmConfig.model_validate(given), 3)


def main() -> None:
    """Index the example corpus, or open the store that is given, and print the reports."""
    with TemporaryDirectory() as folder:
        store = sys.argv[1] if len(sys.argv) > 1 else folder
        if store == folder:
            given = {"store": store, "sources": [str(EXAMPLES / "corpus")], "load": {"vector_store": "none"}}
            run_index(load_config(None, overrides=given))
        index = open_index(store)
        asked = read_questions(EXAMPLES / "questions.jsonl")
        gold = locate(asked, index.snapshot)
        few = locate([one for one in asked if one.id in SMALL], index.snapshot)
        sys.stdout.write(report(index, gold, None, 1) + "\n")
        judges = {"honest": honest, "first": first_place, "longer": longer, "lots": Guesser()}
        for name, compare in judges.items():
            sys.stdout.write(of_scripted(index, gold, name, compare) + "\n")
            sys.stdout.flush()
        with served() as url:
            sys.stdout.write(report(index, few, settings(url, parameters=CALM), 1))


if __name__ == "__main__":
    main()
