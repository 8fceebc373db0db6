import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.ts";
import { root } from "./source.ts";

/** `npm run docs`: writes docs/reference and the generated parts of the plugins' READMEs. */
const files = await generate();
const reference = join(root, "docs/reference");
mkdirSync(reference, { recursive: true });
for (const name of readdirSync(reference)) if (!files.has(`docs/reference/${name}`)) rmSync(join(reference, name));
for (const [path, text] of files) writeFileSync(join(root, path), text);
console.log(`${files.size} files written`);
process.exit();
