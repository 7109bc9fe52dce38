"""Frames of two arguments, which is all that a pattern in a line can find."""

from __future__ import annotations

from enum import StrEnum

from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.frames import Argument, Frame, Role
from graphrag_tasks.extract.linear.names import Name

EXTRACTOR_NAME = "linear"


class LinearRule(StrEnum):
    """The pattern that found a frame."""

    ALIAS = "alias"
    """A name and, in brackets, its short form: "Material Requirements Planning (MRP)"."""
    LABEL = "label"
    """A label and its value: "Service plan: standard"."""
    LIST_ITEM = "list_item"
    """What a list item is to the sentence that leads to the list."""
    COOKBOOK = "cookbook"
    """A command about two things: "Use VBBE instead of VBBS"."""
    ARROW = "arrow"
    """Two names with an arrow between them: "VBBS → VBBE"."""


CONFIDENCE = {
    LinearRule.ALIAS: 0.9,
    LinearRule.COOKBOOK: 0.7,
    LinearRule.LABEL: 0.6,
    LinearRule.LIST_ITEM: 0.55,
    LinearRule.ARROW: 0.5,
}
"""Set by hand; what `training/technical.py` learned of a rule goes before."""


def pair(
    rule: LinearRule, head: Name, relation: str, tail: Name, *, negated: bool = False
) -> Frame:
    """Return the frame that relates two names.

    Args:
        rule: The pattern.
        head: The subject.
        relation: Canonical relation, with its preposition.
        tail: The object.
        negated: Whether the line denies it.
    """
    return Frame(
        predicate=relation,
        predicate_lemma=relation,
        start=tail.start,
        end=tail.end,
        arguments=(_argument(Role.SUBJECT, head, 0), _argument(Role.OBJECT, tail, 1)),
        negated=negated,
        modality=None,
        passive=False,
        rule=rule.value,
        extractor=EXTRACTOR_NAME,
        confidence=load_weights().patterns.get(rule.value, CONFIDENCE[rule]),
    )


def _argument(role: Role, name: Name, slot: int) -> Argument:
    return Argument(
        role=role.value,
        text=name.text,
        start=name.start,
        end=name.end,
        preposition=None,
        entity_type=None,
        head_start=name.start,
        head_end=name.end,
        core_text=name.text,
        core_start=name.start,
        core_end=name.end,
        slot=slot,
    )
