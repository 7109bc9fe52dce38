"""What each family of rules is worth: CaRB's F1 with one family switched off at a time.

The gold sentences are parsed once. Figures are of the best threshold, on all sentences and on
each half (every second sentence), so that a gain of one half only is seen. Prints a Markdown
table.

    python -m benchmarks.extract_ablation --gold gold.jsonl
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.scoring.openie import Tuples, read_gold, score, tuples_of_rows
from graphrag_tasks.extract.dependency import arguments, clauses, nominal, predicates, subjects
from graphrag_tasks.extract.dependency.subjects import Origin, Subject
from graphrag_tasks.extract.frames import Argument, Role, Rule
from graphrag_tasks.extract.tsv import FORMS
from graphrag_tasks.language.parser import SentenceParser
from graphrag_tasks.language.tokens import Doc, Token

Off = Mapping[tuple[object, str], Any]
"""What stands in for a module's attribute while its family is off."""


def _nothing(*_: object, **__: object) -> None:
    return None


def _no(*_: object, **__: object) -> bool:
    return False


def _empty(*_: object, **__: object) -> list[Any]:
    return []


def _without(*origins: Origin) -> Off:
    find = subjects.find_subject

    def found(verb: Token) -> Subject | None:
        subject = find(verb)
        return None if subject is None or subject.origin in origins else subject

    return {(clauses, "find_subject"): found}


def _without_roles(*roles: Role) -> Off:
    collect = arguments.collect_arguments

    def collected(chain: list[Token], origin: Origin) -> list[Argument]:
        return [one for one in collect(chain, origin) if one.role not in roles]

    return {(clauses, "collect_arguments"): collected}


def _without_rule(rule: Rule) -> Off:
    frames_of = clauses.frames_of
    return {(clauses, "frames_of"): lambda doc: [f for f in frames_of(doc) if f.rule != rule]}


FAMILIES: Mapping[str, Off] = {
    "subjects shared over coordination and subordination": _without(Origin.INHERITED),
    "relative clauses": _without(Origin.RELATIVE),
    "participles and infinitives after nouns": _without(Origin.ACL),
    "clause of a definition tells about what is defined": {
        (subjects, "_described"): lambda subject: subject
    },
    "chains of verbs": {(module, "is_chained"): _no for module in (predicates, arguments, clauses)},
    "abilities (is able to)": {(predicates, "_ABILITIES"): frozenset()},
    "adjective and preposition as relation": {
        (module, "relational_adjective"): _nothing for module in (predicates, arguments)
    },
    "auxiliaries shared by conjuncts": {(predicates, "_shared_auxiliaries"): _empty},
    "clauses as arguments": _without_roles(Role.CLAUSE),
    "clause before its verb only if it is said": {
        (arguments, "_SPEECH_VERBS"): type("All", (), {"__contains__": lambda *_: True})()
    },
    "adverbs and times": _without_roles(Role.ADVERBIAL, Role.TIME),
    "coordinated nouns split": {(nominal, "conjuncts"): lambda head: [head]},
    "relative clauses and appositions trimmed": {(nominal, "_TRIMMED_DEPS"): frozenset()},
    "appositions": _without_rule(Rule.APPOSITION),
    "possessives": _without_rule(Rule.POSSESSIVE),
    "there is": _without_rule(Rule.EXISTENTIAL),
    "repair of commands and names": {(clauses, "repaired"): lambda doc: doc},
    "learned confidence": {(clauses, "confidence_of"): lambda *_, **__: 0.5},
}


@contextmanager
def switched_off(off: Off) -> Iterator[None]:
    """Put the stand-ins in place, for a while."""
    with ExitStack() as stack:
        for (module, name), stand_in in off.items():
            stack.enter_context(patch.object(module, name, stand_in))
        yield


def measure(gold: Tuples, docs: list[Doc], form: str) -> tuple[float, float, float]:
    """Return F1 on all sentences, on the first half and on the second half."""
    to_rows: Callable[..., list[str]] = FORMS[form]
    predicted = tuples_of_rows(
        row
        for sentence, doc in zip(gold, docs, strict=True)
        for row in to_rows(sentence, clauses.frames_of(doc))
    )
    sentences = list(gold)
    all_, first, second = (
        score({sentence: gold[sentence] for sentence in part}, predicted).f1
        for part in (sentences, sentences[::2], sentences[1::2])
    )
    return all_, first, second


def main() -> None:
    """Measure each family and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--form", choices=sorted(FORMS), default="n-ary")
    arguments_ = parser.parse_args()
    gold = read_gold(arguments_.gold)
    docs = list(SentenceParser().parse(list(gold), tokenized=True))
    base = measure(gold, docs, arguments_.form)
    print("| rules switched off | F1 | change | first half | second half |")
    print("|---|---|---|---|---|")
    print(f"| none | {base[0]:.4f} | | {base[1]:.4f} | {base[2]:.4f} |")
    for family, off in FAMILIES.items():
        with switched_off(off):
            without = measure(gold, docs, arguments_.form)
        changes = [f"{one - full:+.4f}" for one, full in zip(without, base, strict=True)]
        print(f"| {family} | {without[0]:.4f} | {' | '.join(changes)} |")


if __name__ == "__main__":
    main()
