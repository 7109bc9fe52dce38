"""Sentences of several kinds, for comparing our pipeline with spaCy's own."""

import json
from pathlib import Path

import pytest

CARB = Path(__file__).parents[3] / "shared/data/openie_carb_dev/gold.jsonl"
SENTENCES = (
    "Table VBBS, which held status fields, is replaced by table VBBE in SAP S/4HANA.",
    "You can use transaction VA01 to create sales orders; it does not support pool tables.",
    "There's a report that isn't gonna run, and they've got to adapt it before May 2026.",
    "Let's see: I ain't sure y'all can do it; there is none.",
    "  It   reads\tKONV \n and writes PRCD_ELEMENTS.  Then it ends.",
    "He said he had met her; what they did, she does better than most of us would've.",
    "Drop (or rename) the 2,300 columns -- e.g. `kunnr` -- that nobody's programs read!",
    "Berlin-based SAP SE paid $ 4.25 million on 3 March 2019 to Mr. Smith, its then CFO.",
    "",
    " ",
    "§ … ?! 🙂 \u200b",
    "word",
)


@pytest.fixture(scope="session", params=[40, pytest.param(None, marks=pytest.mark.slow)])
def sentences(request: pytest.FixtureRequest) -> list[str]:
    """Own sentences, and some or all of CaRB's development set where it is at hand."""
    lines = CARB.read_text("utf-8").splitlines() if CARB.exists() else []
    of_carb = dict.fromkeys(json.loads(line)["sentence"] for line in lines)
    return [*SENTENCES, *list(of_carb)[: request.param]]
