"""Looking at what was published: exports of the graph, and pages for the browser."""
