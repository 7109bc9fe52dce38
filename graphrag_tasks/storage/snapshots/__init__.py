"""Published versions of the index: the store, its manifests, publishing, and reading."""
