// Reads RDF files with N3.js and prints their quads as N-Quads: node quads.mjs FILE MEDIA-TYPE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.KB_INTEROP + "/node_modules/");
const { Parser, Writer } = require("n3");
const [file, format] = process.argv.slice(2);
const quads = new Parser({ format }).parse(readFileSync(file, "utf8"));
const writer = new Writer({ format: "application/n-quads" });
writer.addQuads(quads);
writer.end((error, result) => {
  if (error) throw error;
  process.stdout.write(result);
});
