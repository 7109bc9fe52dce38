"""Input of an evaluation: questions with known sources, and passages to index."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.sources.roots import PASSAGES_SUFFIX


class JsonLine(BaseModel):
    """One line of a file, checked strictly; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: str


ModelT = TypeVar("ModelT", bound=BaseModel)
LineT = TypeVar("LineT", bound=JsonLine)


def read_lines(path: str | Path, kind: type[LineT]) -> list[LineT]:
    """Return the values of a JSON lines file, in order, without blank lines."""
    found: dict[str, LineT] = {}
    for where, value in read_values(path, kind):
        if value.id in found:
            raise ConfigError(f"the id {value.id!r} occurs twice", where)
        found[value.id] = value
    return list(found.values())


def read_values(path: str | Path, kind: type[ModelT]) -> Iterator[tuple[str, ModelT]]:
    """Yield "FILE, line NUMBER" and the value for each non-blank line."""
    for number, text in text_lines(path):
        where = f"{path}, line {number}"
        try:
            value = kind.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            what = f"{field}: {first['msg']}" if field else first["msg"]
            raise ConfigError(what, where) from error
        yield where, value


def text_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each non-blank line."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not readable ({error})", str(path)) from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


Judgement = Literal["right", "wrong"]

UNTITLED = "untitled"  # Folder in a store with the index without titles.


class Span(BaseModel):
    """A span of a document's text, given by position and hash.

    `path` is `documents.path`, or `documents.uri` if several sources have that path; `sha` has the first hex digits of
    the text's SHA-256. Characters are counted as in `schemas`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    path: str
    char_start: int = Field(ge=0)
    char_end: int
    sha: str = Field(pattern=r"^[0-9a-f]{8,64}$")

    @model_validator(mode="after")
    def _has_text(self) -> Self:
        if self.char_end <= self.char_start:
            raise ValueError("char_end must be greater than char_start")
        return self


class GoldSpan(Span):
    """A fact that the answer needs, by its span; any of `alternatives` suffices."""

    alternatives: tuple[Span, ...] = ()

    def spans(self) -> Iterator[Span]:
        """Yield the span and its alternatives."""
        yield self
        yield from self.alternatives


class Question(JsonLine):
    """A question with what is needed to answer it: either `gold` or `gold_ids`.

    Judged questions may have neither, if nobody says what answers them; questions that the corpus does not answer
    (`answerable` is false) have neither.

    Attributes:
        answer: The reference answer, for readers.
        type: Kind of question; figures are also reported by type.
        split: Part of the set, such as dev or test.
        gold_titles: Titles of the needed documents, for readers.
        gold_ids: `documents.path` (or `uri`) of the needed documents: a passage's id, or a file's path below its source
            root.
        gold: Needed facts, each by a span; then chunks are judged, not documents.
        judged: A reader's judgement of the answer (see `feedback`).
        answerable: Whether the corpus answers it.
    """

    question: str = Field(pattern=r"\S")
    answer: str = ""
    type: str = ""
    split: str = ""
    gold_titles: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] = ()
    gold: tuple[GoldSpan, ...] = ()
    judged: Judgement | None = None
    answerable: bool = True

    @property
    def has_gold(self) -> bool:
        """Whether it has gold."""
        return bool(self.gold or self.gold_ids)

    @model_validator(mode="after")
    def _has_one_gold(self) -> Self:
        if not self.answerable and self.has_gold:
            raise ValueError("a question that is not answerable has no gold")
        if (self.judged or not self.answerable) and not self.has_gold:
            return self
        if bool(self.gold) == bool(self.gold_ids):
            raise ValueError("a question needs either gold (spans) or gold_ids (documents)")
        return self


def read_questions(path: str | Path, *, split: str | None = None, unanswerable: bool = False) -> list[Question]:
    """Return the questions of a JSON lines file, or of one split of it.

    Judged questions without gold are left out and, unless `unanswerable`, questions that the corpus does not answer.
    """
    questions = [
        line for line in read_lines(path, Question)
        if line.has_gold or (unanswerable and not line.answerable)
    ]  # fmt: skip
    if split is None:
        return questions
    found = [question for question in questions if question.split == split]
    if not found:
        names = sorted({question.split for question in questions if question.split})
        hint = f"Its splits: {', '.join(names)}" if names else "Its questions name no split"
        raise ConfigError(f"no question of the split '{split}'", str(path), hint)
    return found


def pool(passages: Sequence[str], folder: Path, *, untitled: bool = False) -> tuple[str, ...]:
    """Return the sources to index: JSONL files of passages, or folders of documents.

    Several sets are named by their folders. `untitled` passages, which show how much of a result comes from titles, are
    written into `folder`.
    """
    sources = tuple(passages)
    if untitled:
        sources = tuple(_without_titles(source, folder / str(place))
                        for place, source in enumerate(sources))  # fmt: skip
    if len(sources) == 1:
        return sources
    names = [Path(passage).absolute().parent.name for passage in passages]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        hint = "Rename one of the folders: its name is the name of the set"
        raise ConfigError(f"two sets lie in a folder called '{twice[0]}'", "--passages", hint)
    return tuple(f"{name}={source}" for name, source in zip(names, sources, strict=True))


def _without_titles(source: str, folder: Path) -> str:
    if not source.endswith(PASSAGES_SUFFIX):
        hint = f"Give a {PASSAGES_SUFFIX} file of passages, or leave out --untitled"
        raise ConfigError("only passages can be indexed without titles", source, hint)
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
