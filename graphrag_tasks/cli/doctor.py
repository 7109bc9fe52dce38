"""`graphrag-tasks doctor`: what is missing here, and the command that fixes it."""

from __future__ import annotations

from dataclasses import asdict

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config


def doctor(
    store: StoreOption = None, config: ConfigOption = None, json: JsonOption = False
) -> None:
    """Check packages, model weights and the store."""
    from graphrag_tasks.operations.doctor import examine

    checks = examine(load_config(config, overrides={"store": store}))
    if json:
        print_json([asdict(check) for check in checks])
    else:
        rows = [(check.name, "ok" if check.ok else "FAILED", check.found, check.fix)
                for check in checks]  # fmt: skip
        CONSOLE.print(table("Doctor", ("check", "result", "found", "how to fix"), rows))
    if not all(check.ok for check in checks):
        raise typer.Exit(1)
