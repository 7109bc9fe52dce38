"""What holds for all test processes and for those that they start."""

import os

# Several processes share the cores: threads of one that wait for one another take all of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
