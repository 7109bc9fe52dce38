"""What every room needs: errors, ids, settings, tables' schemas, and the stage contract."""
