"""What Airflow calls the host of a worker, as the workers of a test share one machine."""

import os


def name() -> str:
    """Return what `GRAPHRAG_WORKER` says."""
    return os.environ["GRAPHRAG_WORKER"]
