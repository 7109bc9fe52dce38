"""Removing answers that nothing uses any more, and joining small parts.

What was spent is kept. A part that loses answers, or is small, is written anew together with others
of its month; the new one stands instead of them, so that a kill counts nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.llm.journal import ANSWERS, IN_A_PART, PARTS
from graphrag_tasks.llm.parts import Parts, time_of
from graphrag_tasks.llm.records import Lines
from graphrag_tasks.storage.files import Files

_MONTH = len("2026-11")


def remove_answers(
    store: str, used: NDArray[np.uint64], before: datetime, *, dry_run: bool = False
) -> int:
    """Remove answers of parts written before a time, but for those used; return how many.

    Args:
        store: Folder or URI of the store.
        used: Keys that are kept, by `heads_of`.
        before: Answers that were kept later stay.
        dry_run: Only count them.

    Raises:
        ArtifactError: A part cannot be read.
        TransientError: The storage refuses; nothing is lost.
    """
    parts = Parts(Files(store) / ANSWERS / PARTS)
    parts.refresh()
    removed = 0
    for group in _groups(parts):
        unused = {
            name: ~np.isin(part.heads, used)
            for name, part in zip(parts.names, parts.active, strict=True)
            if name in group and time_of(name) < before
        }
        count = int(sum(one.sum() for one in unused.values()))
        removed += count
        if not dry_run and (count or len(group) > 1):
            _join(parts, group, used, before)
    if not dry_run:
        parts.refresh()
        for name in parts.replaced:
            parts.folder.delete(name)
    return removed


def _groups(parts: Parts) -> Iterator[list[str]]:
    """Yield parts that may be one: those of a month, while their answers make no large part."""
    group: list[str] = []
    answers = 0
    for name, part in zip(parts.names, parts.active, strict=True):
        answers += len(part.heads)
        if group and (group[0][:_MONTH] != name[:_MONTH] or answers > IN_A_PART):
            yield group
            group, answers = [], len(part.heads)
        group.append(name)
    if group:
        yield group


def _join(parts: Parts, group: list[str], used: NDArray[np.uint64], before: datetime) -> None:
    """Write parts anew as one, without answers that are not used."""
    lines, logs = Lines(), list[str]()
    for name in group:
        is_old, part = time_of(name) < before, parts.part(name)
        kept = np.flatnonzero(np.isin(part.heads, used) | (not is_old))
        for answer in parts.answers(name, kept):
            lines.keep(answer)
        for record, count in parts.records(name):
            lines.count(record, count)
        lines.batches.update(part.batches)
        logs += part.logs
    parts.write(lines, logs, instead_of=group)
