"""The tab-separated form of frames that benchmarks of open information extraction read.

The format is that of CaRB (Bhardwaj, Aggarwal and Mausam, EMNLP 2019): sentence, confidence,
predicate, first argument, further arguments. Two habits of its gold annotation are followed:
the preposition of the main argument is part of the predicate, and participles get the auxiliary
that they leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from types import MappingProxyType

from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule

_CORE_ROLES = frozenset({Role.OBJECT, Role.COMPLEMENT, Role.CLAUSE})
_MAIN_ORDER = (Role.AGENT, Role.OBLIQUE)

_Tuple = tuple[str, str, list[str]]
"""Predicate, first argument and further arguments."""


def frames_to_tsv_rows(sentence: str, frames: Sequence[Frame]) -> list[str]:
    """Return one row for each frame and each pair of its subject and main argument.

    Coordinated subjects and coordinated main arguments each get a row of their own; the
    conjuncts of the other arguments share one column. Frames without a subject (imperatives)
    have no first argument and so no row. Equal rows are given once.

    Args:
        sentence: The sentence the frames were found in.
        frames: Its frames.

    Returns:
        Rows without line ends; tabs and line ends inside texts are replaced by spaces.
    """
    return _rows(sentence, frames, _tuples)


def frames_to_binary_rows(sentence: str, frames: Sequence[Frame]) -> list[str]:
    """Return one row of two arguments for each pair of a subject and a noun beside it.

    The main argument's rows are as in `frames_to_tsv_rows`; the other arguments that have a
    preposition get rows of their own, with that preposition in the predicate.
    """
    return _rows(sentence, frames, _binary_tuples)


FORMS: Mapping[str, Callable[[str, Sequence[Frame]], list[str]]] = MappingProxyType(
    {"n-ary": frames_to_tsv_rows, "binary": frames_to_binary_rows}
)
"""Both forms by name."""


def _rows(
    sentence: str, frames: Sequence[Frame], tuples: Callable[[Frame], Iterator[_Tuple]]
) -> list[str]:
    rows = []
    for frame in frames:
        for predicate, subject, others in tuples(frame):
            columns = [sentence, f"{frame.confidence:.4f}", predicate, subject, *others]
            rows.append("\t".join(" ".join(column.split()) for column in columns))
    return list(dict.fromkeys(rows))


def _tuples(frame: Frame) -> Iterator[_Tuple]:
    subjects, main, rest = _groups(frame)
    predicate = _predicate(frame, main)
    further = [_joined(group) for group in rest]
    for subject, argument in product(subjects, main):
        yield predicate, subject.text, [argument.text, *further]


def _binary_tuples(frame: Frame) -> Iterator[_Tuple]:
    subjects, main, rest = _groups(frame)
    for group in [main, *(group for group in rest if group[0].preposition)]:
        predicate = _predicate(frame, group)
        for subject, argument in product(subjects, group):
            yield predicate, subject.text, [argument.text]


def _groups(frame: Frame) -> tuple[list[Argument], list[Argument], list[list[Argument]]]:
    """Return the subjects, the arguments of the second column, and the other coordinations.

    All are empty when there is no subject or nothing beside it.
    """
    groups = [list(group) for _, group in groupby(frame.arguments, key=_coordination)]
    subjects = [group for group in groups if group[0].role == Role.SUBJECT]
    others = [group for group in groups if group[0].role != Role.SUBJECT]
    if not subjects or not others:
        return [], [], []
    main = _main_group(frame, others)
    rest = sorted(
        (group for group in others if group is not main),
        key=lambda group: (group[0].head_start < frame.start, group[0].head_start),
    )
    return subjects[0], main, rest


def _predicate(frame: Frame, group: Sequence[Argument]) -> str:
    preposition = group[0].preposition if group else None
    return " ".join(filter(None, [_finite_predicate(frame), preposition]))


def _coordination(argument: Argument) -> tuple[str, str | None, int]:
    return argument.role, argument.preposition, argument.slot


def _main_group(frame: Frame, groups: list[list[Argument]]) -> list[Argument]:
    """Return the arguments of the second column: object, else agent, else first oblique."""
    for group in groups:
        if group[0].role in _CORE_ROLES:
            return group
    after = [group for group in groups if group[0].head_start > frame.start]
    for role in (Role.INDIRECT_OBJECT, *_MAIN_ORDER):
        for group in after:
            if group[0].role == role:
                return group
    return (after or groups)[0]


def _joined(group: list[Argument]) -> str:
    texts = [argument.text for argument in group]
    return " ".join(filter(None, [group[0].preposition, *texts]))


def _finite_predicate(frame: Frame) -> str:
    """Return the predicate with the auxiliary that a bare participle leaves out."""
    first = frame.predicate.partition(" ")[0]
    if frame.rule == Rule.ACL and frame.passive:
        return f"was {frame.predicate}"
    if frame.rule in (Rule.ACL, Rule.INHERITED) and first.endswith("ing"):
        return f"is {frame.predicate}"
    return frame.predicate
