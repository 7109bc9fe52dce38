"""What all settings have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class BaseConfig(BaseModel):
    """Frozen values; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
