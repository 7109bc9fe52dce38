"""Tests on Spark and Ray, in an environment of their own (make test-spark)."""
