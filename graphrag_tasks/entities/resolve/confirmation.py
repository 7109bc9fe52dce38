"""Confirmation: who may be asked about pairs that the rules leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from graphrag_tasks.entities.resolve.candidates import Name


class Confirmer(Protocol):
    """Judges pairs of the borderline band, such as a language model does.

    It is asked once for all pairs of a run, in the order of their keys, and after the rules: a
    guard keeps a pair apart whatever it says.

    Attributes:
        fingerprint: What its answers depend on: model, prompt and version.
    """

    fingerprint: str

    def confirm(self, pairs: Sequence[tuple[Name, Name]]) -> Sequence[bool | None]:
        """Return for each pair whether it is one thing; None leaves it open."""
        ...
