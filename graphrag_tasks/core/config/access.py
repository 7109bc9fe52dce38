"""Settings of access labels: who may see which document (see `graphrag_tasks.sources.labels`)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from graphrag_tasks.core.config.base import BaseConfig

LABEL_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}"
"""What an access label looks like: no quotes, blanks or brackets, so it is safe in a filter."""

Label = Annotated[str, StringConstraints(pattern=f"^{LABEL_PATTERN}$")]


class AccessRule(BaseConfig):
    """The labels of the documents at some paths."""

    path: str = Field(
        min_length=1, description="path below the source's root: * in a folder, ** in all below"
    )
    labels: tuple[Label, ...] = Field(description="labels they get; none: nobody sees them")
    source: str | None = Field(None, description="name of the source; all by default")


class AccessConfig(BaseConfig):
    """Labels of documents; off, everybody sees everything."""

    enabled: bool = Field(False, description="documents have labels, and readers principals")
    rules: tuple[AccessRule, ...] = Field((), description="the first whose path fits counts")
    default: tuple[Label, ...] = Field(
        (), description="labels where no file and no rule says any; none: nobody sees them"
    )

    allow_disable: bool = Field(
        False, description="publish without labels, for everybody, documents that had some"
    )

    @model_validator(mode="after")
    def _rules_are_used(self) -> AccessConfig:
        if not self.enabled and (self.rules or self.default):
            raise ValueError("access.rules or access.default is set, but access.enabled is not")
        return self
