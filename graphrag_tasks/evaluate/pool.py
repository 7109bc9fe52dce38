"""The sources of an evaluation: one set of passages or several, with or without titles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.evaluate.jsonl import text_lines
from graphrag_tasks.sources.roots import PASSAGES_SUFFIX

UNTITLED = "untitled"
"""Folder below a store that keeps an index without titles apart."""


def pool(passages: Sequence[str], folder: Path, *, untitled: bool = False) -> tuple[str, ...]:
    """Return the sources to index; several sets are named by the folder that each lies in.

    Args:
        passages: JSONL files of passages, or folders of documents.
        folder: Where passages without titles are written.
        untitled: Drop the titles of passages, to see how much of a result comes from them.

    Raises:
        ConfigError: Titles are to be dropped from documents, where they are text; a line is not
            JSON; or two sets lie in folders of one name.
    """
    sources = tuple(passages)
    if untitled:
        sources = tuple(_without_titles(one, folder / str(place))
                        for place, one in enumerate(sources))  # fmt: skip
    if len(sources) == 1:
        return sources
    names = [Path(one).absolute().parent.name for one in passages]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(
            f"two sets lie in a folder called '{twice[0]}'",
            "--passages",
            "Rename one of the folders: its name is the name of the set",
        )
    return tuple(f"{name}={one}" for name, one in zip(names, sources, strict=True))


def _without_titles(source: str, folder: Path) -> str:
    if not source.endswith(PASSAGES_SUFFIX):
        raise ConfigError(
            "only passages can be indexed without titles",
            source,
            f"Give a {PASSAGES_SUFFIX} file of passages, or leave out --untitled",
        )
    folder.mkdir(parents=True)
    target = folder / Path(source).name
    with target.open("w", encoding="utf-8") as file:
        for number, line in text_lines(source):
            try:
                passage = json.loads(line)
            except ValueError as error:
                raise ConfigError(f"is not JSON ({error})", f"{source}, line {number}") from error
            file.write(json.dumps(passage | {"title": ""}, ensure_ascii=False) + "\n")
    return str(target)
