"""From mentions to entities.

Triples, headings and sentences come in; entities with aliases, types and mentions go out. Stages in order:
`dictionary`, `normalize`, `resolve`, `link_mentions`; open each one's `stage.py`.
"""
