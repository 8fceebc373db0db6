/**
 * Makes the package `@scorel/host`, for programs that are clients of a host: its client for browsers and Node, and their
 * declarations. `npm run pack:host DIRECTORY` writes its tarball there. Needs a build, whose declarations it takes.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
  // The browser's build refuses whatever needs Node.
  await build({
    ...options,
    entryPoints: [{ in: "plugins/host/client/index.ts", out: "client" }],
    platform: "browser",
  });
  await bundleForNode();
  writeTypes();
  for (const name of ["LICENSE", "plugins/host/client/README.md"])
    cpSync(join(root, name), join(folder, name.split("/").at(-1)));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", target], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Beside the browser's client, which it does not contain again: an error is an instance of one class. */
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
    // ws is CommonJS and asks for Node's modules with require().
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}

/** The declarations name each other by paths, so that they need no settings of a project. */
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
  // Whoever imports a client sees the operations of all plugins.
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
