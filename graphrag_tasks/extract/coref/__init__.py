"""Coreference: pronouns and definite mentions resolved to what they stand for.

No language model and no neural weights: candidates come from the parse, and are ranked by trees
and rules that are files of readable numbers.
"""
