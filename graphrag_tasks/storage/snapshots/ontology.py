"""Where a store keeps the ontology that was approved for its runs."""

from __future__ import annotations

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.storage.artifacts import Folder

APPROVED = "approved"
"""In place of a file in `relationships.schema_file`: the ontology in force in the store."""

FOLDER, IN_FORCE = "ontology", "current"
"""Folder of a store, and its file with the ontology in force: a schema in YAML."""


def ontology_in_force(store: str) -> str:
    """Return the text of the ontology in force; "" where none was ever approved.

    Raises:
        ArtifactError: It cannot be read.
    """
    folder = Folder(store) / FOLDER
    if not folder.exists(IN_FORCE):
        return ""
    try:
        return folder.read_bytes(IN_FORCE).decode("utf-8")
    except UnicodeDecodeError as error:
        hint = f"Approve an ontology again: {command('ontology', 'show', store=store)}"
        raise ArtifactError(f"is no text: {error}", place_in_force(store), hint) from error


def place_in_force(store: str) -> str:
    """Return where the ontology in force lies, for messages."""
    return f"{(Folder(store) / FOLDER).uri}/{IN_FORCE}"
