"""From mentions to entities: the entity dictionary, types, resolution, and links to text."""
