"""Index the example corpus with facts and summaries by SmolLM2; show some, and what they took."""

import subprocess
import sys
from tempfile import TemporaryDirectory

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.local_llm.conftest import ROOT, served
from tests.local_llm.test_small_model import CALM, settings

SHOWN = 3


def main() -> None:
    with served() as url, TemporaryDirectory() as store:
        given = {
            "store": store,
            "sources": [str(ROOT / "examples" / "corpus")],
            "load": {"vector_store": "none"},
            "extract": {"extractor": "hybrid", "llm": {"output_tokens": 100}},
            "communities": {"summarizer": "llm", "resolutions": [1.0]},
            "llm": settings(url, parameters=CALM).model_dump(),
        }
        run_index(load_config(None, overrides=given))
        snapshot = Store(store).open()
        for name in ("triples", "declined"):
            rows = snapshot.table(name).to_pylist()
            told = [row for row in rows if row.get("extractor", "llm") == "llm"]
            sys.stdout.write(f"{len(told)} {'adopted' if name == 'triples' else name}\n")
            for row in told[:SHOWN]:
                why = f" ({row['reason']})" if "reason" in row else ""
                sys.stdout.write(f"  {row['head']} | {row['relation']} | {row['tail']}{why}\n")
        sys.stdout.write("\n")
        rows = snapshot.table("communities").to_pylist()
        for row in sorted(rows, key=lambda row: -row["size"])[:SHOWN]:
            sys.stdout.write(f"{row['title']} ({row['size']} entities)\n{row['summary']}\n\n")
        sys.stdout.flush()
        line = [sys.executable, "-m", "graphrag_tasks", "spending", "--store", store]
        subprocess.run(line, check=True)  # noqa: S603


if __name__ == "__main__":
    main()
