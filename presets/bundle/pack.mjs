/** Converts esbuild's chunks to the modules that presets/bundle/modules.ts loads; see docs/decisions/0014. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { transform } from "esbuild";

/**
 * Writes each chunk into `dist` as a CommonJS function. `files` maps file names to sources: a file contains the chunks of its sources and of
 * everything that these import statically. A chunk that belongs to several files is in the first one. All other chunks get their own file.
 */
export async function pack({ outputFiles, metafile }, dist, files) {
  const chunks = await Promise.all(outputFiles.map((file) => toFunction(file, dist)));
  const helpers = await helpersOfModules();
  const placed = new Set();
  for (const [file, sources] of Object.entries(files)) {
    const names = needed(metafile, sources).map((path) => nameOf(join(dirname(dist), path), dist));
    const bodies = chunks.filter(({ name }) => names.includes(name));
    if (bodies.length < names.length) throw new Error("esbuild names files in its report that it did not write");
    write(
      join(dist, file),
      together(
        bodies.filter(({ name }) => !placed.has(name)),
        helpers,
      ),
    );
    for (const name of names) placed.add(name);
  }
  for (const { name, body } of chunks) if (!placed.has(name)) write(join(dist, name), `(${body});\n`);
}

/** The source of a file with several modules: an object of functions by module name. */
function together(bodies, helpers) {
  const entries = bodies.map(({ name, body }) => `${JSON.stringify(name)}: ${without(helpers, body)}`);
  return `(function () {\n${helpers.join("")}return {\n${entries.join(",\n")}\n};\n})();\n`;
}

/** The helper statements at the beginning of each CommonJS module of esbuild. Modules in one file share them. */
async function helpersOfModules() {
  const sample =
    'import first, * as second from "./a.js";\nexport const use = [first, second, () => import("./b.js")];';
  const code = await toCommonJs(sample);
  const statements = code.slice(0, code.indexOf("var stdin_exports")).split(/^(?=var )/m);
  if (!statements.some((text) => text.startsWith("var __toESM ="))) throw new Error("esbuild has other helpers now");
  return statements;
}

function without(helpers, body) {
  return helpers.reduce((rest, helper) => rest.replace(`\n${helper}`, () => "\n"), body);
}

/** Converts a chunk to a function. The code is ASCII only, so that the loader can read it as Latin-1 without decoding. */
async function toFunction({ path, text }, dist) {
  const code = await toCommonJs(text);
  return { name: nameOf(path, dist), body: `function (exports, require, module) {\n${code}}` };
}

async function toCommonJs(text) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "module.url" },
    legalComments: "none",
    charset: "ascii",
  });
  return exportedItself(code);
}

/** Changes the code so that it exports the object with its getters itself instead of a copy with additional getters. */
function exportedItself(code) {
  // esbuild uses `mod2` in a module that already has the name `mod`.
  const copied = /^(var __toCommonJS = \((mod\d*)\) => )__copyProps\(__defProp\(\{\}, ("__esModule".*)\), \2\);$/m;
  if (code.includes("__toCommonJS(") && !copied.test(code))
    throw new Error("esbuild exports CommonJS modules in another way now");
  return code.replace(copied, "$1__defProp($2, $3);");
}

/** The path of a chunk in `dist`, with `/` on every system, as modules import each other. */
function nameOf(path, dist) {
  return relative(dist, path).split(sep).join("/");
}

/** The output files of these sources and of everything that they import statically. */
function needed({ outputs }, sources) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: imported, kind, external } of outputs[path].imports)
      if (kind === "import-statement" && !external) add(imported);
  };
  for (const source of sources) add(fileOf(outputs, source));
  return [...found];
}

function fileOf(outputs, source) {
  const found = Object.keys(outputs).filter((path) => outputs[path].entryPoint?.endsWith(source));
  if (found.length !== 1) throw new Error(`${source} is in ${found.length} files of the bundle instead of one`);
  return found[0];
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
