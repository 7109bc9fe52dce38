"""The rows that a reader sees."""
