"""Location of the approved ontology in a store."""

from __future__ import annotations

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.storage.artifacts import Folder

APPROVED = "approved"  # Value of `relationships.schema_file` that selects the store's approved ontology.

FOLDER, IN_FORCE = "ontology", "current"
"""Folder in a store, and its file with the ontology in force: a schema in YAML."""


def ontology_in_force(store: str) -> str:
    """Return the text of the ontology in force; "" if none was approved."""
    folder = Folder(store) / FOLDER
    if not folder.exists(IN_FORCE):
        return ""
    try:
        return folder.read_bytes(IN_FORCE).decode("utf-8")
    except UnicodeDecodeError as error:
        hint = f"Approve an ontology again: {command('ontology', 'show', store=store)}"
        raise ArtifactError(f"is no text: {error}", place_in_force(store), hint) from error


def place_in_force(store: str) -> str:
    """Return the path of the ontology in force, for messages."""
    return f"{(Folder(store) / FOLDER).uri}/{IN_FORCE}"
