"""Build the PDF, DOCX and XLSX documents of the example corpus from examples/sources.

The result is the same byte for byte on every run, so a rebuild leaves the work tree clean.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from corpus_builder.blocks import parse_markdown
from corpus_builder.office import render_docx, render_xlsx
from corpus_builder.pdf import render_pdf

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
CORPUS = HERE / "corpus"


def rendered_documents(sources: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the relative path and the bytes of each binary document."""
    for kind, render in (("pdf", render_pdf), ("docx", render_docx)):
        for path in sorted((sources / kind).glob("*.md")):
            document = parse_markdown(path.read_text(encoding="utf-8"))
            yield f"{kind}/{path.stem}.{kind}", render(document)
    for path in sorted((sources / "xlsx").iterdir()):
        yield f"xlsx/{path.name}.xlsx", render_xlsx(path)


def build_corpus(out: Path) -> list[Path]:
    """Write all binary documents below a folder and return their paths."""
    written: list[Path] = []
    for name, content in rendered_documents(SOURCES):
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        written.append(target)
    return written


def main() -> None:
    """Parse the command line and build the corpus."""
    parser = argparse.ArgumentParser(description="Build the binary documents of the corpus.")
    parser.add_argument("--out", type=Path, default=CORPUS, help="target folder")
    out: Path = parser.parse_args().out
    sys.stdout.writelines(f"{path}\n" for path in build_corpus(out))


if __name__ == "__main__":
    main()
