"""Both engines on a tiny model: equal vectors, bytes that depend on the text alone, no reports."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag_tasks.embed.local import LocalEmbedder

needs_openvino = pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
TEXTS = ["a", "b c", "d e f g h i", "a b c d e f g h i j k l m n o p q r s t u v w x y z", ""]


@needs_openvino
def test_openvino_gives_the_vectors_of_onnxruntime(tiny_model: Path) -> None:
    found = [
        LocalEmbedder(tiny_model, max_tokens=16, engine=name).encode(TEXTS) for name in ("openvino", "onnxruntime")
    ]
    np.testing.assert_allclose((found[0] * found[1]).sum(axis=1), 1, atol=1e-3)


@needs_openvino
@pytest.mark.parametrize("settings", [{"threads": 1}, {"threads": 2}, {"batch_tokens": 1}])
def test_bytes_by_openvino_depend_on_the_text_alone(tiny_model: Path, settings: dict[str, Any]) -> None:
    together = LocalEmbedder(tiny_model, max_tokens=16, engine="openvino").encode(TEXTS)
    other = LocalEmbedder(tiny_model, max_tokens=16, engine="openvino", **settings)
    alone = [other.encode([text])[0] for text in TEXTS]
    assert together.tobytes() == b"".join(vector.tobytes() for vector in alone)


@needs_openvino
def test_a_graph_is_compiled_once_and_again_where_the_copy_is_damaged(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CACHE", str(tmp_path))

    def encoded() -> bytes:
        return LocalEmbedder(tiny_model, max_tokens=16, engine="openvino").encode(TEXTS).tobytes()

    first = encoded()
    (kept,) = tmp_path.rglob("*.blob")
    made = kept.stat().st_mtime_ns
    assert encoded() == first
    assert kept.stat().st_mtime_ns == made
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes()[:1000])
    assert encoded() == first
    assert kept.stat().st_size > 1000


@needs_openvino
def test_openvino_comes_without_what_it_reports() -> None:
    code = (
        "import sys; from graphrag_tasks.embed.engine import engine_name; engine_name('auto'); "
        "from graphrag_tasks.embed.engine import _openvino; _openvino(); "
        "sys.exit('openvino_telemetry' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


@needs_openvino
def test_a_process_forked_from_one_where_openvino_ran_has_onnxruntime(tiny_model: Path) -> None:
    code = """
import os, sys
from graphrag_tasks.embed.local import LocalEmbedder
embedder = LocalEmbedder(sys.argv[1], max_tokens=16, engine="openvino")
before = embedder.encode(["a b"])
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
assert embedder.engine.startswith("onnxruntime"), embedder.engine
assert abs(before - embedder.encode(["a b"])).max() < 0.05
"""
    run = [sys.executable, "-W", "ignore", "-c", code, str(tiny_model)]
    subprocess.run(run, check=True, timeout=60)  # noqa: S603
