"""How often a model's sentence that its source does not state is marked, and a true one is not.

A scripted model copies sentences of the first chunks, cites them, and then adds a sentence of another document, changes
a number, or adds or drops a "not". True sentences are copied, or put in other words by rules (contractions, another
order of clauses, some synonyms), which is less than a real model changes: the share of those marked is a lower bound.

    python -m benchmarks.answer_checks --store store --questions benchmarks/gold/sap_questions.jsonl

With `--stream N` it measures instead how long after the endpoint's first piece the first piece of a streamed answer is
there, over N answers of a scripted endpoint on this machine.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from graphrag_tasks.answering import answer, answer_stream
from graphrag_tasks.answering.citations import checked
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Context, Index, open_index
from tests.llm.endpoint import scripted

_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?![\w.,/-]*\w)")
_DENIED = (
    (re.compile(r"\b(can)not\b"), r"\1"),
    (re.compile(r"\b(is|are|was|can|must|does|do|should|will) not\b"), r"\1"),
)
_DENIES = re.compile(r"\b(?:not|no|never|none|nor|neither|without|cannot)\b|n't", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|must|should|will|has|have)\b(?! not)")
_SYNONYMS = {
    "uses": "employs", "use": "employ", "shows": "displays", "show": "display", "allows": "lets",
    "contains": "holds", "provides": "gives", "specify": "state", "however": "but",
    "available": "there", "must": "has to", "represents": "stands for", "using": "with",
}  # fmt: skip

Change = Callable[[str, random.Random], str | None]


def changed_number(text: str, draw: random.Random) -> str | None:
    """Return a sentence with another number, or None where it has none."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    one = draw.choice(found)
    other = str(int(one[0]) + draw.choice([1, 3, 70, 1000]))
    return text[: one.start()] + other + text[one.end() :]


def added_not(text: str, _: random.Random) -> str | None:
    """Return a sentence that denies what it said; None where it denies already, or cannot."""
    if _DENIES.search(text):
        return None
    found = _AUXILIARY.search(text)
    return f"{text[: found.end()]} not{text[found.end() :]}" if found else None


def dropped_not(text: str, _: random.Random) -> str | None:
    """Return a sentence that no longer denies, or None where it did not."""
    for pattern, auxiliary in _DENIED:
        if pattern.search(text):
            return pattern.sub(auxiliary, text, count=1)
    return None


def copied(text: str, _: random.Random) -> str | None:
    """Return a sentence as it is."""
    return text


def reworded(text: str, _: random.Random) -> str | None:
    """Return a sentence in other words, as far as rules can, or None where nothing changes."""
    said = re.sub(r"\b(is|are|do|does|can|should) ?not\b", r"\1n't", text)
    said = re.sub(r"\b\w+\b", lambda one: _SYNONYMS.get(one[0], one[0]), said)
    said = re.sub(r"\s*\([^()]*\)", "", said)
    clause, comma, rest = said.rstrip(".").partition(", ")
    if comma and re.match(r"(?:If|When|For|In|To|With|After)\b", clause):
        said = f"{rest[:1].upper()}{rest[1:]}, {clause[:1].lower()}{clause[1:]}."
    return said if said != text else None


FALSE: dict[str, Change] = {
    "number": changed_number, "not added": added_not, "not dropped": dropped_not
}  # fmt: skip
TRUE: dict[str, Change] = {"copied": copied, "reworded": reworded}


def cited(index: Index, context: Context) -> Iterator[tuple[int, str]]:
    """Yield sentences of the first chunks that are sentences, each with its number."""
    for hit in context.chunks[:3]:
        for one in index.sentences(hit.chunk_id):
            text = " ".join(one.text.split())
            if 6 <= len(text.split()) <= 60 and text.endswith(".") and "http" not in text:
                yield hit.rank, text


def streamed(index: Index, questions: list[str]) -> Iterator[float]:
    """Yield milliseconds from the endpoint's first piece to the first of each answer."""
    config = {"model": "m", "budget": {"usd": 0}}
    with scripted(answer=lambda _: "The answer is here [1].", piece_delay=0.05, usage=False) as endpoint:
        client = Client(LlmConfig.model_validate(config | {"base_url": endpoint.url}))
        for question in questions:
            asked = endpoint.requests
            stream = answer_stream(index, question, client)
            next(stream)
            if endpoint.requests > asked:
                yield round(1000 * (time.monotonic() - endpoint.first_pieces[-1]), 2)
                for _ in stream:
                    pass


def main(arguments: list[str] | None = None) -> None:
    """Print shares of marked sentences as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--corpus", help="only questions of this corpus")
    parser.add_argument("--most", type=int, default=200, help="questions")
    parser.add_argument("--stream", type=int, default=0, help="streamed answers to time")
    parser.add_argument("--shown", type=int, default=0, help="mistakes of each kind to print")
    options = parser.parse_args(arguments)
    index = open_index(options.store)
    rows = map(json.loads, options.questions.read_text("utf-8").splitlines())
    questions = [
        row["question"] for row in rows
        if row.get("answer") and options.corpus in (None, row.get("corpus"))
    ][: options.most]  # fmt: skip
    if options.stream:
        lags = sorted(streamed(index, questions[: options.stream]))
        median = lags[len(lags) // 2]
        figures = {"answers": len(lags), "median_ms": median, "most_ms": lags[-1]}
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    found: dict[str, Counter[bool]] = defaultdict(Counter)
    mistakes: dict[str, list[str]] = defaultdict(list)
    other: tuple[int, str] | None = None

    def judge(kind: str, true: bool, text: str, context: Context, prompt: str) -> None:
        for sentence in checked(text, index, context, prompt):
            found[kind][sentence.problem is not None] += 1
            if (sentence.problem is None) != true:
                mistakes[kind].append(f"{sentence.problem}: {text}")

    for place, question in enumerate(questions):
        draw = random.Random(place)  # noqa: S311 - made-up mistakes, no secret
        reply = answer(index, question)
        context, prompt = reply.context, reply.context.to_prompt()
        sentences = list(dict.fromkeys(cited(index, context)))
        draw.shuffle(sentences)
        for kind, change in (FALSE | TRUE).items():
            changed = ((n, change(text, draw)) for n, text in sentences)
            number, said = next((one for one in changed if one[1]), (0, None))
            if said:
                judge(kind, kind in TRUE, f"{said} [{number}]", context, prompt)
        if other and sentences:
            judge("foreign", False, f"{other[1]} [{sentences[0][0]}]", context, prompt)
            judge("no number", False, other[1], context, prompt)
        other = sentences[0] if sentences else other
    kinds = {
        kind: {"sentences": counts.total(), "marked": round(counts[True] / counts.total(), 3)}
        for kind, counts in sorted(found.items())
    }
    false = sum((found[kind] for kind in found if kind not in TRUE), Counter())
    result: dict[str, object] = {
        "questions": len(questions), "kinds": kinds,
        "false_marked": round(false[True] / max(false.total(), 1), 3),
    }  # fmt: skip
    if options.shown:
        result["mistakes"] = {kind: texts[: options.shown] for kind, texts in mistakes.items()}
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
