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
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from graphrag_tasks.embed.model_files import RERANKER, find_model, load_weights, read_config, read_tensor

PASSAGE, ANSWER = 1, 2  # Marks of tokens, as in `training.windows`.
FROZEN = ("bert.embeddings.", "bert.encoder.layer.0.", "bert.encoder.layer.1.")
RATE, HEAD_RATE, BETAS, BATCH, DROPOUT = 1.5e-4, 4.5e-4, (0.9, 0.98), 32, 0.05
WARM, DECAY, LEAST = 40, 0.2, 0.02  # Steps until the full rate, the share in which it decays, and what is left of it.
POOL = 32  # Batches whose windows are ordered by length.
KEPT = 0.998  # Of the moving average of weights, at each step.
CHECKPOINTS = (0.6, 0.8, 1.0)  # Shares of the steps after which it is taken into the mean that is written.
LONGEST_SPAN = 30  # Tokens.

Rows = NDArray[np.int64]


class Windows:
    """The archive, batch by batch."""

    def __init__(self, file: Path, device: str) -> None:
        self._data, self._device = dict(np.load(file)), device
        self.lengths = np.diff(self._data["ends"], prepend=0)
        self.kinds, self.is_dev = self._data["kind"], self._data["is_dev"]

    def batches(self, rows: Rows, draw: np.random.Generator) -> Iterator[Rows]:
        """Yield the rows of batches, each of windows of about the same length."""
        rows = draw.permutation(rows)
        for at in range(0, len(rows), BATCH * POOL):
            pool = rows[at : at + BATCH * POOL]
            pool = pool[np.argsort(self.lengths[pool], kind="stable")]
            parts = np.array_split(pool, range(BATCH, len(pool), BATCH))
            for number in draw.permutation(len(parts)):
                yield parts[number]

    def tensors(self, rows: Rows) -> dict[str, Any]:
        """Return tokens, mask, types and marks of rows, and which are the project's."""
        shape = (len(rows), int(self.lengths[rows].max()))
        made = {name: np.zeros(shape, np.int64) for name in ("tokens", "mask", "types", "marks")}
        for place, row in enumerate(rows):
            length, end = self.lengths[row], self._data["ends"][row]
            made["tokens"][place, :length] = self._data["tokens"][end - length : end]
            made["marks"][place, :length] = self._data["marks"][end - length : end]
            made["mask"][place, :length] = 1
            made["types"][place, self._data["asked"][row] : length] = 1
        made["project"] = self.kinds[rows] == "project"
        return {name: torch.tensor(value, device=self._device) for name, value in made.items()}


