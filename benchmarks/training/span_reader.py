"""Train the reader of answers on the windows that `training.windows` has gathered.

    python -m benchmarks.training.span_reader --data FILE --out FOLDER [--start layers.npz]

The reranker, or other layers, get a head `span`: of each token the log-odds that the answer begins, ends, or is there
(Devlin et al., 2019; the first token stands for no answer, as on SQuAD 2.0). Word embeddings and the first layers stay
as they are, so the package has the embeddings once. Needs torch, and some hours on two cores or minutes on a GPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from graphrag_tasks.embed.model_files import RERANKER, find_model, load_weights, read_config, read_tensor

PASSAGE, ANSWER = 2, 3  # Marks of tokens, as in `training.windows`.
FROZEN = ("bert.embeddings.", "bert.encoder.layer.0.", "bert.encoder.layer.1.")
RATE, HEAD_RATE, BETAS, BATCH, DROPOUT = 1.5e-4, 4.5e-4, (0.9, 0.98), 32, 0.05
WARM, DECAY, LEAST = (40, 0.2, 0.02)  # Steps to the full rate, last share of steps, where it decays, and its least.
POOL = 32  # Batches whose windows are ordered by length.
KEPT = 0.998  # Of the moving average of weights, at each step.
CHECKPOINTS = (0.6, 0.8, 1.0)  # Shares of the steps after which it is taken into the mean that is written.
LONGEST_SPAN = 30  # Tokens.
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Rows = NDArray[np.int64]
Tensor = Any


class Batch(NamedTuple):
    """Tokens and marks of windows, shape (b, s), and which windows are the project's, shape (b, 1)."""

    tokens: Tensor
    marks: Tensor
    is_project: Tensor


class Windows:
    """The archive, batch by batch."""

    def __init__(self, file: Path) -> None:
        data = dict(np.load(file))
        self.kinds, self.is_dev = data["kind"], data["is_dev"]
        self._columns = [np.split(data[name], data["ends"][:-1]) for name in ("tokens", "marks")]
        self._lengths = np.diff(data["ends"], prepend=0)

    def batches(self, rows: Rows, draw: np.random.Generator) -> Iterator[Rows]:
        """Yield the rows of batches, each of windows of about the same length."""
        rows = draw.permutation(rows)
        for at in range(0, len(rows), BATCH * POOL):
            pool = rows[at : at + BATCH * POOL]
            pool = pool[np.argsort(self._lengths[pool], kind="stable")]
            parts = np.array_split(pool, range(BATCH, len(pool), BATCH))
            yield from (parts[number] for number in draw.permutation(len(parts)))

    def batch(self, rows: Rows) -> Batch:
        """Return windows, padded with zeros."""
        parts = [[torch.tensor(column[row].astype(np.int64)) for row in rows] for column in self._columns]
        tokens, marks = (torch.nn.utils.rnn.pad_sequence(part, batch_first=True).to(DEVICE) for part in parts)
        return Batch(tokens, marks, torch.tensor(self.kinds[rows] == "project", device=DEVICE)[:, None])


