"""Filters of a vector server's search, as Milvus expressions from validated values."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from graphrag_tasks.core.config import LABEL_PATTERN
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.embed.vectors.fields import LABELS

Where = Mapping[str, Collection[str]]  # Allowed values by scalar field: a row must have one of them.

ANYWHERE: Where = MappingProxyType({})

_VALUE = re.compile(r"[\w.:/+-]{1,64}", re.ASCII)
_LABEL = re.compile(LABEL_PATTERN)


def condition(where: Where) -> str:
    """Return the filter expression for rows in which every field has an allowed value."""
    return " and ".join(_one_of(field, list(values)) for field, values in where.items())


def _one_of(field: str, values: list[str]) -> str:
    pattern = _LABEL if field == LABELS else _VALUE
    odd = [value for value in values if not pattern.fullmatch(value)]
    if odd or not (field.isascii() and field.isidentifier()):
        raise QueryError(f"a filter may not hold {odd or field!r}", f"filters, {field}")
    listed = json.dumps(values)
    return f"array_contains_any({field}, {listed})" if field == LABELS else f"{field} in {listed}"
