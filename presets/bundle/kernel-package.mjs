/**
 * Creates the package `@scorel/kernel`, for projects that develop extensions with their own tools: the kernel with one file for each
 * module, and the declarations of everything that an extension may use. `npm run pack:kernel DIRECTORY` writes the tarball to this
 * directory. Requires a build, whose declarations it uses.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packReadme } from "./packed-readme.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = resolve(process.argv[2] ?? ".");
const folder = mkdtempSync(join(tmpdir(), "scorel-kernel-"));
try {
  await bundle();
  cpSync(join(root, "dist/types"), join(folder, "types"), { recursive: true });
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "testing.js"), 'export * from "scorel/testing";\n');
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  packReadme(root, "kernel/README.md", folder);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", target], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bundles the modules. They share their common code, and need no other package. */
async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: ["index", "is-event", "store", "containment"].map((name) => ({ in: `kernel/${name}.ts`, out: name })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "inline",
    logLevel: "warning",
    // tapable is CommonJS and loads Node.js modules with require().
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}

function manifest() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const module = (name) => ({ types: `./types/@scorel/kernel/${name}.d.ts`, default: `./${name}.js` });
  return {
    name: "@scorel/kernel",
    version,
    description: "The kernel of Scorel, and the types that its extensions use",
    license,
    type: "module",
    engines,
    exports: {
      ".": module("index"),
      "./is-event": module("is-event"),
      "./store": module("store"),
      "./containment": module("containment"),
      "./testing": module("testing"),
      "./tsconfig.json": "./types/tsconfig.json",
      "./package.json": "./package.json",
    },
    peerDependencies: { scorel: version },
    peerDependenciesMeta: { scorel: { optional: true } },
  };
}
