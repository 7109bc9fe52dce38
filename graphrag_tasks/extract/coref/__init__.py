"""Coreference: resolves pronouns and definite noun phrases to their antecedents.

In: parses of a passage. Out: `Coreference` objects. No language model and no neural weights: candidates come from the
parse, and are ranked by decision trees and rules. Open `protocol.py` first, then `ranking.py` (persons) and
`things.py`.
"""
