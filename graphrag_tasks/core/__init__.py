"""Core: errors, ids, settings, table schemas, and the stage contract.

Imports nothing else of the package. Open `errors.py`, `schemas.py` and `stage.py` first; `config` holds the settings.
"""
