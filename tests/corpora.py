"""Small corpora in a folder: written, configured and indexed, without a vector server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.operations.runner import run_index


def configured(folder: Path, **overrides: Any) -> Config:
    """Return a configuration of `corpus` and `store` in a folder."""
    base = {"store": str(folder / "store"), "sources": [str(folder / "corpus")]}
    return load_config(overrides=base | overrides, environ={})


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the documents of a corpus, by their paths."""
    for name, text in texts.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def made(folder: Path, texts: Mapping[str, str], **overrides: Any) -> Config:
    """Write and index a corpus, and return its configuration."""
    write(folder, texts)
    config = configured(folder, **overrides)
    run_index(config, workers=1)
    return config
