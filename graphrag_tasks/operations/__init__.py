"""Operations: runs on this machine, quality gate, retention, doctor, differences.

In: a configuration or a store. Out: a published snapshot, or a report on one. Open `runner.py` first.
"""
