// Prints what Neo4j's own parser and checks find wrong in a Cypher file, as JSON.

const { readFileSync } = require("node:fs");
const { lintCypherQuery } = require("@neo4j-cypher/language-support");

const script = readFileSync(process.argv[2], "utf8");
console.log(JSON.stringify(lintCypherQuery(script, {}).diagnostics));
