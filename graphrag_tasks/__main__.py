"""`python -m graphrag_tasks`: the command, where the script is not on the path."""

from graphrag_tasks.cli import run

run()
