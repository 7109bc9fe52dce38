"""Output of `index --access`: who will see which documents, by which rule or file."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from graphrag_tasks.cli.output import table

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_DOCUMENTS = 40  # With more documents, folders are printed instead, so that it fits a screen or two.
_NAMES = {"uri": "uri", "labels": "labels", "labels_from": "from", "labels_error": "error"}


def access_of(listed: pa.Table) -> list[dict[str, Any]]:
    """Return `uri`, `labels`, `from` and `error` of each document; null labels mean labels off."""
    rows: list[dict[str, Any]] = listed.select(list(_NAMES)).rename_columns(_NAMES).to_pylist()
    return rows


def access_table(documents: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of who sees what: by document, or by folder if there are many."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for document in documents:
        is_alone = len(documents) <= _MOST_DOCUMENTS
        place = document["uri"] if is_alone else posixpath.dirname(document["uri"])
        groups[place, _seen_by(document["labels"]), document["from"] or document["error"] or ""].append(document["uri"])
    rows = [
        (uris[0] if len(uris) == 1 else f"{place}/ ({len(uris):,})", labels, why)
        for (place, labels, why), uris in groups.items()
    ]
    return table("Who sees what", ("documents", "labels", "from"), rows)


def _seen_by(labels: Sequence[str] | None) -> str:
    if labels is None:
        return "off: everybody sees it"
    return ", ".join(labels) or "none: nobody sees it"
