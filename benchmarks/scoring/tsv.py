"""Frames as tab-separated rows, the format of open information extraction benchmarks.

The format is that of CaRB (Bhardwaj, Aggarwal and Mausam, EMNLP 2019): sentence, confidence, predicate, first argument,
further arguments. As in its gold annotation, the predicate includes the main argument's preposition, an adverb before
it, the "that" of a clause, and the auxiliary that participles omit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from operator import attrgetter

from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule

_CORE_ROLES = frozenset({Role.OBJECT, Role.COMPLEMENT, Role.CLAUSE})
MAX_ADVERB_WORDS = 2  # Longest adverb, in words, that joins the predicate ("weigh so heavily on").

_Tuple = tuple[str, str, list[str]]  # Predicate, first argument and further arguments.


def frames_to_tsv_rows(sentence: str, frames: Sequence[Frame]) -> list[str]:
    """Return a row for each frame and each pair of its subject and main argument.

    Coordinated subjects and main arguments get separate rows; conjuncts of other arguments share a column. Frames
    without a subject (imperatives) have no row, nor have examples, which the benchmark reads as part of their noun
    phrase. Rows are distinct; white space becomes single spaces.
    """
    return _rows(sentence, frames, _tuples)


def frames_to_binary_rows(sentence: str, frames: Sequence[Frame]) -> list[str]:
    """Return a row of two arguments for each pair of a subject and another noun.

    The main argument's rows are as in `frames_to_tsv_rows`; other arguments with a preposition get rows of their own,
    with the preposition in the predicate.
    """
    return _rows(sentence, frames, _binary_tuples)


FORMS: Mapping[str, Callable[[str, Sequence[Frame]], list[str]]] = {
    "n-ary": frames_to_tsv_rows,
    "binary": frames_to_binary_rows,
}


def _rows(sentence: str, frames: Sequence[Frame], tuples: Callable[[str, Frame], Iterator[_Tuple]]) -> list[str]:
    rows = []
    for frame in frames:
        for predicate, subject, others in tuples(sentence, frame):
            columns = [sentence, f"{frame.confidence:.4f}", predicate, subject, *others]
            rows.append("\t".join(" ".join(column.split()) for column in columns))
    return list(dict.fromkeys(rows))


def _tuples(sentence: str, frame: Frame) -> Iterator[_Tuple]:
    subjects, main, rest = _groups(frame)
    adverbs = [group[0] for group in rest if _between(frame, group, main)]
    further = [_joined(sentence, group) for group in rest if group[0] not in adverbs]
    for subject, argument in product(subjects, main):
        predicate, text = _main_columns(sentence, frame, argument, adverbs)
        yield predicate, subject.text, [text, *further]


def _binary_tuples(sentence: str, frame: Frame) -> Iterator[_Tuple]:
    subjects, main, rest = _groups(frame)
    for group in [main, *(group for group in rest if group[0].preposition)]:
        for subject, argument in product(subjects, group):
            predicate, text = _main_columns(sentence, frame, argument, [])
            yield predicate, subject.text, [text]


def _groups(frame: Frame) -> tuple[list[Argument], list[Argument], list[list[Argument]]]:
    coordination = attrgetter("role", "preposition", "slot")
    groups = [list(group) for _, group in groupby(frame.arguments, key=coordination)]
    subjects = [group for group in groups if group[0].role == Role.SUBJECT]
    others = [group for group in groups if group[0].role != Role.SUBJECT]
    if not subjects or not others or frame.rule in (Rule.EXAMPLE, Rule.QUALIFIER):
        return [], [], []
    main = _main_group(frame, others)
    others.sort(key=lambda group: (group[0].head_start < frame.start, group[0].head_start))
    return subjects[0], main, [group for group in others if group is not main]


def _between(frame: Frame, group: Sequence[Argument], main: Sequence[Argument]) -> bool:
    """Tell whether a short adverb stands between the predicate and its main preposition."""
    if group[0].role != Role.ADVERBIAL or len(group[0].text.split()) > MAX_ADVERB_WORDS:
        return False
    return bool(main[0].preposition) and frame.end <= group[0].start < main[0].start


def _main_columns(sentence: str, frame: Frame, argument: Argument, adverbs: Sequence[Argument]) -> tuple[str, str]:
    """Return the predicate and main argument columns, with words moved between them."""
    words = [_finite_predicate(frame), *(adverb.text for adverb in adverbs)]
    text = argument.text
    if argument.preposition:
        words.append(_preposition(sentence, argument))
    elif argument.role == Role.CLAUSE and text.startswith("that "):
        words.append("that")
        text = text.removeprefix("that ")
    return " ".join(words), text


def _preposition(sentence: str, argument: Argument) -> str:
    wanted = argument.preposition or ""
    start = sentence.lower().rfind(wanted, 0, argument.start)
    return wanted if start < 0 else sentence[start : start + len(wanted)]


def _main_group(frame: Frame, groups: list[list[Argument]]) -> list[Argument]:
    """Return the main arguments: object, else agent, else first oblique."""
    after = [group for group in groups if group[0].head_start > frame.start]
    core = [group for group in groups if group[0].role in _CORE_ROLES]
    for role in (Role.INDIRECT_OBJECT, Role.AGENT, Role.OBLIQUE):
        core += [group for group in after if group[0].role == role]
    return [*core, *after, *groups][0]


def _joined(sentence: str, group: list[Argument]) -> str:
    texts = (_preposition(sentence, group[0]), *(argument.text for argument in group))
    return " ".join(filter(None, texts))


def _finite_predicate(frame: Frame) -> str:
    """Return the predicate with the auxiliary that a bare participle omits."""
    first = frame.predicate.partition(" ")[0]
    if frame.rule == Rule.ACL and frame.passive:
        return f"was {frame.predicate}"
    if frame.rule in (Rule.ACL, Rule.INHERITED) and first.endswith("ing"):
        return f"is {frame.predicate}"
    return frame.predicate
