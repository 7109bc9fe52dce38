"""What every section of the configuration is."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class BaseConfig(BaseModel):
    """Frozen values; an unknown key is an error. What checks them is made on first use."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    changes_no_row: ClassVar[frozenset[str]] = frozenset()
    """Settings that no table depends on, such as sizes of batches."""

    def decisive(self) -> dict[str, Any]:
        """Return the settings that tables depend on."""
        found = self.model_dump(exclude=set(self.changes_no_row))
        inner = ((name, getattr(self, name)) for name in found)
        return found | {name: config.decisive() for name, config in inner if isinstance(config, BaseConfig)}
