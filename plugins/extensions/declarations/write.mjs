/** Creates dist/types: the declarations of Scorel and of everything that an extension may import, so that editors need nothing else. */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = realpathSync(fileURLToPath(new URL("../../..", import.meta.url)));
const packages = join(root, "plugins/extensions/node_modules");
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** The packages whose declarations are included. Types of other packages that these use, such as a provider's own options, become `any`. */
const own = [
  ...["zod", "typebox", "@mariozechner/pi-ai", "@mariozechner/pi-agent-core", "@opentelemetry/api"],
  ...["@types/node", "undici-types"],
];

/** Modules whose declarations are included, in addition to the contracts of all plugins. */
const clients = [
  ...["@scorel/kernel/testing", "@scorel/host/client", "@scorel/host/client/node"],
  "@scorel/host/command-line",
];

/** The folders, relative to the root, of the included packages whose code is not in the bundle. */
const node = realpathSync(join(root, "node_modules/@types/node"));
export const typesOnly = [node, join(node, "../../undici-types")].map((folder) => relative(root, folder));

/** Thrown if the compiler fails. The message has its output. */
export class DeclarationsError extends Error {}

/** Writes the declarations into `target`, with a tsconfig.json to extend. `names` are the modules that extensions may import. */
export async function writeTypes(target, names) {
  const work = join(root, "node_modules/.scorel-types");
  rmSync(work, { recursive: true, force: true });
  try {
    await emit(work);
    const scorel = scorelModules(work);
    const library = Object.fromEntries(
      names.filter((name) => !name.startsWith("@scorel/")).map((name) => [name, declarationOf(name)]),
    );
    const modules = { ...scorel, ...library };
    const contracts = Object.keys(scorel).filter((name) => name.endsWith("/contract"));
    const places = new Map((await listFiles(work, modules, contracts)).flatMap((file) => placed(file, work)));
    assertComplete(places, modules);
    for (const [file, place] of places) copy(file, join(target, place));
    const paths = Object.entries(modules).flatMap(([name, file]) => {
      const place = places.get(realpathSync(file));
      return place ? [[name, [`./${place}`]]] : [];
    });
    writeProject(target, Object.fromEntries(paths), contracts);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Emits the declarations of the kernel and of all plugins. The needed ones are selected afterwards. */
function emit(work) {
  const patterns = [
    "kernel/*.ts",
    "plugins/*/*.ts",
    "plugins/*/contract/*.ts",
    "plugins/host/client/**/*.ts",
    "plugins/kit/values/*.ts",
    "plugins/model/offline/scripted.ts",
  ];
  const include = [...patterns, "presets/testing/*.ts", "presets/client/*.ts"].map((pattern) => join(root, pattern));
  const options = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: join(work, "out"),
    rootDir: root,
    paths: sources(),
  };
  return compile(work, { options, files: { include, exclude: [] } });
}

/**
 * Module name -> its source, for the compiler. Without it, modules are found through the links in node_modules, and the
 * compiler emits nothing for a file that it happens to find there first.
 */
function sources() {
  const entries = exported().flatMap(({ folder, name, exports }) =>
    Object.entries(exports).map(([path, file]) => [name + path.slice(1), [join(root, folder, file)]]),
  );
  return Object.fromEntries(entries);
}

/** Module name -> its declaration file, for the kernel and all modules that plugins export. */
function scorelModules(work) {
  const found = exported().flatMap(({ folder, name, exports }) =>
    Object.entries(exports).flatMap(([path, file]) => {
      const declarations = join(work, "out", folder, file.replace(/\.ts$/, ".d.ts"));
      return path === "./*" ? modulesIn(dirname(declarations), name) : [[name + path.slice(1), declarations]];
    }),
  );
  found.push(["@scorel/kernel/testing", join(work, "out/presets/testing/index.d.ts")]);
  found.push(["@scorel/host/client/node", join(work, "out/presets/client/node.d.ts")]);
  return Object.fromEntries(found.filter(([, file]) => existsSync(file)));
}

/** The kernel's and each plugin's folder, package name and exports. */
function exported() {
  const folders = ["kernel", ...readdirSync(join(root, "plugins")).map((id) => `plugins/${id}`)];
  return folders.map((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return { folder, name, exports };
  });
}

/** Every file of a package that exports all its files, by module name. */
function modulesIn(folder, name) {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return files
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => [`${name}/${file.slice(0, -".d.ts".length).split(sep).join("/")}`, join(folder, file)]);
}

