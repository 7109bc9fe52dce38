"""Where documents come from: listing them, their access labels, and what changed."""
