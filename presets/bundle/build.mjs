/**
 * Bundles the command: dist/bin.js, which loads the rest as modules of its own (see docs/decisions/0014), the modules of most
 * commands in one file, the others in one each, and the shipped presets.
 */
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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { typesOnly, writeTypes } from "../../plugins/extensions/declarations/write.mjs";
import { bundlePlugins } from "../../plugins/model/bundle.mjs";
import { pack } from "./pack.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Built aside and put in place whole, so that a command that runs meanwhile never finds half of it. */
const dist = join(root, "dist.next");

/** jiti finds its transform, and ripgrep its binary, beside their own files. */
const external = ["jiti", "@vscode/ripgrep"];

/** What a headless turn loads on its way. */
const usual = [
  "presets/start/launch.ts",
  "plugins/agent/turn/loop.ts",
  "plugins/checkpoints/record/tracker.ts",
  "plugins/cli/exit-code.ts",
  "plugins/cli/process/own-process.ts",
  "plugins/cli/process/signals.ts",
  "plugins/cli/parser.ts",
  "plugins/coding/shell/command.ts",
  "plugins/coding/guard/guard.ts",
  "plugins/coding/shell/output.ts",
  "plugins/extensions/commands/noted.ts",
  "plugins/extensions/load/find.ts",
  "plugins/extensions/rows/rehearsal.ts",
  "plugins/extensions/words.ts",
  "plugins/kit/process/ledger.ts",
  "plugins/host/commands/session-views.ts",
  "plugins/model/model.ts",
  "plugins/model/wire/stream.ts",
  "plugins/permissions/guard.ts",
  "plugins/print/turn.ts",
  "plugins/projects/register.ts",
  "plugins/trust/use/projects.ts",
  "plugins/skills/match/turn-start.ts",
  "pi-ai/dist/providers/openai-completions.js",
];

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/** What bin.ts and help.ts launch is among the packed modules. */
const packedLaunch = {
  name: "packed-launch",
  setup(hooks) {
    hooks.onResolve({ filter: /\/launch\.ts$/ }, () => ({ path: join(root, "presets/bundle/packed-launch.ts") }));
  },
};

rmSync(dist, { recursive: true, force: true });
const types = writeTypes(join(dist, "types"), virtualNames());
const plugins = readdirSync(join(root, "plugins")).filter((id) => existsSync(join(root, "plugins", id, "index.ts")));
const chunks = await bundle();
await pack(chunks, dist, [...plugins.map((id) => `plugins/${id}/index.ts`), ...usual]);
const bin = await bundleAlone("presets/start/bin.ts", "bin.js", "cjs");
copyPresets();
const worker = await bundleWorker();
writeNotices(chunks.metafile, bin.metafile, worker.metafile);
makeExecutable();
await writeHelp();
await types;
putInPlace();

/** The modules that extensions may import. */
function virtualNames() {
  const source = readFileSync(join(root, "plugins/extensions/load/virtual-modules.ts"), "utf8");
  return Array.from(source.matchAll(/^ {2}"?([\w@/.-]+)"?: \(\) => import\(/gm), ([, name]) => name);
}

/** Plugins are entry points of their own, so that the loader's `import("@scorel/<id>")` becomes a module plugins/<id>.js. */
function bundle() {
  return build({
    ...options,
    entryPoints: [
      { in: "presets/start/launch.ts", out: "launch" },
      ...plugins.map((id) => ({ in: `plugins/${id}/index.ts`, out: `plugins/${id}` })),
    ],
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    external,
    plugins: bundlePlugins,
    write: false,
  });
}

/** One file that needs no other before it launches; as CommonJS, as Node starts that in less time. */
function bundleAlone(source, name, format) {
  return build({
    ...options,
    entryPoints: [source],
    outfile: join(dist, name),
    format,
    plugins: [packedLaunch],
    ...(format === "cjs" && {
      define: { "import.meta.url": "__url" },
      banner: { js: '#!/usr/bin/env node\nconst __url = require("node:url").pathToFileURL(__filename).href;' },
    }),
  });
}

/** The thread that changes images is a file that code in dist/chunks/ and dist/plugins/ finds at `../images/`; its library finds its WebAssembly beside it. */
async function bundleWorker() {
  const worker = await build({
    ...options,
    entryPoints: ["plugins/images/worker.js"],
    outfile: join(dist, "images/worker.js"),
    format: "cjs",
  });
  const [library] = Object.keys(worker.metafile.inputs).filter((file) => file.endsWith("/photon_rs.js"));
  const wasm = "photon_rs_bg.wasm";
  cpSync(join(root, dirname(library), wasm), join(dist, "images", wasm));
  return worker;
}

/** Code in dist/chunks/ and dist/plugins/ alike finds these at `../presets/` and `../containment/`, as it does in the sources. */
function copyPresets() {
  for (const file of readdirSync(join(root, "presets")).filter((name) => name.endsWith(".toml"))) {
    cpSync(join(root, "presets", file), join(dist, "presets", file));
  }
  cpSync(join(root, "plugins/extensions/containment/watchdog-thread.js"), join(dist, "containment/watchdog-thread.js"));
}

/** The licenses of bundled packages ask to travel with their code; packages that share a text share its copy. */
function writeNotices(...metafiles) {
  const inPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
  const onDisk = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).filter((file) => existsSync(join(root, file)));
  const texts = new Map();
  const bundled = onDisk.flatMap((file) => file.match(inPackage)?.[0] ?? []);
  for (const folder of new Set([...bundled, ...typesOnly])) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.|-|$)/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), "utf8").trim() : `Licensed under ${license}.`;
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`].sort());
  }
  const notices = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).sort();
  writeFileSync(join(dist, "THIRD-PARTY.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

/** The texts of --help, asked of the built plugins once, so that showing them loads none. */
async function writeHelp() {
  await bundleAlone("presets/bundle/help.ts", "help.mjs", "esm");
  const script = join(dist, "help.mjs");
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

/** The package around it holds ES modules. */
function makeExecutable() {
  chmodSync(join(dist, "bin.js"), 0o755);
  writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
}
