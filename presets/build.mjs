/** Bundles the command: dist/bin.js, one lazily loaded file per plugin, the shared chunks and the shipped presets. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundlePlugins } from "./bundle-plugins.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Built aside and put in place whole, so that a command that runs meanwhile never finds half of it. */
const dist = join(root, "dist.next");

/** jiti finds its transform, and ripgrep its binary, beside their own files; the telemetry API is an optional peer of one SDK. */
const external = ["jiti", "@vscode/ripgrep", "@opentelemetry/api"];

/** CommonJS packages ask for node:* through `require`, which an ES module does not have. */
const banner =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

rmSync(dist, { recursive: true, force: true });
const { metafile } = await bundle();
copyPresets();
writeNotices(metafile);
makeExecutable();
writeHelp();
putInPlace();

/** Plugins are entry points of their own, so that the loader's `import("@scorel/<id>")` becomes a readable dist/plugins/<id>.js. */
function bundle() {
  const plugins = readdirSync(join(root, "plugins")).filter((id) => existsSync(join(root, "plugins", id, "index.ts")));
  return build({
    absWorkingDir: root,
    entryPoints: [
      { in: "presets/bin.ts", out: "bin" },
      { in: "presets/help.ts", out: "help" },
      ...plugins.map((id) => ({ in: `plugins/${id}/index.ts`, out: `plugins/${id}` })),
    ],
    outdir: "dist.next",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none",
    external,
    plugins: bundlePlugins,
    banner: { js: banner },
    metafile: true,
    logLevel: "warning",
  });
}

/** Code in dist/, dist/chunks/ and dist/plugins/ alike finds the shipped presets at `../presets/`, as presets/*.ts does. */
function copyPresets() {
  for (const file of readdirSync(join(root, "presets")).filter((name) => name.endsWith(".toml"))) {
    cpSync(join(root, "presets", file), join(dist, "presets", file));
  }
}

/** The licenses of bundled packages ask to travel with their code; packages that share a text share its copy. */
function writeNotices({ inputs }) {
  const inPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
  const onDisk = Object.keys(inputs).filter((file) => existsSync(join(root, file)));
  const texts = new Map();
  for (const folder of new Set(onDisk.flatMap((file) => file.match(inPackage)?.[0] ?? []))) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.|-|$)/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), "utf8").trim() : `Licensed under ${license}.`;
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`].sort());
  }
  const notices = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).sort();
  writeFileSync(join(dist, "THIRD-PARTY.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

/** The texts of --help, asked of the built plugins once, so that showing them loads none. */
function writeHelp() {
  const script = join(dist, "help.js");
  const home = mkdtempSync(join(tmpdir(), "scorel-build-"));
  try {
    const env = { ...process.env, HOME: home, USERPROFILE: home };
    writeFileSync(join(dist, "help.json"), execFileSync(process.execPath, [script], { cwd: home, env }));
  } finally {
    rmSync(home, { recursive: true, force: true });
    rmSync(script);
  }
}

function putInPlace() {
  const place = join(root, "dist");
  rmSync(place, { recursive: true, force: true });
  renameSync(dist, place);
}

function makeExecutable() {
  const bin = join(dist, "bin.js");
  const code = readFileSync(bin, "utf8");
  if (!code.startsWith("#!")) writeFileSync(bin, `#!/usr/bin/env node\n${code}`);
  chmodSync(bin, 0o755);
}
