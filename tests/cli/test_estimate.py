"""What a run would ask a language model, as the command says it, beside what it then costs."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from tests.llm.endpoint import scripted

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_probe_foretells_the_bill(tmp_path: Path) -> None:
    with scripted() as endpoint:
        settings = tmp_path / "graphrag.toml"
        settings.write_text(f"""
            store = "{tmp_path / "store"}"
            sources = ["{ROOT / "examples" / "corpus"}"]
            [load]
            vector_store = "none"
            [extract]
            extractor = "llm"
            [llm]
            base_url = "{endpoint.url}"
            model = "m"
            [llm.prices.m]
            input = 1
            output = 4
        """)

        def run(*line: str) -> str:
            found = CliRunner().invoke(app, [*line, "--config", str(settings)])
            assert found.exit_code == 0, found.output
            return found.stdout

        told = json.loads(run("estimate", "--probe", "24", "--json"))
        assert (told["learned_from"], told["total"]["known"]) == (24, 24)
        assert endpoint.requests == 24
        assert "extract (hybrid)" in run("estimate")
        run("index")
        assert endpoint.requests == 24 + told["total"]["requests"]
        (bill,) = json.loads(run("spending", "--json"))
        low, expected, high = (Decimal(one) + Decimal(told["spent"]) for one in told["total"]["usd"])
        assert low <= Decimal(bill["usd"]) <= high
        assert abs(expected / Decimal(bill["usd"]) - 1) < Decimal("0.08")
