"""Sizes of tests that repeat: few times in each run, many times in a slow one."""

import pytest


def few_or_many(name: str, few: int, many: int) -> pytest.MarkDecorator:
    """Give a test two values of an argument; the second one is for slow runs alone."""
    return pytest.mark.parametrize(name, [few, pytest.param(many, marks=pytest.mark.slow)])
