"""The pinned snapshot as arrays: names, chunks, relations and communities."""
