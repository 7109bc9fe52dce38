"""Build the binary documents of the example corpus from readable sources."""
