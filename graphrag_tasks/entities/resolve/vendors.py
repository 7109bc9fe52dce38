"""Names with and without the vendor or product that a corpus is about.

"SAP Fiori launchpad" and "Fiori launchpad" are one thing in a corpus on SAP. A word is such a
vendor where it begins many names, a share of which also occur without it; where it is itself a name
with a capital; and where it stands in most documents. The last tells "SAP" from "ABAP", which
begins as many names of the same documents: "SQL statement" is more general than "ABAP SQL
statement".
"""

from __future__ import annotations

from graphrag_tasks.entities.resolve.clusters import PROPER
from graphrag_tasks.storage.sql import Connection, statements

_LEAST = {"names": 3, "share": 0.05, "documents": 0.6, "capitals": 0.8}
"""Names that also occur without a vendor, and their share of the names that begin with it; the
share of documents that contain it, and of its occurrences that are capitalised. SAP has 33
names, .11 and .78 of the documents, GnuCash 6, .08 and .68; ABAP has .54."""

_SQL = statements(
    __package__, "vendors.sql", proper=", ".join(f"'{one}'" for one in sorted(PROPER))
)


def find_vendors(connection: Connection) -> None:
    """Create the table `vendors` with the keys of vendors; the connection knows the sentences."""
    connection.execute(_SQL["begun"])
    connection.execute(_SQL["bare"])
    connection.execute(_SQL["vendors"], _LEAST)


def without_vendor(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of names with and without a vendor; call after `find_vendors`.

    At least two words remain, the first with a capital and letters only.
    """
    return connection.sql(_SQL["pairs"]).fetchall()
