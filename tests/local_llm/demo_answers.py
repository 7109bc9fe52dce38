"""Ten questions on the example corpus, answered three ways: by quotations and by two models.

The first model is scripted: it knows the reference answer, cites the passages that it comes from, and adds a sentence
that no passage states. The second is SmolLM2, which is real and very small.
"""

import sys
from tempfile import TemporaryDirectory

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.core.config import LlmConfig, load_config
from graphrag_tasks.llm import Client
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import Question, read_questions
from tests.llm.endpoint import Body, ScriptedEndpoint, scripted
from tests.local_llm.conftest import ROOT, served
from tests.local_llm.test_small_model import CALM, settings

CHOSEN = ("q01", "q05", "q07", "q09", "q12", "q15", "q21", "q24")
OTHERS = ("How many tables are eliminated?", "Who won the 1998 world cup?")
FALSE = "It was renamed to ZZ_OLD in 1987 [1]."


def knowing(references: dict[str, Question], body: Body) -> str:
    """Return the reference answer to a prompt's question, with numbers, and a false sentence."""
    prompt = body["messages"][-1]["content"]
    question = references.get(prompt.rpartition("Question: ")[2].strip())
    if question is None:
        return "NO ANSWER"
    heads = (line for line in prompt.splitlines() if line.startswith("["))
    numbers = [head.split("]")[0] + "]" for head in heads if any(one in head for one in question.gold_titles)]
    return f"{question.answer.rstrip('.')} {''.join(numbers[:3])}. {FALSE}"


def show(way: str, reply: Reply) -> None:
    """Print a reply, without its sources."""
    cost = f", {reply.milliseconds / 1000:.1f} s"
    sys.stdout.write(f"  {way} ({reply.verdict.state}{cost})\n")
    for line in [*reply.text.splitlines(), *(f"note: {note}" for note in reply.notes)]:
        sys.stdout.write(f"    {line}\n")


def ask_all(index: Index, endpoint: ScriptedEndpoint, url: str) -> None:
    """Answer the ten questions in three ways, and print the answers."""
    known = {one.id: one for one in read_questions(ROOT / "examples" / "questions.jsonl")}
    references = {one.question: one for one in known.values()}
    endpoint.script.answer = lambda body: knowing(references, body)
    endpoint.script.usage = False  # it counts words, which a client takes for a prompt cut short
    free = {"budget": {"usd": 0}}
    models = {
        "a scripted model": LlmConfig.model_validate({"base_url": endpoint.url, "model": "scripted", **free}),
        "SmolLM2": settings(url, parameters=CALM, answers={"prompt_tokens": 1200, "output_tokens": 120}),
    }
    clients = {way: Client(config) for way, config in models.items()}
    for question in (*(known[one].question for one in CHOSEN), *OTHERS):
        reference = references[question].answer if question in references else ""
        sys.stdout.write(f"\n{question}\n  reference: {reference}\n")
        show("quoted", answer(index, question))
        for way, client in clients.items():
            show(way, answer(index, question, client))
        sys.stdout.flush()


def main() -> None:
    """Index the example corpus, or open the store that is given, and answer."""
    with TemporaryDirectory() as folder, scripted() as endpoint, served() as url:
        store = sys.argv[1] if len(sys.argv) > 1 else folder
        if store == folder:
            given = {"store": store, "sources": [str(ROOT / "examples" / "corpus")], "load": {"vector_store": "none"}}
            run_index(load_config(None, overrides=given))
        ask_all(open_index(store), endpoint, url)


if __name__ == "__main__":
    main()
