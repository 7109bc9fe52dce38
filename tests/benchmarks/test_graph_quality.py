"""The gate on other people's manuals: their terms are in the graph, and their hubs are found."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.glossaries import GLOSSARIES
from benchmarks.graph_quality import indexed, measured

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fetch_corpora.sh"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("apt-get") is None:
        pytest.skip("the corpora are packages of Debian, and apt-get is missing")
    folder = tmp_path_factory.mktemp("corpora")
    environment = {**os.environ, "PYTHON": sys.executable}
    command = ["/bin/bash", str(SCRIPT), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        pytest.skip(f"the corpora cannot be fetched: {done.stderr.decode()[-200:]}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("corpus", sorted(GLOSSARIES))
def test_terms_and_hubs_of_a_foreign_corpus(corpora: Path, tmp_path: Path, corpus: str) -> None:
    found = measured(corpus, corpora / corpus, indexed(corpora / corpus, tmp_path))
    assert len(found.terms) >= 30
    assert len(found.missed) <= 0.18 * len(found.terms), found
    assert len(found.junk) <= 2, found
    assert len(found.unknown) <= 3, found
