"""Imported by the fork server before it forks: see `warm_runs`."""

import warm_runs

warm_runs.warm_up()
