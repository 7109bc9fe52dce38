"""The three measures of RAGAS beside those of its own package, on thirty scripted cases."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client
from graphrag_tasks.workbench.judges import Answered, Judge
from graphrag_tasks.workbench.judges.verdicts import (
    FAITHFULNESS,
    PRECISION,
    RELEVANCY,
    context_precision,
    faithful,
    relevant,
)
from tests.llm.endpoint import scripted
from tests.ragas.cases import GUESSES, Guesses, cases, named, vector

pytestmark = pytest.mark.ragas

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-ragas" / "bin" / "python"
MOST = 0.001


class Scripted:
    """Answers as the judge of `theirs.py` does, in our forms."""

    def __init__(self) -> None:
        self._cases = {one.number: one for one in cases()}
        self._guesses = Guesses()

    def __call__(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][1]["content"]
        form = body["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps(self._verdict(form, prompt))

    def _verdict(self, form: dict[str, Any], prompt: str) -> dict[str, Any]:
        if "evasive" in form:
            question, evasive = self._guesses.next(prompt)
            return {"question": question, "evasive": evasive}
        if "relevant" in form:
            number, place = named(prompt, "passage")
            return {"reason": "", "relevant": self._cases[number].relevant[place]}
        if "statements" in form:
            return {"statements": self._cases[named(prompt, "answer")[0]].statements}
        supported = self._cases[named(prompt, "statement")[0]].supported
        said = enumerate(supported, 1)
        return {"verdicts": [{"statement": number, "reason": "", "supported": one} for number, one in said]}


def ours() -> list[dict[str, float | None]]:
    answers = [
        Answered(str(one.number), one.question, one.reference, one.answer, tuple(one.passages)) for one in cases()
    ]
    with scripted(answer=Scripted()) as endpoint:
        config = {"base_url": endpoint.url, "model": "scripted", "budget": {"usd": 0}}
        client = Client(LlmConfig.model_validate(config))
        once = Judge(client, votes=1)
        precision = [both[1] for both in context_precision(once, answers)]
        supported = faithful(once, answers)
        near = relevant(Judge(client, votes=GUESSES), answers, encode)
    return [
        {PRECISION: one.value, FAITHFULNESS: two.value, RELEVANCY: three.value}
        for one, two, three in zip(precision, supported, near, strict=True)
    ]


def encode(texts: list[str]) -> np.ndarray:
    return np.array([vector(one) for one in texts], dtype=np.float32)


def test_each_figure_is_that_of_the_package() -> None:
    if not PYTHON.exists():
        pytest.skip("ragas is not installed: make test-ragas")
    said = subprocess.run(  # noqa: S603 - a file of ours
        [str(PYTHON), "-W", "ignore", "theirs.py"], cwd=HERE, check=True, capture_output=True, text=True, timeout=300
    )
    theirs = json.loads(said.stdout)
    found = ours()
    assert len(found) == len(theirs) == len(cases())
    for name in (PRECISION, FAITHFULNESS, RELEVANCY):
        differences = [abs(one[name] - other[name]) for one, other in zip(found, theirs, strict=True)]
        assert max(differences) <= MOST, name
        assert len({one[name] for one in theirs}) > 5, "the cases tell nothing apart"
