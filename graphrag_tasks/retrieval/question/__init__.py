"""What is asked: the query, its parts, its seeds, and which mode answers it."""
