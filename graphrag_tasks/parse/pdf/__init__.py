"""PDF files into blocks, without models: lines, tables, headings and lists told by geometry."""
