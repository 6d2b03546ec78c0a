// Validates with rdf-validate-shacl and prints the report as N-Quads: node shacl.mjs DATA.nt SHAPES.nt
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.KB_INTEROP + "/node_modules/");
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { Parser, Writer, Store } = require("n3");
const { default: SHACLValidator } = await load("rdf-validate-shacl");

const read = (file) => new Store(new Parser({ format: "N-Triples" }).parse(readFileSync(file, "utf8")));
const [data, shapes] = process.argv.slice(2).map(read);
const report = await new SHACLValidator(shapes).validate(data);
const writer = new Writer({ format: "application/n-quads" });
writer.addQuads([...report.dataset]);
writer.end((error, result) => {
  if (error) throw error;
  process.stdout.write(result);
});
