"""The snapshot under test is made by the helpers of the tests of retrieval."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "retrieval"))
