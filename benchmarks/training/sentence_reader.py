"""Train the reader of single sentences, on what `training.sentences` has gathered.

    python -m benchmarks.training.sentence_reader --data DATA --out FOLDER

The reranker is tuned further on the sentences of each question's first eight chunks, with a listwise loss. (A binary
loss, by which questions without an answer have none, learns how their authors ask: then no sentence answers "Who
approves exemptions?", see benchmarks/README.md.) Never trained on: gnucash, gimp, and the SAP questions of the splits
test, held-out and fresh. Needs torch and transformers, and two minutes on a GPU.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.embed.model_files import RERANKER, find_model, load_weights

NEVER = ("gnucash", "gimp", "test", "held-out", "fresh")  # Corpora and splits that are kept apart.
FOLDS = (("grass", "lilypond"), ("hugin", "postgresql"), ("handbook", "libreoffice"), ("sap",))
NEAR, FAR, RATE, EPOCHS, BATCH = 12, 4, 6e-5, 3, 24
"""Wrong sentences of a question, near and others; learning rate, epochs, questions a step."""


class Trainer:
    """Tunes the reranker on rows of `prepare` with torch."""

    def __init__(self, data: Any) -> None:  # noqa: ANN401 - an archive of NumPy
        import torch
        import torch.nn.utils.parametrize
        from transformers import BertConfig, BertModel

        self.torch, self.device = torch, "cuda" if torch.cuda.is_available() else "cpu"
        files = find_model(RERANKER)
        shape = json.loads(files.config.read_text("utf-8"))
        self.slope, self.intercept = shape.pop("calibration")
        stored: dict[str, Any] = dict(load_weights(files.weights))
        weights = {}
        for name, value in stored.items():
            if name.endswith("#q"):
                value = value.astype(np.float32) * stored[f"{name[:-2]}#s"][:, None]
            weights[name.removesuffix("#q")] = torch.tensor(value.astype(np.float32))
        inner, hidden = weights["mid.weight"].shape

        class ByRows(torch.nn.Module):  # type: ignore[misc]
            """Rounds a matrix to int8 rows, as it is stored: what is smaller is not learnt."""

            def forward(self, matrix: Any) -> Any:  # noqa: ANN401
                scale = matrix.detach().abs().amax(1, keepdim=True).clamp(min=1e-9) / 127
                rounded = torch.round(matrix / scale) * scale
                return matrix + (rounded - matrix).detach()

        class Reader(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.bert = BertModel(BertConfig(**shape), add_pooling_layer=False)
                self.mid, self.out = torch.nn.Linear(hidden, inner), torch.nn.Linear(inner, 1)
                self.load_state_dict(weights, strict=False)
                self.bert.embeddings.word_embeddings.weight.requires_grad = False
                for layer in self.modules():
                    if isinstance(layer, torch.nn.Linear) and len(layer.weight) > 1:
                        torch.nn.utils.parametrize.register_parametrization(layer, "weight", ByRows())
                self.bert.embeddings.position_embeddings.weight.requires_grad = False

            def forward(self, ids: Any, mask: Any, types: Any) -> Any:  # noqa: ANN401
                given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
                states = self.bert(**given).last_hidden_state
                kept = mask.unsqueeze(-1)
                mean = (states * kept).sum(1) / kept.sum(1)
                return self.out(torch.tanh(self.mid(mean + states[:, 0]))).squeeze(-1)

        self.make, self.data = Reader, data
        self.starts = np.concatenate([[0], data["ends"][:-1]])

    def scores(self, model: Any, rows: NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Return the log-odds of rows, with gradients where the model is trained."""
        torch = self.torch
        parts = [self.data["tokens"][self.starts[row] : self.data["ends"][row]] for row in rows]
        ids = np.zeros((len(rows), max(map(len, parts))), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for at, (part, row) in enumerate(zip(parts, rows, strict=True)):
            ids[at, : len(part)], mask[at, : len(part)] = part, 1
            types[at, self.data["asked"][row] : len(part)] = 1
        given = (torch.tensor(one, device=self.device) for one in (ids, mask, types))
        with torch.autocast(self.device, torch.bfloat16):
            return model(*given).float() * self.slope + self.intercept

    def train(self, questions: NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Return a model that was tuned on questions."""
        torch, data = self.torch, self.data
        torch.manual_seed(0)
        rng = np.random.default_rng(0)
        model = self.make().to(self.device).train()
        learnt = [one for one in model.parameters() if one.requires_grad]
        optimizer = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
        steps = EPOCHS * (len(questions) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
        rows_by_question = rows_of_questions(data["question"])
        for _ in range(EPOCHS):
            rng.shuffle(questions)
            for first in range(0, len(questions) - BATCH + 1, BATCH):
                chosen = [self._chosen(rows_by_question[int(one)], rng) for one in questions[first : first + BATCH]]
                scores = self.scores(model, np.concatenate(chosen))
                parts = torch.split(scores, [len(rows) for rows in chosen])
                losses = [
                    (part.logsumexp(0) - part[data["gold"][rows]].logsumexp(0)) * float(data["weight"][rows[0]])
                    for part, rows in zip(parts, chosen, strict=True)
                ]
                optimizer.zero_grad()
                (sum(losses) / BATCH).backward()
                torch.nn.utils.clip_grad_norm_(learnt, 1.0)
                optimizer.step()
                schedule.step()
        return model.eval()

    def _chosen(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the gold of a question, and wrong sentences, most of which share its words."""
        is_gold = self.data["gold"][rows]
        wrong = rows[~is_gold][np.argsort(-self.data["shared"][rows][~is_gold], kind="stable")]
        near = rng.permutation(wrong[: 2 * NEAR])[:NEAR]
        others = rng.permutation(np.setdiff1d(wrong, near))[:FAR]
        return np.concatenate([rows[is_gold], near, others])

    def read(self, model: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:  # noqa: ANN401
        """Return the log-odds of rows, 512 at once."""
        with self.torch.no_grad():
            parts = [self.scores(model, rows[at : at + 512]) for at in range(0, len(rows), 512)]
        return np.concatenate([part.cpu().numpy() for part in parts])


def rows_of_questions(questions: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Return the rows of each question by its number."""
    found = np.unique(questions)
    starts = np.searchsorted(questions, found)
    parts = np.split(np.arange(len(questions)), starts[1:])
    return dict(zip(found.tolist(), parts, strict=True))


def train(data: Path, out: Path) -> None:
    """Write `layers.npz`, and in `read.npy` what models say of corpora that they have not seen."""
    archive = dict(np.load(data))
    trainer = Trainer(archive)
    never = np.isin(archive["corpus"], NEVER) | np.isin(archive["split"], NEVER)
    kept = ~never & np.isin(archive["question"], archive["question"][archive["gold"]])
    model = trainer.train(np.unique(archive["question"][kept]))
    out.mkdir(parents=True, exist_ok=True)
    _save(out / "layers.npz", dict(_by_rows(model.state_dict())))
    read = np.zeros(len(never), np.float32)
    read[never] = trainer.read(model, np.flatnonzero(never))
    for fold in FOLDS:
        inside = np.isin(archive["corpus"], fold) & ~never
        other = trainer.train(np.unique(archive["question"][kept & ~inside]))
        read[inside] = trainer.read(other, np.flatnonzero(inside))
    np.save(out / "read.npy", read)


def _save(file: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(file, **arrays)


def _by_rows(state: dict[str, Any]) -> Iterable[tuple[str, NDArray[np.generic]]]:
    """Yield the tensors of the layers; matrices as int8 rows and their scales."""
    for stored, tensor in state.items():
        name = stored.replace(".parametrizations.weight.original", ".weight")
        value = tensor.float().cpu().numpy()
        if "word_embeddings" in name or "position_ids" in name:
            continue
        if value.ndim > 1 and len(value) > 2:
            scale = np.maximum(np.abs(value).max(1), 1e-9) / 127
            yield f"{name}#q", np.rint(value / scale[:, None]).astype(np.int8)
            yield f"{name}#s", scale.astype(np.float32)
        else:
            yield name, value.astype(np.float16)


def main() -> None:
    """Train, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    train(given.data, given.out)


if __name__ == "__main__":
    main()
