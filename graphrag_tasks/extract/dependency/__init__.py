"""The rule extractor: frames from dependency parses, with a confidence each.

`extractor` runs it, `clauses` finds the verbs of a sentence, `subjects`, `arguments` and
`predicates` what belongs to them, `nominal` and `qualifiers` facts without a verb of their own,
`repair` and `rereading` mend parses, `confidence` says how sure a frame is.
"""
