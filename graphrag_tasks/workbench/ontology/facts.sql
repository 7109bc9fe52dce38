-- name: facts
-- Triples between two entities, in the words of their sentences, whatever schema the run had.
CREATE TABLE facts AS
SELECT triple_id, chunk_id, document_id, relation, hr.entity_id AS head_id,
    tr.entity_id AS tail_id, hr.name AS head, tr.name AS tail, coalesce(hr.type, '') AS head_type,
    coalesce(tr.type, '') AS tail_type
FROM triples
JOIN surface_forms AS h ON h.surface = {head_surface} AND h.type = {head_label}
JOIN surface_forms AS t ON t.surface = {tail_surface} AND t.type = {tail_label}
JOIN resolved AS hr ON hr.key = h.key
JOIN resolved AS tr ON tr.key = t.key
WHERE h.problem IS NULL AND t.problem IS NULL AND hr.entity_id <> tr.entity_id

-- name: patterns
SELECT head_type, relation, tail_type, count(*) FROM facts GROUP BY ALL ORDER BY ALL

-- name: in_chunks
SELECT chunk_id, document_id, relation, head_id, tail_id, head, tail, head_type, tail_type
FROM facts SEMI JOIN wanted USING (chunk_id) ORDER BY chunk_id, triple_id
