"""Embedding: texts to unit vectors, and the stage that stores them."""
