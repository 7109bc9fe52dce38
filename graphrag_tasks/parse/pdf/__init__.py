"""Convert PDF files to blocks without models: lines, tables, headings and lists by geometry.

In: bytes of a PDF file. Out: a `ParsedDocument`. Open `reader.py` first, then `pipeline.py`.
"""
