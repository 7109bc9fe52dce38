"""Tests on Spark, in an environment of their own (make test-spark)."""
