"""Documents that a scripted model reads, up to what is adopted."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.pipeline import SHARD_STAGES, Run
from tests.llm.endpoint import Body, Script, ScriptedEndpoint

Row = dict[str, Any]
Fact = tuple[int, str, str, str]  # Number of the sentence, head, relation, tail.


def shown(body: Body) -> dict[int, str]:
    """Return the numbered sentences of a request."""
    lines = body["messages"][1]["content"].splitlines()
    found = (re.fullmatch(r"(\d+) (.*)", line) for line in lines)
    return {int(one[1]): one[2] for one in found if one}


def answer(*facts: Fact, weight: float = 1.0) -> str:
    names = ("sentence", "head", "relation", "tail")
    relations = [dict(zip(names, fact, strict=True)) | {"weight": weight} for fact in facts]
    return json.dumps({"entities": [], "relations": relations})


@dataclass(frozen=True)
class Reading:
    """What a run has after `adopt`, for all shards together."""

    run: Run
    tables: Mapping[str, list[Row]]

    def triples(self, extractor: str = "llm") -> list[tuple[str, str, str]]:
        rows = self.tables["adopted_triples"]
        return [(row["head"], row["relation"], row["tail"]) for row in rows if row["extractor"] == extractor]

    @property
    def reasons(self) -> list[str]:
        return [row["reason"] for row in self.tables["declined"]]


@dataclass(frozen=True)
class Reader:
    """Runs the stages of shards, and a model, on documents."""

    folder: Path
    endpoint: ScriptedEndpoint

    def config(self, **sections: Any) -> Config:
        llm = {
            "base_url": self.endpoint.url, "model": "m",
            "prices": {"m": {"input": 1, "output": 2}},
            **sections.pop("llm", {}),
        }  # fmt: skip
        given = {"store": str(self.folder / "store"), "sources": [str(self.folder / "docs")]}
        extract = {"extractor": "llm", **sections.pop("extract", {})}
        return load_config(overrides={**given, "llm": llm, "extract": extract, **sections})

    def read(self, documents: Mapping[str, str], **sections: Any) -> Reading:
        for name, text in documents.items():
            path = self.folder / "docs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run, _ = Run.start(self.config(**sections))
        for shard in run.shards:
            for stage in SHARD_STAGES:
                run.process_shard(stage, shard)
        run.ask()
        for shard in run.shards:
            run.process_shard("adopt", shard)
        names = ("windows", "replies", "sentences", "adopted_frames", "adopted_triples")
        names += ("answers", "declined", "triples", "frames")
        folders = [run.state.shard_tables(shard) for shard in run.shards]
        tables = {name: [row for folder in folders for row in folder.read_table(name).to_pylist()] for name in names}
        return Reading(run, tables)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Callable[..., Reader]]:
    """Make a reader whose model answers by a function of the sentences that it is shown."""
    started: list[ScriptedEndpoint] = []

    def make(tell: Callable[[dict[int, str]], str], **script: Any) -> Reader:
        endpoint = ScriptedEndpoint(Script(answer=lambda body: tell(shown(body)), **script))
        started.append(endpoint)
        return Reader(tmp_path / str(len(started)), endpoint)

    yield make
    for one in started:
        one.close()
