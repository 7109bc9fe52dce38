"""How many made-up facts are adopted, by kind, beside true ones.

Each labelled fact of the SAP documents whose ends stand in its sentence is told as it is, and as lies of nine kinds.
Some "lies" of another fact's tail or relation are true by chance, so their shares are upper bounds. Printed is the
share that the judge of `adopt` takes, without what the rules found.

    python -m benchmarks.llm_lies --store STORE --split held --split cells_held
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.llm_adopt import IMPLIED
from benchmarks.scoring.triple_gold import Fact, facts_of, locate, read_gold
from benchmarks.scoring.triples import texts_of
from graphrag_tasks.extract.llm.requests import ToldFact
from graphrag_tasks.extract.llm.support import FactCheck, Reason, Setting
from graphrag_tasks.language.parser import SentenceParser
from graphrag_tasks.language.tokens import Doc
from graphrag_tasks.storage.snapshots.store import Store

_GOLD = Path(__file__).with_name("gold") / "sap_triples.jsonl"
_NOT = ("does not ", "do not ", " not", "not ", "no longer ")
_BEFORE_NOT = {"is", "are", "was", "were", "can", "must", "should", "has", "have"}
_LEAST_WORDS = 6

Told = tuple[str, str, str]  # Head, relation and tail.


def sentences(store: str, splits: Sequence[str]) -> Iterator[tuple[str, list[Fact]]]:
    """Yield labelled sentences with the facts whose ends both stand in them."""
    snapshot = Store(store).open()
    rows = snapshot.table("documents", ["path", "document_id"]).to_pylist()
    ids = {row["path"]: row["document_id"] for row in rows}
    texts = texts_of(snapshot.table("blocks"))
    for one in read_gold(_GOLD):
        text = texts.get(ids.get(one.path, ""), "")
        start = locate(one, text) if one.split in splits else None
        if start is None:
            continue
        sentence = text[start : start + one.end - one.start]
        yield sentence, [
            fact for fact in facts_of(one, text, start)
            if _here(fact.heads, sentence) and _here(fact.tails, sentence)
        ]  # fmt: skip


def told_of(sentence: str, fact: Fact, facts: Sequence[Fact], draw: random.Random) -> Iterator[tuple[str, Told]]:
    """Yield the kind and the words of what is told: the fact, and lies about it."""
    head, tail = _here(fact.heads, sentence), _here(fact.tails, sentence)
    relation = fact.relation or IMPLIED[fact.type or "is"]
    yield "truth", (head, relation, tail)
    if fact.relation:
        yield "ends swapped", (tail, relation, head)
        yield _denied(relation)[0], (head, _denied(relation)[1], tail)
    for other in facts:
        same_ends = set(other.heads) & set(fact.heads) and set(other.tails) & set(fact.tails)
        if other is fact or same_ends:
            continue
        if not set(other.tails) & {*fact.tails, *fact.heads}:
            yield "another fact's tail", (head, relation, _here(other.tails, sentence))
        if fact.relation and other.relation and other.relation != relation:
            yield "another fact's relation", (head, other.relation, tail)
    words = sorted({one for one in sentence.split() if one.isalnum() and len(one) > 3})
    if len(words) >= _LEAST_WORDS:
        first, second = draw.sample(words, 2)
        yield '"is" between any words', (first, "is", second)
        yield '"includes" between any words', (first, "includes", second)
        if fact.relation:
            yield "its relation between any words", (first, relation, second)


def _here(names: Sequence[str], sentence: str) -> str:
    return next((one for one in names if one in sentence), "")


def _denied(relation: str) -> tuple[str, str]:
    """Return a relation without its "not", or with one, and which of the two."""
    words = relation.split()
    if any(one.lower() in ("not", "no", "never", "cannot") for one in words):
        for one in _NOT:
            relation = relation.replace(one, "")
        return "negation dropped", relation.replace("cannot", "can")
    if words[0] in _BEFORE_NOT:
        return "negation added", " ".join([words[0], "not", *words[1:]])
    return "negation added", f"does not {relation}"


def is_adopted(sentence: str, tokens: Doc, told: Told) -> bool:
    """Tell whether a fact told of a sentence alone is adopted."""
    head, relation, tail = told
    fact = ToldFact(sentence=1, head=head, relation=relation, tail=tail, weight=1)
    judge = FactCheck(Setting(sentence, tokens, "", "", (), ()))
    return not isinstance(judge.frame(fact, {}), Reason)


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--store", required=True, help="index of the SAP documents")
    parser.add_argument("--split", action="append", required=True)
    options = parser.parse_args()
    labelled = list(sentences(options.store, options.split))
    reader = SentenceParser(entities=False)
    texts = list(dict.fromkeys(sentence for sentence, _ in labelled))
    parses = dict(zip(texts, reader.parse(texts), strict=True))
    draw = random.Random(0)  # noqa: S311 - made-up facts, no secret
    made, adopted = Counter[str](), Counter[str]()
    for sentence, facts in labelled:
        for fact in facts:
            for kind, told in told_of(sentence, fact, facts, draw):
                made[kind] += 1
                adopted[kind] += is_adopted(sentence, parses[sentence], told)
    sys.stdout.write("| told | facts | adopted |\n|---|---|---|\n")
    for kind, count in sorted(made.items()):
        sys.stdout.write(f"| {kind} | {count} | {adopted[kind] / count:.3f} |\n")


if __name__ == "__main__":
    main()