class Reader:
    """BERT with a head for the window and one for spans; its tensors have their names in the archive."""

    def __init__(self, layers: Path | None, device: str) -> None:
        files = find_model(RERANKER)
        stored = load_weights((files.weights[0], layers) if layers else files.weights)
        self.config = read_config(files)
        self.weights = {
            name: torch.tensor(read_tensor(stored, name), device=device)
            for name in sorted({name.partition("#")[0] for name in stored})
        }
        if "span.weight" not in self.weights:
            self.weights["span.weight"] = torch.randn(3, self.config.hidden_size, device=device) * 0.02
            self.weights["span.bias"] = torch.zeros(3, device=device)

    def learnt(self) -> dict[str, Any]:
        """Return the tensors that are trained, by name."""
        return {name: tensor for name, tensor in self.weights.items() if not name.startswith(FROZEN)}

    def read(self, batch: dict[str, Any], dropout: float = 0.0) -> tuple[Any, Any]:
        """Return the log-odds of windows, shape (b,), and of their tokens, shape (b, s, 3)."""
        mask, table = batch["mask"], "bert.embeddings.{}_embeddings.weight"
        states = (
            self.weights[table.format("word")][batch["tokens"]]
            + self.weights[table.format("token_type")][batch["types"]]
        )
        states = states + self.weights[table.format("position")][: mask.shape[1]]
        with torch.autocast(mask.device.type, torch.bfloat16):
            states = self._norm(states, "bert.embeddings")
            for layer in range(self.config.layers):
                name = f"bert.encoder.layer.{layer}."
                states = self._layer(states, mask, name, 0.0 if name in FROZEN else dropout)
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            whole = self._dense(torch.tanh(self._dense(mean + states[:, 0], "mid")), "out").squeeze(-1)
            spans = self._dense(states, "span")
        slope, intercept = self.config.calibration
        return whole.float() * slope + intercept, spans.float()

    def _layer(self, states: Any, mask: Any, name: str, dropout: float) -> Any:  # noqa: ANN401 - tensors
        def heads(part: str) -> Any:  # noqa: ANN401
            projected = self._dense(states, f"{name}attention.self.{part}")
            return projected.unflatten(-1, (self.config.heads, -1)).transpose(1, 2)

        query, key, value = map(heads, ("query", "key", "value"))
        context = functional.scaled_dot_product_attention(query, key, value, mask[:, None, None].bool())
        joined = self._dense(context.transpose(1, 2).flatten(2), f"{name}attention.output.dense")
        states = self._norm(states + functional.dropout(joined, dropout), f"{name}attention.output")
        inner = functional.gelu(self._dense(states, f"{name}intermediate.dense"))
        outer = functional.dropout(self._dense(inner, f"{name}output.dense"), dropout)
        return self._norm(states + outer, f"{name}output")

    def _dense(self, states: Any, name: str) -> Any:  # noqa: ANN401
        return functional.linear(states, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, states: Any, name: str) -> Any:  # noqa: ANN401
        scale, bias = (self.weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return functional.layer_norm(states.float(), scale.shape, scale, bias, self.config.layer_norm_eps)


def loss_of(batch: dict[str, Any], whole: Any, spans: Any) -> Any:  # noqa: ANN401
    """Return the loss of a batch.

    SQuAD tells the first and last token of an answer. The project's gold are sentences: each of their tokens may be the
    first or last, and which of them are in the answer is unknown.
    """
    inside, passage = batch["marks"] == ANSWER, batch["marks"] >= PASSAGE
    answers, project, count = inside.any(1), batch["project"][:, None], inside.cumsum(1)
    first = torch.zeros_like(inside)
    first[:, 0] = True
    loss = functional.binary_cross_entropy_with_logits(whole, answers.float())
    for place, of_people in enumerate((count == 1, count == count[:, -1:])):
        chances = spans[..., place].masked_fill(~(passage | first), -torch.inf).log_softmax(1)
        right = torch.where(answers[:, None], inside & (project | of_people), first)
        loss = loss - chances.masked_fill(~right, -torch.inf).logsumexp(1).mean()
    known = passage & ~(project & answers[:, None])
    each = functional.binary_cross_entropy_with_logits(spans[..., 2], inside.float(), reduction="none")
    return (loss + ((each * known).sum(1) / passage.sum(1)).mean()) / 2


def train(windows: Windows, reader: Reader, epochs: int) -> None:
    """Tune a reader; it ends with the mean of the checkpoints."""
    rows = np.flatnonzero(~windows.is_dev)
    steps = epochs * sum(1 for _ in windows.batches(rows, np.random.default_rng(0)))
    learnt = reader.learnt()
    head = [learnt[name].requires_grad_() for name in learnt if name.startswith("span.")]
    others = [learnt[name].requires_grad_() for name in learnt if not name.startswith("span.")]
    groups = [{"params": others}, {"params": head, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, RATE, BETAS, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / WARM, max(LEAST, (1 - step / steps) / DECAY))
    )
    moving = {name: tensor.detach().clone() for name, tensor in learnt.items()}
    mean = {name: torch.zeros_like(tensor) for name, tensor in moving.items()}
    draw, checkpoints = np.random.default_rng(0), [round(share * steps) for share in CHECKPOINTS]
    order = (batch for _ in range(epochs) for batch in windows.batches(rows, draw))
    for step, chosen in enumerate(order, 1):
        batch = windows.tensors(chosen)
        loss = loss_of(batch, *reader.read(batch, DROPOUT))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*head, *others], 1.0)
        optimizer.step()
        schedule.step()
        kept = min(KEPT, step / (step + 9))
        for name, tensor in moving.items():
            tensor.lerp_(learnt[name].detach(), 1 - kept)
            mean[name] += tensor * (checkpoints.count(step) / len(checkpoints))
        if step % 50 == 0 or step == steps:
            print(f"step {step} of {steps}: loss {loss.item():.3f}", flush=True)
    reader.weights |= mean


def by_rows(weights: dict[str, Any]) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """Yield the tensors of the layers; matrices as int8 rows and their scales."""
    for name, tensor in weights.items():
        value = tensor.float().cpu().numpy()
        if "word_embeddings" in name:
            continue
        if value.ndim > 1 and len(value) > 3:
            scale = np.maximum(np.abs(value).max(1), 1e-9) / 127
            yield f"{name}#q", np.rint(value / scale[:, None]).astype(np.int8)
            yield f"{name}#s", scale.astype(np.float32)
        else:
            yield name, value.astype(np.float16)


def margins(windows: Windows, reader: Reader, rows: Rows) -> NDArray[np.float32]:
    """Return by how much the best span of each window is better than no answer."""
    found = np.zeros(len(windows.lengths), np.float32)
    for chosen in windows.batches(rows, np.random.default_rng(0)):
        batch = windows.tensors(chosen)
        with torch.no_grad():
            begin, end, _ = reader.read(batch)[1].unbind(-1)
        sums = begin[:, :, None] + end[:, None]
        passage = batch["marks"] >= PASSAGE
        spans = (passage[:, :, None] & passage[:, None]).triu().tril(LONGEST_SPAN - 1)
        best = sums.masked_fill(~spans, -torch.inf).amax((1, 2))
        found[chosen] = (best - begin[:, 0] - end[:, 0]).cpu().numpy()
    return found[rows]


def main() -> None:
    """Train, write `layers.npz`, and print how well its margins part answerable windows from the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="layers.npz of a reader; by default the reranker's")
    parser.add_argument("--epochs", type=int, default=1)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    windows, reader = Windows(given.data, device), Reader(given.start, device)
    train(windows, reader, given.epochs)
    given.out.mkdir(parents=True, exist_ok=True)
    layers: dict[str, Any] = dict(by_rows(reader.weights))
    np.savez_compressed(given.out / "layers.npz", **layers)
    rows = np.flatnonzero(windows.is_dev)
    found, kinds = margins(windows, Reader(given.out / "layers.npz", device), rows), windows.kinds[rows]
    for kind in sorted({*kinds.tolist()} - {"answerable"}):
        area = np.mean(found[kinds == "answerable"][:, None] > found[kinds == kind])
        print(f"answerable against {kind}: AUC {area:.3f} of {np.sum(kinds == kind)} windows")


if __name__ == "__main__":
    main()
