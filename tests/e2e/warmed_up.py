"""Imported by the fork server before it forks: see `warm_runs`."""

from tests.e2e import warm_runs

warm_runs.warm_up()