/** The declaration file of a library's module, according to the library's package.json. */
function declarationOf(name) {
  const [, library, path] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name);
  const folder = join(packages, library);
  const { exports, types } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, exports ? typesIn(exports[`.${path}`]) : types);
}

function typesIn(target) {
  if (typeof target === "string") return target.replace(/(?<!\.d)\.([mc]?)js$/, ".d.$1ts");
  return typesIn(target.types ?? target.import ?? target.default);
}

/** Every declaration file that the compiler reads if the contracts and the libraries are imported. */
async function listFiles(work, modules, contracts) {
  const paths = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]]));
  const entry = join(work, "entry.ts");
  const shown = Object.keys(modules).filter(
    (name) => [...contracts, ...clients].includes(name) || !name.startsWith("@scorel/"),
  );
  writeFileSync(entry, shown.map((name) => `import type {} from ${JSON.stringify(name)};\n`).join(""));
  const options = { paths, module: "preserve", moduleResolution: "bundler", listFilesOnly: true };
  const listed = await compile(work, { options, files: { files: [entry], include: [] } });
  return listed
    .split("\n")
    .filter((file) => /\.d\.[mc]?ts$/.test(file))
    .map((file) => realpathSync(file));
}

async function compile(work, { options, files }) {
  mkdirSync(work, { recursive: true });
  const { listFilesOnly = false, ...others } = options;
  const compilerOptions = { ...others, incremental: false };
  const project = join(work, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, ...files }));
  const args = [compiler, "--project", project, ...(listFilesOnly ? ["--listFilesOnly"] : [])];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (failed) {
    throw declarationsError(failed);
  }
}

/** The error for a compiler that has failed. It writes mistakes in the sources to stdout; if it could not start, only Node knows the reason. */
export function declarationsError(failed) {
  const said = `${failed.stdout ?? ""}${failed.stderr ?? ""}`.trim() || failed.message;
  return new DeclarationsError(`The declarations cannot be made:\n${said}`, { cause: failed });
}

/** The path of a file in dist/types: `@scorel/<id>/...`, or below the name of its package. */
function placed(file, work) {
  const made = relative(join(realpathSync(work), "out"), file).split(sep);
  if (made[0] === "presets")
    return [[file, made[1] === "client" ? "@scorel/host/client/node.d.ts" : "@scorel/kernel/testing.d.ts"]];
  if (made[0] === "kernel") return [[file, ["@scorel", ...made].join("/")]];
  if (made[0] === "plugins") return [[file, ["@scorel", ...made.slice(1)].join("/")]];
  const inPackage = file.split(`${sep}node_modules${sep}`).at(-1).split(sep).join("/");
  return own.some((name) => inPackage.startsWith(`${name}/`)) ? [[file, inPackage]] : [];
}

/** Throws if a declaration of Scorel imports one that is not included: a compiler would take its types for `any`. */
function assertComplete(places, modules) {
  const included = (path, from) =>
    path.startsWith(".")
      ? places.has(join(dirname(from), path.replace(/\.ts$/, ".d.ts")))
      : !path.startsWith("@scorel/") || (path in modules && places.has(realpathSync(modules[path])));
  for (const [file, place] of places) {
    if (!place.startsWith("@scorel/")) continue;
    for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g))
      if (!included(path, file))
        throw new DeclarationsError(`${place} imports ${path}, which has no declarations here.`);
  }
}

function copy(file, place) {
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(file, place);
}

/** Writes the tsconfig.json that folders of extensions extend: as strict as Scorel's own, and with all contracts included. */
function writeProject(target, paths, contracts) {
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "preserve",
    moduleResolution: "bundler",
    moduleDetection: "force",
    typeRoots: ["./@types"],
    types: ["node"],
    paths: { ...paths, "undici-types": ["./undici-types/index.d.ts"] },
    noEmit: true,
    allowImportingTsExtensions: true,
    strict: true,
    skipLibCheck: true,
  };
  writeFileSync(join(target, "contracts.d.ts"), contracts.map((name) => `import type {} from "${name}";\n`).join(""));
  writeFileSync(
    join(target, "tsconfig.json"),
    `${JSON.stringify({ compilerOptions, files: ["./contracts.d.ts"] }, null, 2)}\n`,
  );
}
