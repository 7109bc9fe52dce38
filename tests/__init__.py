"""Tests: a folder for each room of the package, with the room's name.

Beside these, `dags` holds what Airflow runs, `e2e` whole runs and what damages them, `project` what lies beside the
package, and `services` and `browser` what needs servers or a browser.
"""
