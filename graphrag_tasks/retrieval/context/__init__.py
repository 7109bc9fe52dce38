"""What a search gives back: hits with their sources, as text, tables and pictures."""
