/**
 * Creates the package `@scorel/host`, for programs that are clients of a host: the client for browsers and Node.js, with declarations.
 * `npm run pack:host DIRECTORY` writes the tarball to this directory. Requires a build, whose declarations it uses.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packReadme } from "./packed-readme.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = resolve(process.argv[2] ?? ".");
const folder = mkdtempSync(join(tmpdir(), "scorel-host-"));
const options = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  legalComments: "inline",
  logLevel: "warning",
};
try {
  // The build for browsers fails for code that needs Node.js.
  await build({
    ...options,
    entryPoints: [{ in: "plugins/host/client/index.ts", out: "client" }],
    platform: "browser",
  });
  await bundleForNode();
  writeTypes();
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  packReadme(root, "plugins/host/client/README.md", folder);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", target], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bundles the module for Node.js. It imports the browser's client instead of including it, so that there is only one class of errors. */
function bundleForNode() {
  const client = {
    name: "client",
    setup: (hooks) =>
      hooks.onResolve({ filter: /^@scorel\/host\/client$/ }, () => ({ path: "./client.js", external: true })),
  };
  return build({
    ...options,
    entryPoints: [{ in: "presets/client/node.ts", out: "node" }],
    chunkNames: "node-[name]-[hash]",
    platform: "node",
    plugins: [client],
    // ws is CommonJS and loads Node.js modules with require().
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}

/** Writes the declarations. They import each other by relative paths, so that projects need no special settings. */
function writeTypes() {
  const types = join(folder, "types");
  cpSync(join(root, "dist/types"), types, { recursive: true });
  const { paths } = JSON.parse(readFileSync(join(types, "tsconfig.json"), "utf8")).compilerOptions;
  const files = new Map(Object.entries(paths).map(([name, [file]]) => [name, join(types, file)]));
  const named = /(\bfrom\s*|\bimport\s*\(\s*|\bdeclare module\s*|\bimport\s*)"([^".][^"]*)"/g;
  for (const name of readdirSync(types, { recursive: true }).filter((each) => /\.d\.[cm]?ts$/.test(each))) {
    const file = join(types, name);
    const text = readFileSync(file, "utf8");
    const linked = text.replace(named, (found, before, module) => {
      const place = files.get(module);
      return place === undefined ? found : `${before}"${linkTo(place, dirname(file))}"`;
    });
    if (linked !== text) writeFileSync(file, linked);
  }
  // With these imports, a client's types include the operations of all plugins.
  for (const name of ["client/index.d.ts", "client/node.d.ts"]) {
    const file = join(types, "@scorel/host", name);
    writeFileSync(file, `import type {} from "../../../contracts.js";\n${readFileSync(file, "utf8")}`);
  }
}

function linkTo(place, from) {
  const path = relative(from, place).replace(/\.d\.([cm]?)ts$/, ".$1js");
  return path.startsWith(".") ? path : `./${path}`;
}

function manifest() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name: "@scorel/host",
    version,
    description: "The client of a Scorel host, for browsers and Node",
    license,
    type: "module",
    engines,
    sideEffects: false,
    exports: {
      "./client": { types: "./types/@scorel/host/client/index.d.ts", default: "./client.js" },
      "./client/node": { types: "./types/@scorel/host/client/node.d.ts", default: "./node.js" },
      "./contract": { types: "./types/@scorel/host/contract.d.ts" },
      "./package.json": "./package.json",
    },
  };
}
