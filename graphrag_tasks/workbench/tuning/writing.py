"""Write a tuned model as a folder for `embed.model` or `retrieval.rerank.model`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors.numpy import save_file

from graphrag_tasks.storage.scratch import scratch
from graphrag_tasks.workbench.tuning.bert import Bert

_ALSO = ("modules.json", "1_Pooling/config.json", "config_sentence_transformers.json")
"""Files of sentence-transformers about pooling and prompts."""


def write_model(bert: Bert, folder: Path, *, calibration: tuple[float, float] = (1.0, 0.0), card: str = "") -> None:
    """Write float16 weights with the other files of the original model.

    `calibration` turns a reranker's score into log-odds; `card` is the text of `README.md`.
    """
    folder.mkdir(parents=True)
    config = json.loads(bert.files.config.read_text("utf-8"))
    if bert.head:
        config["calibration"] = calibration
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    shutil.copy(bert.files.tokenizer, folder / "tokenizer.json")
    for name in _ALSO:
        if (there := bert.files.config.parent / name).is_file():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(there, folder / name)
    save_file(bert.tensors(bert.parameters), folder / "model.safetensors")
    if card:
        (folder / "README.md").write_text(card, "utf-8")


@contextmanager
def written(bert: Bert) -> Iterator[Path]:
    """Yield a temporary folder with a tuned model."""
    with scratch() as place:
        folder = place / "model"
        write_model(bert, folder)
        yield folder
