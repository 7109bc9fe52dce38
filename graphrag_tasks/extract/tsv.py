"""The tab-separated form of frames that benchmarks of open information extraction read.

The format is that of CaRB (Bhardwaj, Aggarwal and Mausam, EMNLP 2019): sentence, confidence,
predicate, first argument, further arguments. Two habits of its gold annotation are followed:
the preposition of the main argument is part of the predicate, and participles get the auxiliary
that they leave out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, product

from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule

_CORE_ROLES = frozenset({Role.OBJECT, Role.COMPLEMENT, Role.CLAUSE})
_MAIN_ORDER = (Role.AGENT, Role.OBLIQUE)


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
    rows = []
    for frame in frames:
        for predicate, subject, others in _tuples(frame):
            columns = [sentence, f"{frame.confidence:.2f}", predicate, subject, *others]
            rows.append("\t".join(" ".join(column.split()) for column in columns))
    return list(dict.fromkeys(rows))


def _tuples(frame: Frame) -> list[tuple[str, str, list[str]]]:
    groups = [list(group) for _, group in groupby(frame.arguments, key=_coordination)]
    subjects = [group for group in groups if group[0].role == Role.SUBJECT]
    others = [group for group in groups if group[0].role != Role.SUBJECT]
    if not subjects or not others:
        return []
    main = _main_group(frame, others)
    rest = sorted(
        (group for group in others if group is not main),
        key=lambda group: (group[0].head_start < frame.start, group[0].head_start),
    )
    predicate = " ".join(filter(None, [_finite_predicate(frame), main[0].preposition]))
    further = [_joined(group) for group in rest]
    return [
        (predicate, subject.text, [argument.text, *further])
        for subject, argument in product(subjects[0], main)
    ]


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