class Reader:
    """BERT with heads for windows and spans, built like `embed.bert_onnx`: tensors by their names in the archive."""

    def __init__(self, layers: Path | None) -> None:
        files = find_model(RERANKER)
        stored = load_weights((files.weights[0], layers) if layers else files.weights)
        self._config = read_config(files)
        head = {"span.weight": torch.randn(3, self._config.hidden_size) * 0.02, "span.bias": torch.zeros(3)}
        names = sorted({name.partition("#")[0] for name in stored})
        weights = head | {name: torch.tensor(read_tensor(stored, name)) for name in names}
        self.weights = {name: tensor.to(DEVICE) for name, tensor in weights.items()}

    def read(self, batch: Batch, dropout: float = 0.0) -> tuple[Tensor, Tensor]:
        """Return the log-odds of windows, shape (b,), and of their tokens, shape (b, s, 3)."""
        mask, types, weights = batch.tokens > 0, (batch.marks > 0).long(), self.weights
        word, place, kind = (f"bert.embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type"))
        states = weights[word][batch.tokens] + weights[place][: mask.shape[1]] + weights[kind][types]
        with torch.autocast(DEVICE, torch.bfloat16):
            states = self._norm(states, "bert.embeddings")
            for layer in range(self._config.layers):
                name = f"bert.encoder.layer.{layer}."
                states = self._layer(states, mask, name, 0.0 if name in FROZEN else dropout)
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            whole = self._dense(torch.tanh(self._dense(mean + states[:, 0], "mid")), "out")
            spans = self._dense(states, "span")
        slope, intercept = self._config.calibration
        return whole.float().squeeze(-1) * slope + intercept, spans.float()

    def _layer(self, states: Tensor, mask: Tensor, name: str, dropout: float) -> Tensor:
        names = (f"{name}attention.self.{part}" for part in ("query", "key", "value"))
        heads = (self._dense(states, part).unflatten(-1, (self._config.heads, -1)).transpose(1, 2) for part in names)
        context = functional.scaled_dot_product_attention(*heads, mask[:, None, None])
        joined = self._dense(context.transpose(1, 2).flatten(2), f"{name}attention.output.dense")
        states = self._norm(states + functional.dropout(joined, dropout), f"{name}attention.output")
        inner = functional.gelu(self._dense(states, f"{name}intermediate.dense"))
        outer = self._dense(inner, f"{name}output.dense")
        return self._norm(states + functional.dropout(outer, dropout), f"{name}output")

    def _dense(self, states: Tensor, name: str) -> Tensor:
        return functional.linear(states, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, states: Tensor, name: str) -> Tensor:
        scale, bias = (self.weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return functional.layer_norm(states.float(), scale.shape, scale, bias, self._config.layer_norm_eps)


def loss_of(batch: Batch, whole: Tensor, spans: Tensor) -> Tensor:
    """Return the loss of a batch.

    SQuAD tells the first and last token of an answer. The project's gold are sentences: each of their tokens may be the
    first or last, and which of them are in the answer is unknown.
    """
    inside, passage, is_project = batch.marks == ANSWER, batch.marks >= PASSAGE, batch.is_project
    answers, count = inside.any(1, keepdim=True), inside.cumsum(1)
    none = torch.zeros_like(inside)
    none[:, 0] = True
    loss = functional.binary_cross_entropy_with_logits(whole, answers[:, 0].float())
    for place, is_end in enumerate((count == 1, count == count[:, -1:])):
        right = torch.where(answers, inside & (is_project | is_end), none)
        chances = spans[..., place].masked_fill(~(passage | none), -torch.inf).log_softmax(1)
        loss = loss - chances.masked_fill(~right, -torch.inf).logsumexp(1).mean()
    each = functional.binary_cross_entropy_with_logits(spans[..., 2], inside.float(), reduction="none")
    known = passage & ~(is_project & answers)
    return (loss + ((each * known).sum(1) / passage.sum(1)).mean()) / 2


def train(windows: Windows, reader: Reader, epochs: int) -> None:
    """Tune a reader; it ends with the mean of the checkpoints."""
    rows = np.flatnonzero(~windows.is_dev)
    draw = np.random.default_rng(0)
    order = [chosen for _ in range(epochs) for chosen in windows.batches(rows, draw)]
    learnt = {name: tensor for name, tensor in reader.weights.items() if not name.startswith(FROZEN)}
    moving = {name: tensor.clone() for name, tensor in learnt.items()}
    mean = {name: torch.zeros_like(tensor) for name, tensor in learnt.items()}
    head = [learnt[name].requires_grad_() for name in ("span.weight", "span.bias")]
    others = [tensor.requires_grad_() for name, tensor in learnt.items() if not name.startswith("span.")]
    groups = [{"params": others}, {"params": head, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, RATE, BETAS, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / WARM, max(LEAST, (1 - step / len(order)) / DECAY))
    )
    taken = [round(share * len(order)) for share in CHECKPOINTS]
    for step, chosen in enumerate(order, 1):
        batch = windows.batch(chosen)
        loss = loss_of(batch, *reader.read(batch, DROPOUT))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*head, *others], 1.0)
        optimizer.step()
        schedule.step()
        for name, tensor in moving.items():
            tensor.lerp_(learnt[name].detach(), 1 - min(KEPT, step / (step + 9)))
            if step in taken:
                mean[name] += tensor / len(taken)
        if step % 50 == 0:
            print(f"step {step} of {len(order)}: loss {loss.item():.3f}", flush=True)
    reader.weights |= mean


def by_rows(weights: dict[str, Tensor]) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """Yield the tensors of the layers; matrices as int8 rows and their scales."""
    for name, tensor in weights.items():
        value = tensor.cpu().numpy()
        if value.ndim > 1 and len(value) > 3:
            scale = np.maximum(np.abs(value).max(1), 1e-9) / 127
            yield f"{name}#q", np.rint(value / scale[:, None]).astype(np.int8)
            yield f"{name}#s", scale.astype(np.float32)
        else:
            yield name, value.astype(np.float16)


def margins(windows: Windows, reader: Reader) -> NDArray[np.float32]:
    """Return by how much the best span of each window of development is better than no answer; 0 of others."""
    found = np.zeros(len(windows.kinds), np.float32)
    for chosen in windows.batches(np.flatnonzero(windows.is_dev), np.random.default_rng(0)):
        batch = windows.batch(chosen)
        with torch.no_grad():
            begin, end, _ = reader.read(batch)[1].unbind(-1)
        passage = batch.marks >= PASSAGE
        spans = (passage[:, :, None] & passage[:, None]).triu().tril(LONGEST_SPAN - 1)
        best = (begin[:, :, None] + end[:, None]).masked_fill(~spans, -torch.inf).amax((1, 2))
        found[chosen] = (best - begin[:, 0] - end[:, 0]).cpu().numpy()
    return found


def main() -> None:
    """Train, write `layers.npz`, and print how well its margins part answerable windows from the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="layers.npz of a reader; by default the reranker's")
    parser.add_argument("--epochs", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(0)
    windows, reader = Windows(given.data), Reader(given.start)
    train(windows, reader, given.epochs)
    given.out.mkdir(parents=True, exist_ok=True)
    del reader.weights["bert.embeddings.word_embeddings.weight"]
    layers: dict[str, Any] = dict(by_rows(reader.weights))
    np.savez_compressed(given.out / "layers.npz", **layers)
    found = margins(windows, Reader(given.out / "layers.npz"))
    right = found[windows.is_dev & (windows.kinds == "answerable")]
    for kind in ("asked", "left out", "other paragraph"):
        wrong = found[windows.is_dev & (windows.kinds == kind)]
        print(f"answerable against {kind}: AUC {np.mean(right[:, None] > wrong):.3f} of {len(wrong)} windows")


if __name__ == "__main__":
    main()
