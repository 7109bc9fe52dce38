"""Settings of the pages that Airflow's UI shows of what was published."""

from __future__ import annotations

from pydantic import Field

from graphrag_tasks.core.config.access import Label
from graphrag_tasks.core.config.base import BaseConfig


class PagesConfig(BaseConfig):
    """What the pages show of snapshots with access labels (see `graphrag_tasks.inspect.pages`)."""

    principals: tuple[Label, ...] | None = Field(
        None,
        description="labels that everybody who may see the pages holds; none set: a snapshot "
        "with labels is not shown",
    )
