// Loads the CSV files beside this one into Neo4j 5.23 or newer. Put them into the server's import
// folder, then: cypher-shell -f load.cypher
// It may be run again: what is there is changed, not doubled.

CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE c.id IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (d:Document) REQUIRE d.id IS UNIQUE;
CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name);

LOAD CSV WITH HEADERS FROM 'file:///nodes.csv' AS row
CALL (row) {
  MERGE (e:Entity {id: row.`id:ID`})
  SET e.name = row.name, e.type = row.type, e.mentions = toInteger(row.`mentions:long`),
      e.chunks = toInteger(row.`chunks:long`)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///documents.csv' AS row
CALL (row) {
  MERGE (d:Document {id: row.`id:ID`})
  SET d.title = row.title, d.uri = row.uri, d.media_type = row.media_type, d.sha256 = row.sha256
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///chunks.csv' AS row
CALL (row) {
  MERGE (c:Chunk {id: row.`id:ID`})
  SET c.text = row.text, c.headings = split(row.`headings:string[]`, ';'),
      c.place = toInteger(row.`place:long`), c.page_start = toInteger(row.`page_start:long`),
      c.page_end = toInteger(row.`page_end:long`)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///part_of.csv' AS row
CALL (row) {
  MATCH (c:Chunk {id: row.`:START_ID`})
  MATCH (d:Document {id: row.`:END_ID`})
  MERGE (c)-[:PART_OF]->(d)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///mentions.csv' AS row
CALL (row) {
  MATCH (c:Chunk {id: row.`:START_ID`})
  MATCH (e:Entity {id: row.`:END_ID`})
  MERGE (c)-[m:MENTIONS]->(e)
  SET m.mentions = toInteger(row.`mentions:long`)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///relationships.csv' AS row
CALL (row) {
  MATCH (head:Entity {id: row.`:START_ID`})
  MATCH (tail:Entity {id: row.`:END_ID`})
  MERGE (head)-[r:RELATES_TO {relation_id: row.relation_id}]->(tail)
  SET r.relation = row.relation, r.phrase = row.phrase, r.kind = row.kind,
      r.negated = toBoolean(row.`negated:boolean`), r.support = toFloat(row.`support:double`),
      r.confidence = toFloat(row.`confidence:double`), r.weight = toFloat(row.`weight:double`),
      r.chunk_ids = split(row.`chunk_ids:string[]`, ';')
} IN TRANSACTIONS OF 1000 ROWS;
