"""Running the index: runs, quality gate, retention, checks of the machine, differences."""
