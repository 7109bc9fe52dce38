"""Make the stores that the frameworks' retrievers search; runs where documents can be indexed.

python -m tests.frameworks.make_stores FOLDER
"""

import sys
from pathlib import Path
from shutil import copy

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index

CORPUS = Path(__file__).parents[2] / "examples" / "corpus"
NAMES = ("pdf/sales-and-atp-cookbook.pdf", "md/sales-function-successors.md")
STAFF = "# Gateway\n\nThe Gateway replaces the Spooler. The Gateway needs the Driver.\n"
BOARD = "# Zephyr\n\nThe Gateway funds Zephyr. Quorum threatens the merger with Zephyr.\n"
ACCESS = {
    "enabled": True,
    "rules": [{"path": "staff/**", "labels": ["staff"]}, {"path": "board/**", "labels": ["board"]}],
}


def main(folder: Path) -> None:
    """Make `plain`, of two documents of the example corpus, and `labelled`, of one per label."""
    plain, labelled = folder / "plain-docs", folder / "labelled-docs"
    plain.mkdir()
    for name in NAMES:
        copy(CORPUS / name, plain)
    for label, text in (("staff", STAFF), ("board", BOARD)):
        (labelled / label).mkdir(parents=True)
        (labelled / label / f"{label}.md").write_text(text)
    for source, access in ((plain, {}), (labelled, ACCESS)):
        store = folder / source.name.removesuffix("-docs")
        settings = {"sources": [str(source)], "store": str(store), "access": access}
        run_index(load_config(overrides=settings | {"load": {"vector_store": "none"}}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
